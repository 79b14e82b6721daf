"""What the tuned encoder makes of single sentences, and what it and the linear heads say together."""

import io
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from cfpm.embedding import stored
from cfpm.embedding.encoder import Encoder
from cfpm.text.heads import sentence
from cfpm.text.heads.relation import stored as weights_of
from cfpm.text.heads.sentence import KINDS, LASTING, MEANT, SHARED, Read, ended, judge, read, read_by


def test_a_rule_without_a_cue_is_one() -> None:
    (told,) = judge(["Each migration gets a script that undoes it."])
    assert max(told.kind, key=told.kind.__getitem__) == "instruction"
    assert told.lasting["later"] > 500


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("My neighbour swears that vinegar cures the flu.", "hearsay"),
        ("Sure, and next week we move the office to the moon.", "jest"),
        ("It's probably the fan, but I'm not sure.", "guess"),
    ],
)
def test_what_is_not_meant_is_told_how(text: str, how: str) -> None:
    (told,) = judge([text])
    assert told.meant["meant"] < 400
    assert max(told.meant, key=told.meant.__getitem__) == how


@pytest.mark.parametrize("text", ["The boiler room key hangs behind the bar.", "I have a twin.", "The port is 8081."])
def test_a_plain_statement_is_meant(text: str) -> None:
    (told,) = judge([text])
    assert told.meant["meant"] > 700


def test_each_question_has_all_its_answers_and_shares_make_a_whole() -> None:
    (told,) = read(["Deploys happen on Tuesdays."])
    for shares, answers in zip(told, (KINDS, LASTING, MEANT), strict=True):
        assert tuple(shares) == answers
        assert sum(shares.values()) == pytest.approx(1_000, abs=5)


def test_a_sentence_is_read_alike_alone_and_among_others() -> None:
    texts = ["Deploys happen on Tuesdays.", "I have a twin.", "Text which a player sees goes through tr() first."]
    assert [read([text])[0] for text in texts] == read(texts)


def test_of_many_sentences_the_encoder_reads_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence, "MOST_READ", 1)
    first, second = judge(["The key hangs behind the bar.", "The key hangs behind the bar."])
    assert first.meant
    assert not second.meant


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("The café opens at nine", "The café opens at nine."),
        ("端口是 8081", "端口是 8081。"),
        ("Since when?", "Since when?"),
    ],
)
def test_a_sentence_without_an_end_gets_that_of_its_language(text: str, read_as: str) -> None:
    assert ended(text) == read_as


def test_nothing_is_read_of_nothing() -> None:
    assert judge([]) == []
    assert read([]) == []


def test_weights_that_were_changed_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    right = stored._opened
    monkeypatch.setattr(
        stored,
        "_opened",
        lambda package, name: io.BytesIO(right(package, name).read() + (b"x" if name == "sentence.npz" else b"")),
    )
    with pytest.raises(Exception, match=r"sentence\.npz is not the released file"):
        weights_of("sentence")


def test_threads_that_ask_for_the_first_time_at_once_all_get_an_answer() -> None:
    """Layers are made when they are first asked for, and give up the bytes that they were made of."""
    together = Barrier(4)

    def first(reader: Encoder) -> list[Read]:
        together.wait()
        return read_by(reader, ["The port is 8080."])

    for _ in range(3):
        fresh = Encoder(weights_of("relation")).topped(SHARED, weights_of("sentence"))
        with ThreadPoolExecutor(4) as pool:
            told = list(pool.map(first, [fresh] * 4))
        assert told == told[:1] * 4
