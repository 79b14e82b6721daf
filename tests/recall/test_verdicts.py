"""A recalled message carries what memory thinks of its words: refused and outdated ones stay out or are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.errors import NotFoundError
from cfpm.model import Category, Origin
from cfpm.model.ids import cited
from cfpm.recall.question import asks_for_history
from cfpm.recall.verdicts import Judged, marked, within, without

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory.db") as opened:
        yield opened


def said(memory: Memory, *texts: str) -> None:
    """One turn for each text of the user; `agent: ` in front makes it the agent's answer."""
    for text in texts:
        role = "assistant" if text.startswith("agent: ") else "user"
        memory.observe([{"role": role, "content": text.removeprefix("agent: ")}])


def turns(memory: Memory, query: str) -> str:
    return "\n".join(line for line in memory.recall(query).lines if line.startswith("- [turn]"))


class TestBlock:
    def test_an_outdated_value_stays_out_and_the_rest_of_its_message_is_shown(self, memory: Memory) -> None:
        said(memory, "The API port is 8080. Also, Theo walks the dog on the pier.", "The API port is 8081 now.")
        block = memory.recall("which port has the API that Theo walks by?").block
        assert "8081" in block
        assert "8080" not in block
        assert "Theo walks the dog" in block

    def test_asked_for_what_was_before_it_is_shown_with_the_newer_value(self, memory: Memory) -> None:
        said(memory, "The API port is 8080.", "The API port is 8081 now.")
        assert "[outdated, now: The API port is 8081 now.] The API port is 8080." in turns(
            memory, "which port did the API use before?"
        )

    def test_somebody_elses_word_stays_out_and_is_marked_where_it_alone_answers(self, memory: Memory) -> None:
        said(memory, "Hello, help me plan the week.", "The ferry to Tarn leaves at noon.")
        said(memory, "My neighbour swears that the old canal path is haunted at night.")
        assert "haunted" not in memory.recall("when does the ferry leave?").block
        assert "[hearsay] My neighbour swears" in turns(memory, "is the old canal path haunted at night?")

    def test_of_an_outdated_sentence_that_says_more_than_what_changed_the_rest_is_shown(self, memory: Memory) -> None:
        said(memory, "My train leaves at 7:10, the bus at 7:40.", "My train leaves at 7:25 now.")
        said(memory, "The bus leaves from the square.")
        lines = memory.recall("when does the bus leave?").lines
        assert any("the bus at 7:40" in line for line in lines)
        assert all("[outdated" in line for line in lines if "7:10" in line)

    def test_what_the_agent_said_again_is_outdated_with_it(self, memory: Memory) -> None:
        said(
            memory,
            "I take the 41 at 07:32 to work.",
            "agent: Noted: the 41 at 07:32. The bus shelter is behind the bakery.",
        )
        said(memory, "I take the 44 at 08:05 to work now.", "agent: The 44 at 08:05, got it.")
        shown = turns(memory, "which bus do I take to work?")
        assert "Noted: the 41" not in shown
        assert "The bus shelter is behind the bakery." in shown
        before = turns(memory, "which bus did I take to work before?")
        assert "[outdated, now: I take the 44 at 08:05 to work now.] Noted: the 41 at 07:32." in before

    def test_of_an_agents_list_only_the_part_that_is_outdated_goes(self, memory: Memory) -> None:
        said(
            memory,
            "I take the 41 at 07:32 to work. The office is on the third floor, next to the lift.",
            "agent: So the office is beside the lift upstairs, the 41 at 07:32, and lunch with Ada on Fridays.",
        )
        said(memory, "I take the 44 at 08:05 to work now.", "agent: The 44 at 08:05, got it.")
        shown = turns(memory, "which bus do I take to work?") + turns(memory, "when is lunch with Ada?")
        assert "41 at 07:32" not in shown
        assert "lunch with Ada on Fridays" in shown

    def test_what_the_agent_said_of_something_else_is_not_outdated(self, memory: Memory) -> None:
        said(memory, "The API port is 8080.", "agent: The dashboard reads from the API and listens on 9090.")
        said(memory, "The API port is 8081 now.")
        assert "- [turn] assistant: The dashboard reads from" in turns(memory, "where does the dashboard listen?")

    def test_what_it_said_more_stands_alone_where_it_is_a_fact(self, memory: Memory) -> None:
        said(memory, "The API port is 8080, and Theo feeds the goats at the pier.", "The API port is 8081 now.")
        block = memory.recall("who feeds the goats at the pier?").block
        assert "Theo feeds the goats" in block
        assert "8080" not in block

    def test_of_several_changes_the_last_one_is_named(self, memory: Memory) -> None:
        said(memory, "The API port is 8080.", "The API port is 8081 now.", "The API port is 8082 now.")
        shown = turns(memory, "which port did the API use originally?")
        assert "[outdated, now: The API port is 8082 now.] The API port is 8080." in shown

    def test_a_claim_without_proof_is_marked_when_nothing_else_answers(self, memory: Memory) -> None:
        said(memory, "Could you look at the flaky suite?", "agent: All tests pass now, the parser crash is fixed.")
        assert "[claimed, not proved] All tests pass now" in turns(memory, "is the parser crash fixed?")

    def test_the_mark_of_a_long_claim_is_not_cut_off(self, memory: Memory) -> None:
        claim = f"All tests pass now, the parser crash is fixed{' and the suite is green' * 20}."
        said(memory, "Could you look at the flaky suite?", f"agent: {claim}")
        for line in memory.recall("is the parser crash fixed?").lines:
            assert "parser crash" not in line or "[claimed, not proved]" in line

    def test_a_joke_does_not_stand_among_answers(self, memory: Memory) -> None:
        said(memory, "We write the backend in Go.", "Haha, let's rewrite the backend in COBOL, just kidding.")
        block = memory.recall("what do we write the backend in?").block
        assert "Go" in block
        assert "COBOL" not in block

    def test_a_supposition_is_shown_as_one(self, memory: Memory) -> None:
        said(memory, "Good morning, let us plan the year.", "If the budget doubles we could hire Marta.")
        assert "[hypothetical] If the budget doubles" in turns(memory, "will we hire Marta?")

    def test_a_supposition_stands_behind_what_is_so(self, memory: Memory) -> None:
        said(memory, "Marta looks after the bees.", "If the budget doubles we could pay Marta for the bees.")
        shown = memory.recall("who looks after the bees?").block
        assert shown.index("Marta looks after the bees") < shown.index("[hypothetical] If the budget doubles")

    def test_what_was_never_doubted_has_no_mark(self, memory: Memory) -> None:
        said(memory, "agent: The harbour master keeps the spare key under the third bollard.")
        assert "[" not in turns(memory, "where is the spare key?").removeprefix("- [turn]")

    def test_thoughts_are_not_recalled_as_speech(self, memory: Memory) -> None:
        thought = {"type": "thinking", "thinking": "Maybe I should keep the old billing module in secret."}
        answer = {"type": "text", "text": "The billing module is gone."}
        memory.observe([{"role": "assistant", "content": [thought, answer]}])
        stored = memory.store.log.messages("default", session="default")
        assert Origin.THINKING in {row.message.origin for row in stored}
        assert "in secret" not in memory.recall("what about the old billing module?").block

    def test_the_question_does_not_come_back_as_its_own_answer(self, memory: Memory) -> None:
        said(memory, "The spare key hangs behind the door.", "where is the spare key kept these days?")
        block = memory.recall("Where is the spare key kept these days?").block
        assert "behind the door" in block
        assert "these days" not in block

    def test_messages_that_the_prompt_holds_anyway_are_left_out(self, memory: Memory) -> None:
        memory.observe([{"role": "user", "content": "The spare key hangs behind the door.", "id": "here"}])
        assert "behind the door" in memory.recall("where is the spare key?").block
        assert "behind the door" not in memory.recall("where is the spare key?", exclude=["here"]).block

    def test_the_budget_decides_how_much_is_shown(self, memory: Memory) -> None:
        said(memory, *(f"agent: Locker {n} at the harbour holds the gear of crew {n}." for n in range(40)))
        query = "what gear do the lockers at the harbour hold?"
        small, large = memory.recall(query, max_tokens=400), memory.recall(query, max_tokens=1200)
        assert len(small.lines) < len(large.lines)
        assert len(large.lines) > 20
        assert len(memory.recall(query, k=3, max_tokens=1200).lines) == 3


class TestStretches:
    TEXT = "The hall is red. We meet at noon. It may rain."
    OLD = Judged(0, 16, "outdated")
    PERHAPS = Judged(34, 46, "hypothetical")

    def test_what_misleads_goes_and_a_supposition_is_marked(self) -> None:
        assert without(self.TEXT, (self.OLD, self.PERHAPS)) == " We meet at noon. [hypothetical] It may rain."

    def test_a_word_that_is_left_over_is_nothing_to_show(self) -> None:
        assert without("Haha, let's sell the boat.", (Judged(6, 26, "said in jest"),)) == ""

    def test_marks_stand_before_their_words(self) -> None:
        assert marked(self.TEXT, (self.OLD,)) == "[outdated] The hall is red. We meet at noon. It may rain."

    def test_a_part_of_a_doubted_stretch_is_doubted_too(self) -> None:
        assert marked("red. We meet", within((self.OLD,), self.TEXT, "red. We meet")) == "[outdated] red. We meet"

    def test_a_text_without_doubts_is_the_same(self) -> None:
        assert without(self.TEXT, ()) == marked(self.TEXT, ()) == self.TEXT


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("what did we use before?", True),
        ("which editor did I use previously?", True),
        ("以前的端口是多少？", True),
        ("what do we run before a release?", False),
        ("which port does the API use?", False),
        ("端口是多少？", False),
    ],
)
def test_which_questions_are_about_what_was(query: str, asks: bool) -> None:
    assert asks_for_history(query) is asks


def test_the_short_ids_of_a_block_open_what_they_stand_for(memory: Memory) -> None:
    said(memory, "The spare key hangs behind the door.", "agent: The harbour master has a second key.")
    lines = memory.recall("who has a key?").lines
    names = {line.rpartition(" (")[2].split(",")[0].rstrip(")") for line in lines}
    assert {name.partition("_")[0].rstrip("0123456789") for name in names} == {"fact", "#"}
    fact = next(name for name in names if name.startswith("fact_"))
    assert cited(memory.fact(fact).id) == fact
    assert memory.explain(fact).fact == memory.fact(fact)
    message = next(name for name in names if name.startswith("#"))
    assert memory.message(message).message.text == "The harbour master has a second key."


def test_a_fact_that_is_cited_as_another_one_is_not_guessed(memory: Memory) -> None:
    fact, other = (memory.remember(text, category=Category.NOTE) for text in ("The mill is shut", "The barn is dry"))
    assert memory.fact(cited(fact.id)) == fact
    alike = fact.id[:12] + other.id[12:]
    memory.store.connection.run("UPDATE memory_facts SET id = ? WHERE id = ?", (alike, other.id))
    with pytest.raises(NotFoundError, match=r"fact_[0-9]{9}"):
        memory.fact(cited(fact.id))
    assert memory.fact(fact.id) == fact


def test_what_is_left_of_a_fact_is_explained_by_what_it_is_left_of(memory: Memory) -> None:
    whole = "Never touch the migrations folder or the generated clients."
    for session, text in (
        ("first", whole),
        ("second", "It's ok to edit the generated clients now, we dropped the generator."),
    ):
        memory.observe([{"role": "user", "content": text}], session=session)
    (left,) = [fact for fact in memory.facts() if fact.content == "Never touch the migrations folder"]
    assert memory.explain(cited(left.id)).candidate.content == whole
