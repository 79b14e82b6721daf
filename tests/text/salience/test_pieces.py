"""How sentences are cut into clauses, and which clauses of a question say something."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfpm import Memory
from cfpm.text.salience import asserted, clauses
from cfpm.text.salience.cues import COUNTS

KINDS = ("chat", "assistant")


def cut(text: str, kind: str = "assistant") -> list[str]:
    return [text[piece.start : piece.end] for piece in clauses(text, 0, kind)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Thanks, Ann! I moved to Oslo last week.", "I moved to Oslo last week."),
        ("Wow, that kiln costs 900 euros.", "that kiln costs 900 euros."),
        ("So I bought the red kayak.", "I bought the red kayak."),
        ("好的，我下周搬到上海。", "我下周搬到上海。"),
    ],
)
def test_greetings_and_reactions_before_the_matter_are_left_out(text: str, kept: str) -> None:
    assert cut(text, "chat") == [kept]


@pytest.mark.parametrize(
    "text",
    ["Great Britain exports wool.", "Well water tastes of iron.", "No dogs live here.", "So far I fired nine bowls."],
)
def test_a_sentence_that_only_begins_like_a_reaction_keeps_its_meaning(text: str) -> None:
    assert cut(text, "chat") == [text]


def test_what_is_told_to_an_agent_is_cut_at_every_comma() -> None:
    text = "I rent a studio with a small kiln, third floor, because my flat has no balcony"
    assert cut(text) == ["I rent a studio with a small kiln", "third floor", "because my flat has no balcony"]
    assert cut(text, "chat") == ["I rent a studio with a small kiln, third floor", "because my flat has no balcony"]


def test_a_sentence_of_usual_length_is_told_whole() -> None:
    text = "We rent a studio on Mill Lane, third floor, and it has a kiln"
    (piece,) = clauses(text, 0, "assistant", whole=True)
    assert text[piece.start : piece.end] == text
    longer = text + ", which the landlord put in when the pottery moved out and left it in the cold for years"
    assert len(list(clauses(longer, 0, "assistant", whole=True))) > 2


def test_a_semicolon_parts_even_a_short_sentence() -> None:
    text = "the studio is on Mill Lane; its kiln is broken"
    assert [text[one.start : one.end] for one in clauses(text, 0, "assistant", whole=True)] == [
        "the studio is on Mill Lane",
        "its kiln is broken",
    ]


def test_a_clause_with_little_content_takes_the_next_one_along() -> None:
    assert cut("I painted the boat green, as I said, and it dried overnight") == [
        "I painted the boat green",
        "as I said, and it dried overnight",
    ]


def test_the_last_clause_goes_with_the_one_before_it() -> None:
    assert cut("I painted the boat green, as you know") == ["I painted the boat green, as you know"]


def test_only_greetings_leave_nothing() -> None:
    assert cut("Thanks so much!", "chat") == []


def test_a_question_says_what_stands_in_its_clauses() -> None:
    text = "How should I glaze the bowls, which I fired on Monday, and can you list the steps?"
    assert [text[p.start : p.end] if p else None for p in asserted(text, 0, "assistant")] == [
        None,
        "which I fired on Monday",
        None,
    ]


@pytest.mark.parametrize("text", ["Maybe I prefer tabs?", "We use port 8080?"])
def test_a_statement_put_in_doubt_as_a_whole_says_nothing(text: str) -> None:
    assert asserted(text, 0, "assistant") == []


def test_what_a_question_says_carries_no_question_mark() -> None:
    text = "Which inn is near the station, since my train arrives late?"
    *_, last = asserted(text, 0, "assistant")
    assert last is not None
    assert text[last.start : last.end] == "since my train arrives late"


def test_counts_are_those_of_the_words() -> None:
    (piece,) = clauses("I sold 3 kayaks to Ivo Brandt yesterday!", 0, "chat")
    count = dict(zip(COUNTS, piece.counts, strict=True))
    assert (count["first_person"], count["past"], count["numbers"], count["names"], count["time"]) == (1, 1, 1, 2, 1)
    assert (count["questions"], count["exclamations"]) == (0, 1)
    assert piece.by_first_person
    assert not piece.by_pointing


@given(st.text(max_size=300), st.sampled_from(KINDS), st.integers(0, 50))
def test_pieces_stand_in_order_in_any_text(text: str, kind: str, start: int) -> None:
    end = start
    for piece in clauses(text, start, kind):
        assert end <= piece.start < piece.end <= start + len(text)
        assert piece.content > 0
        end = piece.end


def test_a_curly_apostrophe_makes_no_sentence_chinese() -> None:
    text = "The kiln’s lid is cracked, the door’s hinge is bent, and the shelf under it has come loose again"
    assert len(list(clauses(text, 0, "assistant", whole=True))) == 1


def test_what_is_kept_of_a_sentence_has_its_head() -> None:
    told = "we also want to run a repair table, saturday mornings, 5 helpers, 3 euros a chair each."
    with Memory.open("sqlite://") as memory:
        memory.observe([{"role": "user", "content": f"the kiln is back. {told} Ada will lead it."}])
        assert told in [fact.content for fact in memory.facts()]
