"""The sets are read as their authors meant them, and recall is counted by evidence messages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.ranking.__main__ import with_direction
from benchmarks.ranking.examples import Example
from benchmarks.ranking.softmax import fit, kept_apart, recalled
from benchmarks.retrieval.__main__ import main
from benchmarks.retrieval.evidence import measure
from benchmarks.retrieval.methods import ABLATIONS, BASELINES
from benchmarks.retrieval.methods import recalled as through_the_front_door
from benchmarks.retrieval.sets import SETS, together

if TYPE_CHECKING:
    from pathlib import Path


def asked(text: str, evidence: list[str], category: int) -> dict[str, object]:
    return {"question": text, "answer": "", "evidence": evidence, "category": category}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    chat = {
        "sample_id": "chat-1",
        "conversation": {
            "session_1_date_time": "6:35 pm on 14 January, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I planted tulips by the fence."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Look at this!", "blip_caption": "a red boat"},
            ],
            "session_2_date_time": "9:00 am on 2 March, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "The bakery closed for good."}],
        },
        "qa": [
            asked("What did Ann plant?", ["D1:1"], 4),
            asked("What boat does Bob have?", ["D1:2; D9:9"], 1),
            asked("Nobody knows?", ["D"], 3),
        ],
    }
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo1.json").write_text(json.dumps([chat]), encoding="utf-8")
    folder = tmp_path / "beam" / "100K" / "3"
    (folder / "probing_questions").mkdir(parents=True)
    rows = [
        {"role": "user", "id": 0, "content": "The sprint ends on Friday. ->-> 1,1", "time_anchor": "March-15-2024"},
        {"role": "assistant", "id": 1, "content": "Good to know."},
    ]
    (folder / "chat.json").write_text(json.dumps([{"batch_number": 1, "turns": [rows]}]), encoding="utf-8")
    probes = {
        "knowledge_update": [{"question": "When does the sprint end?", "source_chat_ids": {"a": [0], "b": [0]}}],
        "abstention": [{"question": "Who won?", "source_chat_ids": None}],
    }
    path = folder / "probing_questions" / "probing_questions.json"
    path.write_text(json.dumps(probes), encoding="utf-8")
    return tmp_path


def test_captions_are_text_and_ids_that_do_not_exist_are_no_evidence(data: Path) -> None:
    (chat,) = SETS["locomo"](data)
    assert [message.text for message in chat.messages][1] == "Look at this! [image: a red boat]"
    assert [(q.kind, sorted(q.evidence)) for q in chat.questions] == [("single-hop", ["D1:1"]), ("multi-hop", ["D1:2"])]


def test_the_place_in_the_plan_does_not_leak(data: Path) -> None:
    (chat,) = SETS["beam-100k"](data)
    assert [message.text for message in chat.messages] == ["The sprint ends on Friday.", "Good to know."]
    assert [(q.kind, sorted(q.evidence)) for q in chat.questions] == [("knowledge update", ["0"])]


def test_every_way_is_measured(data: Path) -> None:
    methods = {"recall": through_the_front_door, **BASELINES, **ABLATIONS}
    found = measure(SETS["locomo"](data), methods)
    assert found["recall"].kinds()["all"] == (1.0, 1.0, 1.0)
    assert found["BM25"].kinds()["single-hop"] == (1.0, 1.0, 1.0)
    assert all(scores.count("all") == 2 for scores in found.values())


def test_the_definition_stands_beside_the_numbers(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["--data", str(data), "--only-recall", "--json", str(out)]) == 0
    assert "share of a question's evidence messages" in capsys.readouterr().out
    assert set(json.loads(out.read_text(encoding="utf-8"))["sets"]) == {"locomo", "beam-100k"}


def test_dialogues_in_one_memory_keep_their_evidence(data: Path) -> None:
    (chat,), (other,) = SETS["locomo"](data), SETS["beam-100k"](data)
    both = together([chat, other, replace(chat, name="again")])
    assert len({message.id for message in both.messages}) == 2 * len(chat.messages) + len(other.messages)
    assert [sorted(question.evidence) for question in both.questions] == [
        ["chat-1 D1:1"], ["chat-1 D1:2"], ["3 0"], ["again D1:1"], ["again D1:2"],
    ]  # fmt: skip
    found = measure([together([chat, other])], {"recall": through_the_front_door})
    assert found["recall"].kinds()["all"] == (1.0, 1.0, 1.0)


def test_sets_can_be_measured_as_one_memory(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--only-recall", "--together"]) == 0
    assert "locomo: 1 dialogues, in one memory, 3 messages" in capsys.readouterr().out


def test_a_folder_without_sets_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 2
    assert "none of the sets is here" in capsys.readouterr().err


def example(group: str, useful: int) -> Example:
    """Three messages; the signal of the first column tells which one has evidence."""
    signals = np.full((3, 2), 0.5, dtype=np.float32)
    signals[useful, 0] = 1.0
    return Example(group, "kind", ("told", "noise"), signals, np.array([useful]), 1)


def test_weights_follow_what_tells_the_evidence() -> None:
    examples = [example(f"g{n}", n % 3) for n in range(9)]
    told, noise = fit(examples)
    assert told > 1
    assert abs(noise) < 0.1
    assert recalled(examples[1], np.array([told, noise])) == (1.0, 1.0, 1.0)
    assert [len(rows) for rows in kept_apart(examples).values()] == [9]


def test_a_question_with_more_evidence_counts_more_if_it_has_the_say() -> None:
    few = [example(f"g{n}", 0) for n in range(3)]
    # Five messages, of which the four with evidence lack the signal.
    signals = np.array([[1.0, 0.5], *[[0.0, 0.5]] * 4], dtype=np.float32)
    many = Example("many", "kind", ("told", "noise"), signals, np.array([1, 2, 3, 4]), 4)
    each_question, each_message = (fit([*few, many], say)[0] for say in (0.0, 1.0))
    assert each_question > each_message


def test_a_question_of_a_kind_that_is_worth_less_counts_less() -> None:
    examples = [example(f"g{n}", 0) for n in range(3)]
    # Three messages, of which one without the signal has evidence.
    signals = np.array([[1.0, 0.5], [1.0, 0.5], [0.0, 0.5]], dtype=np.float32)
    odd = Example("odd", "trick", ("told", "noise"), signals, np.array([2]), 1)
    alike, less = (fit([*examples, odd], worth=worth)[0] for worth in (None, {"trick": 0.25}))
    assert less > alike


def test_what_is_learnt_of_columns_becomes_one_weight_and_a_direction() -> None:
    weights, direction = with_direction({"words": 1.5, "telling 0": 3.0, "telling 1": -4.0})
    assert weights == {"words": 1.5, "telling": 5.0}
    assert direction == [0.6, -0.8]
