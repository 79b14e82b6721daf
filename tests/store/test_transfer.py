"""Export is canonical, import is checked line by line, and both together lose nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from cfpm.errors import InputError
from cfpm.model import UNRATED, Action, Category, Status, ToolCall, ToolResult
from cfpm.store.doctor import diagnose
from cfpm.store.store import Store
from cfpm.store.transfer import import_lines
from tests.store.making import (
    NAMESPACE,
    alter,
    answered,
    asked,
    at,
    candidate,
    exported,
    fact,
    forget,
    imported,
    learn,
    said,
    search_facts,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cfpm.model import Fact


def learnt(store: Store, content: str, **fields: Any) -> Fact:
    one = fact(content, **fields)
    learn(store, one)
    return one


@pytest.fixture
def other() -> Iterator[Store]:
    with Store.open("sqlite://") as opened:
        yield opened


def fill(store: Store, namespace: str = NAMESPACE) -> None:
    """One of everything, with texts that are awkward to write."""
    call = ToolCall("c1", "bash", {"command": 'echo "a\nb"', "env": {"B": 1, "A": None}, "深": [1.5, True]})
    store.log.append(
        [
            said("nul \0 tab \t 😀 \u202eright to left", "m1", namespace=namespace),
            asked("m2", call, position=1, namespace=namespace),
            answered("out\r\n", "m3", ToolResult("c1", False, 0), position=2, namespace=namespace, created_at=None),
        ]
    )
    note = fact("the port is 8080", namespace=namespace, topic="the port", value="8080", stale_at=at(99))
    learn(store, note, fact("数据库 'quoted' \"twice\"", namespace=namespace, pinned=True), minutes=1)
    forget(store, alter(store, note, Action.REINFORCE, 2, evidence_count=2, confidence=0.79), minutes=3)
    shares = (("numbers", 0.25), ("greeting", -0.125))
    maybe = candidate(
        "maybe", namespace=namespace, marks=("hypothetical",), speaker="Ann", salience=0.625, shares=shares
    )
    store.candidates.add([maybe, candidate("b", namespace=namespace)])
    store.log.add_lines(namespace, {"bb": "system_prompt", "aa": "memory_block"})
    store.activity.add_recall_event(namespace, "s", "which port?", "hash", [note.id], at(4))
    store.activity.add_gate_event(namespace, {"action": "pass", "command": "ls", "changes": [{"path": "/a"}]}, at(5))


def test_importing_an_export_gives_the_same_bytes(store: Store, other: Store) -> None:
    fill(store)
    fill(store, "user:x")
    text = exported(store)
    report = imported(other, text)
    assert exported(other) == text
    assert (report.messages, report.facts, report.candidates, report.events) == (6, 4, 4, 8)
    assert (report.seen_lines, report.recall_events, report.gate_events) == (4, 2, 2)
    assert report.lines == text.count("\n")


def test_imported_store_works_like_the_original(store: Store, other: Store) -> None:
    fill(store)
    imported(other, exported(store))
    for one in (store, other):
        assert [found.message.id for found, _ in one.search.messages([NAMESPACE], "right", 5)] == ["m1"]
        assert [f.content for f in one.facts.similar(NAMESPACE, Category.NOTE, ["数据库"])] == [
            "数据库 'quoted' \"twice\""
        ]
        assert one.log.calls(NAMESPACE, "s", ["c1"])["c1"].arguments["env"] == {"B": 1, "A": None}
        assert one.facts.active(NAMESPACE) == 1
        assert [check for check in diagnose(one) if not check.ok] == []
    assert other.facts.find(NAMESPACE) == store.facts.find(NAMESPACE)
    assert other.events.as_of(NAMESPACE, 2) == store.events.as_of(NAMESPACE, 2)
    assert other.candidates.find(NAMESPACE) == store.candidates.find(NAMESPACE)


def of_version_1(text: str) -> str:
    """The export as the first version of cfpm wrote it: nobody had a name, nothing was rated."""
    lines = [json.loads(line) for line in text.splitlines()]
    lines[0]["version"] = 1
    for line in lines:
        for name in ("speaker", "salience", "shares", "contradicts"):
            line.pop(name, None)
    return "".join(json.dumps(line) + "\n" for line in lines[:-1])


def test_export_of_version_1_is_read_with_nobody_named_and_nothing_rated(store: Store, other: Store) -> None:
    fill(store)
    imported(other, of_version_1(exported(store)), trailer=False)
    assert other.facts.find(NAMESPACE) == store.facts.find(NAMESPACE)
    assert other.events.find(NAMESPACE) == store.events.find(NAMESPACE)
    assert other.events.as_of(NAMESPACE, 2) == store.events.as_of(NAMESPACE, 2)
    plain = [replace(row, speaker="", salience=UNRATED, shares=()) for row in store.candidates.find(NAMESPACE)]
    assert other.candidates.find(NAMESPACE) == plain


def test_speaker_salience_and_shares_come_back(store: Store, other: Store) -> None:
    rated = alter(store, learnt(store, "I love pizza", speaker="Ann", salience=0.25), Action.REINFORCE, salience=0.75)
    row = candidate("maybe", speaker="Ann", salience=0.75, shares=(("numbers", 0.5), ("greeting", -0.25)))
    store.candidates.add([row])
    imported(other, exported(store))
    for one in (store, other):
        assert one.facts.find(NAMESPACE) == [rated]
        assert one.candidates.find(NAMESPACE) == [row]
        assert one.events.find(NAMESPACE)[-1].before == {"salience": 0.25}
        assert one.events.as_of(NAMESPACE, 1) == [replace(rated, salience=0.25)]


def test_salience_is_kept_to_four_decimals(store: Store) -> None:
    learnt(store, "I love pizza", salience=0.1 + 0.2)
    store.candidates.add([candidate("maybe", salience=1 / 3, shares=(("numbers", 2 / 3),))])
    assert store.facts.find(NAMESPACE)[0].salience == 0.3
    assert (store.candidates.find(NAMESPACE)[0].salience, store.candidates.find(NAMESPACE)[0].shares) == (
        0.3333,
        (("numbers", 0.6667),),
    )


def test_fact_is_found_by_the_name_of_its_speaker(store: Store, other: Store) -> None:
    ann = learnt(store, "I love pizza", speaker="Ann")
    imported(other, exported(store))
    for one in (store, other):
        assert [ident for ident, _ in search_facts(one, [NAMESPACE], "What does Ann like?", 5)] == [ann.id]


def test_importing_twice_changes_nothing(store: Store, other: Store) -> None:
    fill(store)
    text = exported(store)
    imported(other, text)
    again = imported(other, text)
    assert (again.messages, again.facts, again.candidates, again.events) == (0, 0, 0, 0)
    assert (again.seen_lines, again.recall_events, again.gate_events) == (0, 0, 0)
    assert exported(other) == text
    assert exported(store) == text


def test_export_does_not_depend_on_what_other_namespaces_did_meanwhile(store: Store, other: Store) -> None:
    fill(store, "b")
    fill(store, "a")
    learn(other, fact("c", namespace="a"))
    other.connection.run("DELETE FROM memory_facts")
    fill(other, "a")
    fill(other, "b")
    lines = [line for line in exported(store).splitlines()[:-1] if '"number"' not in line]
    assert lines == [line for line in exported(other).splitlines()[:-1] if '"number"' not in line]


STEERING = "\x7f\x85\u2028\u2029\u202a\u202e\u200e\u200f\u2066\u2069"


def test_lines_are_canonical_json_after_a_header(store: Store) -> None:
    fill(store)
    lines = exported(store).splitlines()
    assert json.loads(lines[0]) == {"type": "header", "format": "cfpm-export", "version": 3}
    for line in lines:
        value = json.loads(line)
        assert list(value) == sorted(value)
        assert line == "".join(
            sign if sign not in STEERING else f"\\u{ord(sign):04x}"
            for sign in json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        )
    kinds = [json.loads(line)["type"] for line in lines[1:]]
    assert list(dict.fromkeys(kinds)) == ["message", "fact", "candidate", "event", "line", "recall", "gate", "trailer"]
    before = "".join(line + "\n" for line in lines[:-1]).encode()
    assert json.loads(lines[-1]) == {
        "type": "trailer",
        "lines": len(lines) - 1,
        "sha256": hashlib.sha256(before).hexdigest(),
    }


def test_empty_store_exports_a_header_and_a_trailer(store: Store, other: Store) -> None:
    assert exported(store).count("\n") == 2
    assert imported(other, exported(store)).lines == 2


def test_what_is_here_stays_with_its_own_history(store: Store, other: Store) -> None:
    fill(store)
    mine = fact("the port is 8080", confidence=0.3)
    learn(other, mine, fact("only here"))
    report = imported(other, exported(store))
    assert report.facts == 1
    assert other.facts.get(NAMESPACE, mine.id) == mine
    assert [event.seq for event in other.events.find(NAMESPACE)] == [1, 2, 3], "history goes on counting"
    assert other.events.as_of(NAMESPACE, 2) == [mine, fact("only here")]
    before = exported(other)
    assert imported(other, exported(store)).events == 0
    assert exported(other) == before


def test_import_does_not_undo_what_the_user_did_since(store: Store, other: Store) -> None:
    note = fact("the port is 8080")
    learn(store, note)
    text = exported(store)
    imported(other, text)
    forget(other, note)
    imported(other, text)
    assert [f.status for f in other.facts.find(NAMESPACE)] == [Status.FORGOTTEN]


def edited(text: str, kind: str, edit: Callable[[dict[str, Any]], object]) -> str:
    """The export with the first line of a kind edited."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        value = json.loads(line)
        if value["type"] == kind:
            edit(value)
            lines[number] = json.dumps(value)
            return "\n".join(lines)
    raise AssertionError(kind)


@pytest.mark.parametrize(
    ("kind", "edit", "problem"),
    [
        ("message", lambda v: v.pop("text"), "lacks text"),
        ("message", lambda v: v.update(colour="red"), "no field colour"),
        ("message", lambda v: v.update(role="robot"), "role of a message cannot be 'robot'"),
        ("message", lambda v: v.update(turn="1"), "turn of a message"),
        ("message", lambda v: v.update(turn=2**63), "turn of a message"),
        ("message", lambda v: v.update(turn=True), "turn of a message"),
        ("message", lambda v: v.update(text=None), "text of a message"),
        ("message", lambda v: v.update(tool_calls=[{"id": "c"}]), "tool_calls of a message"),
        ("message", lambda v: v.update(created_at="yesterday"), "created_at of a message"),
        ("message", lambda v: v.update(created_at="2026-03-01T09:00:00Z"), "created_at of a message"),
        ("fact", lambda v: v.update(status="alive"), "status of a fact"),
        ("fact", lambda v: v.update(confidence=float("nan")), "confidence of a fact"),
        ("fact", lambda v: v.update(pinned=1), "pinned of a fact"),
        ("fact", lambda v: v.update(type="belief"), "no lines of type 'belief'"),
        ("message", lambda v: v.update(position=-1), "position of a message cannot be -1"),
        ("fact", lambda v: v.update(key="another"), "is not the id of a fact"),
        ("fact", lambda v: v.update(id="fact_0"), "is not the id of a fact"),
        ("fact", lambda v: v.update(span_start=5, span_end=2), "no span from 5 to 2"),
        ("fact", lambda v: v.update(message_id="m1", span_end=9_999), "its span ends at 9999"),
        ("fact", lambda v: v.update(confidence=1.5), "confidence cannot be 1.5"),
        ("fact", lambda v: v.update(evidence_count=0), "evidence_count cannot be below 1"),
        ("fact", lambda v: v.update(updated_at="1999-01-01T00:00:00.000000Z"), "updated_at is before its created_at"),
        ("candidate", lambda v: v.update(content="other words"), "is not the id of a candidate"),
        ("candidate", lambda v: v.update(span_end=4), "is not the id of a candidate"),
        ("candidate", lambda v: v.update(reason="because"), "no reason code 'because'"),
        ("candidate", lambda v: v.update(decision="accepted"), "names no fact"),
        ("event", lambda v: v.update(action="revive"), "the first event of"),
        ("recall", lambda v: v.update(query="another"), "is not the id of such a recall"),
        ("candidate", lambda v: v.update(marks="quoted"), "marks of a candidate"),
        ("event", lambda v: v.update(after={"colour": "red"}), "after of a event"),
        ("event", lambda v: v.update(fact_id="fact_0"), "not in the file"),
        ("event", lambda v: v.update(number=3), "event 2 does not come after event 3"),
        ("recall", lambda v: v.update(fact_ids=[1]), "fact_ids of a recall"),
        ("gate", lambda v: v.update(changes=[1]), "changes of a gate"),
    ],
)
def test_wrong_line_is_named_and_nothing_is_imported(
    store: Store, other: Store, kind: str, edit: Callable[[dict[str, Any]], object], problem: str
) -> None:
    fill(store)
    with pytest.raises(InputError, match=problem) as caught:
        imported(other, edited(exported(store), kind, edit))
    assert caught.value.source == "backup.jsonl"
    assert caught.value.place.startswith("line ")
    assert "Nothing was imported" in str(caught.value)
    assert exported(other).count("\n") == 2
    imported(other, exported(store))


def test_a_fact_that_its_events_do_not_lead_to_is_named(store: Store, other: Store) -> None:
    fill(store)
    altered = edited(exported(store), "fact", lambda line: line.update(content="the port is 9090"))
    with pytest.raises(InputError, match="content of fact_"):
        imported(other, "\n".join(altered.splitlines()[:-1]), trailer=False)


def test_an_event_that_says_the_fact_was_something_else_before_is_named(store: Store, other: Store) -> None:
    fill(store)
    lines = exported(store).splitlines()[:-1]
    for number, line in enumerate(lines):
        value = json.loads(line)
        if value["type"] == "event" and value["before"]:
            value["before"]["confidence"] = 0.5
            lines[number] = json.dumps(value)
            break
    with pytest.raises(InputError, match="was something else before this event"):
        imported(other, "\n".join(lines), trailer=False)


def test_a_file_that_was_cut_anywhere_is_refused(store: Store, other: Store) -> None:
    fill(store)
    text = exported(store)
    lines = text.splitlines(keepends=True)
    cuts = [text[:-1], text[: len(text) // 2], *("".join(lines[:count]) for count in range(len(lines)))]
    for cut in cuts:
        with pytest.raises(InputError, match=r"line \d+"):
            imported(other, cut)
    assert exported(other).count("\n") == 2


def test_lines_that_were_altered_moved_doubled_or_left_out_are_refused(store: Store, other: Store) -> None:
    fill(store)
    lines = exported(store).splitlines(keepends=True)
    altered = [
        [*lines[:1], lines[2], lines[1], *lines[3:]],
        [*lines[:2], lines[1], *lines[2:]],
        [*lines[:5], *lines[6:]],
        [*lines, lines[-1]],
        [*lines, lines[1]],
        [line.replace('"m1"', '"m9"') for line in lines],
        [line.replace("\n", "\r\n") for line in lines],
        [*lines[:-1], lines[-1].replace('"sha256":"', '"sha256":"0')],
    ]
    for changed in altered:
        with pytest.raises(InputError, match=r"line \d+"):
            imported(other, "".join(changed))
    assert exported(other).count("\n") == 2


def test_a_file_without_trailer_is_taken_only_if_that_is_said(store: Store, other: Store) -> None:
    fill(store)
    text = "".join(exported(store).splitlines(keepends=True)[:-1])
    with pytest.raises(InputError, match="--no-trailer"):
        imported(other, text)
    imported(other, text, trailer=False)
    assert exported(other) == exported(store)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("\n", "not JSON"),
        ("[]\n", "does not begin with the header"),
        ('{"role": "user", "content": "hi"}\n', "does not begin with the header"),
        ('{"type":"header","format":"other","version":1}\n', "does not begin with the header"),
        ('{"type":"header","format":"cfpm-export","version":4}\n', "version 4, this cfpm reads version 3"),
        ('{"type":"header","format":"cfpm-export","version":1}\n{"type":"fact"', "line 2: it is not JSON"),
        ('{"type":"header","format":"cfpm-export","version":1}\n[1]', "line 2: it is no JSON object"),
        ('{"type":"header","format":"cfpm-export","version":1}\n{"type":["fact"]}', "no lines of type"),
        ('{"type":"header","format":"cfpm-export","version":1}\n' + "[" * 100_000, "line 2: it is not JSON"),
    ],
)
def test_file_that_is_no_export_is_refused(other: Store, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        imported(other, text)


def test_file_that_is_not_utf8_is_refused(store: Store, other: Store, tmp_path: Any) -> None:
    fill(store)
    path = tmp_path / "backup.jsonl"
    path.write_bytes(exported(store).encode() + b"\xff\xfe\n")
    with path.open(encoding="utf-8") as lines, pytest.raises(InputError, match="not UTF-8"):
        import_lines(other, lines, "backup.jsonl", block_keys=words)


def test_blank_lines_are_passed_over(store: Store, other: Store) -> None:
    fill(store)
    text = exported(store)
    with pytest.raises(InputError, match="lines were exported"):
        imported(other, text.replace("\n", "\n\n"))
    imported(other, "\n\n".join(text.splitlines()[:-1]), trailer=False)
    assert exported(other) == text


def test_text_with_line_separators_stays_on_one_line(store: Store, other: Store, tmp_path: Any) -> None:
    store.log.append([said("a\u2028b\u0085c\x0cd\re", "m1")])
    path = tmp_path / "backup.jsonl"
    path.write_text(exported(store), encoding="utf-8")
    with path.open(encoding="utf-8") as lines:
        import_lines(other, lines, "backup.jsonl", block_keys=words)
    assert exported(other) == exported(store)
