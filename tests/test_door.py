"""What a caller passes is checked at the door: each bad value is named with a remedy, and nothing of it is stored."""

from __future__ import annotations

import io
import math
import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from cfpm import Memory
from cfpm.errors import CFPMError, InputError, NotFoundError, UsageError
from cfpm.model import Category, Message, Origin, Role, Status, ToolCall, ToolResult
from cfpm.transcript.reading import read
from cfpm.transcript.records import NotATranscript, Problem
from tests.cli.conftest import Run, run  # noqa: F401 (a fixture)

HUGE = 10**6_000
DEEP: list[object] = []
for _ in range(5_000):
    DEEP = [DEEP]

GOOD = {"role": "user", "content": "I prefer green tea."}


def call(**fields: object) -> dict[str, object]:
    function = {"name": "Bash", "arguments": "{}", **{k: v for k, v in fields.items() if k != "id"}}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": fields.get("id", "c"), "function": function}]}


REFUSED: dict[str, Any] = {
    "a time at the end of the calendar": {**GOOD, "created_at": "9999-12-31T23:59:59.9999999Z"},
    "a time in the year 0": {**GOOD, "created_at": "0000-01-01T00:00:00Z"},
    "a time before every message": {**GOOD, "created_at": "0001-01-01T00:00:00+14:00"},
    "an offset of 99 hours": {**GOOD, "created_at": "2026-01-01T00:00:00+99:99"},
    "10^400 seconds": {**GOOD, "created_at": 10**400},
    "6,000 digits of seconds": {**GOOD, "created_at": HUGE},
    "NaN seconds": {**GOOD, "created_at": math.nan},
    "infinite seconds": {**GOOD, "created_at": math.inf},
    "a naive time at the end": {**GOOD, "created_at": datetime.max},  # noqa: DTZ901
    "a time as a list": {**GOOD, "created_at": [2026]},
    "an id of 6,000 digits": {**GOOD, "id": HUGE},
    "an id of bytes": {**GOOD, "id": b"1"},
    "a role of 6,000 digits": {"role": HUGE, "content": "x"},
    "a role as a deep list": {"role": DEEP, "content": "x"},
    "content of 6,000 digits": {"role": "user", "content": HUGE},
    "content of bytes": {"role": "user", "content": b"I prefer tea."},
    "a deep content": {"role": "user", "content": DEEP},
    "arguments of 6,000 digits": call(arguments={"n": HUGE}),
    "arguments that are not finite": call(arguments={"n": math.inf}),
    "deep arguments": call(arguments={"n": DEEP}),
    "arguments of bytes": call(arguments={"n": b"x"}),
    "a message that is a number": 5,
    "a Message with a number as text": Message(Role.USER, 5),  # type: ignore[arg-type]
    "a Message with an unknown role": Message("king", "x"),  # type: ignore[arg-type]
    "a Message with an unknown origin": Message(Role.USER, "x", origin="heard"),  # type: ignore[arg-type]
    "a Message at the end of the calendar": Message(Role.USER, "x", created_at=datetime.max.replace(tzinfo=UTC)),
    "a Message with a text as time": Message(Role.USER, "x", created_at=b"now"),  # type: ignore[arg-type]
    "a Message with calls that are none": Message(Role.USER, "x", tool_calls=("ls",)),  # type: ignore[arg-type]
    "a Message with a text as result": Message(Role.TOOL, "x", tool_result="ok"),  # type: ignore[arg-type]
    "a call with a number as name": Message(
        Role.ASSISTANT, "", tool_calls=(ToolCall("c", 5, {}),)  # type: ignore[arg-type]
    ),
    "a call with huge arguments": Message(Role.ASSISTANT, "", tool_calls=(ToolCall("c", "Bash", {"n": HUGE}),)),
    "an exit code beyond 64 bits": Message(Role.TOOL, "x", tool_result=ToolResult("c", None, 2**70)),
    "a verdict that is no bool": Message(Role.TOOL, "x", tool_result=ToolResult("c", "no")),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_a_field_that_cannot_be_used_is_named_and_nothing_is_stored(kind: str) -> None:
    with Memory.open("sqlite://") as memory:
        with pytest.raises(InputError, match="message 1") as told:
            memory.observe([GOOD, REFUSED[kind], GOOD])
        assert len(str(told.value)) < 400
        assert told.value.remedy
        assert memory.store.log.sessions("default") == []
        assert memory.recall("tea").items == ()


ACCEPTED: dict[str, tuple[dict[str, Any], str]] = {
    "seven digits of a second": ({**GOOD, "created_at": "2026-05-01T12:00:00.9999999Z"}, "2026-05-01 12:00:00.999999"),
    "an offset": ({**GOOD, "created_at": "2026-05-01T12:00:00+14:00"}, "2026-04-30 22:00:00"),
    "a naive time": ({**GOOD, "created_at": datetime(2026, 5, 1)}, "2026-05-01 00:00:00"),  # noqa: DTZ001
    "the first year": ({**GOOD, "created_at": "1900-01-01T00:00:00Z"}, "1900-01-01 00:00:00"),
    "the last moment": ({**GOOD, "created_at": "2199-12-31T23:59:59Z"}, "2199-12-31 23:59:59"),
    "milliseconds": ({**GOOD, "created_at": 1_777_636_800_000}, "2026-05-01 12:00:00"),
}


@pytest.mark.parametrize("kind", ACCEPTED)
def test_a_time_that_a_message_can_have_is_kept(kind: str) -> None:
    message, wanted = ACCEPTED[kind]
    with Memory.open("sqlite://") as memory:
        memory.observe([message], session="s")
        (logged,) = memory.store.log.messages("default", session="s")
        assert str(logged.message.created_at) == f"{wanted}+00:00"
        assert "tea" in memory.recall("what do I drink since yesterday?").block


ARGUMENTS: dict[str, Callable[[Memory, Any], object]] = {
    "session": lambda memory, value: memory.observe([GOOD], session=value),
    "messages": lambda memory, value: memory.observe(value),
    "query": lambda memory, value: memory.recall(value),
    "k": lambda memory, value: memory.recall("tea", k=value) if value is not None else missing(),
    "exclude": lambda memory, value: memory.recall("tea", exclude=value),
    "max_tokens": lambda memory, value: memory.recall("tea", max_tokens=value),
    "namespaces": lambda memory, value: memory.recall("tea", namespaces=value),
    "dialect": lambda memory, value: memory.gate(value, "ls"),
    "command": lambda memory, value: memory.gate("bash", value),
    "said": lambda memory, value: memory.gate("bash", "ls", said=value) if value is not None else missing(),
    "call_id": lambda memory, value: memory.gate("bash", "ls", call_id=value),
    "compacted": lambda memory, value: memory.compact(value),
    "compacted session": lambda memory, value: memory.compact([GOOD], session=value),
    "remembered": lambda memory, value: memory.remember(value, category=Category.NOTE),
    "category": lambda memory, value: memory.remember("The door is blue.", category=value),
    "fact": lambda memory, value: memory.fact(value),
    "forgotten": lambda memory, value: memory.forget(value),
    "accepted": lambda memory, value: memory.accept(value),
    "explained": lambda memory, value: memory.explain(value),
    "rolled back": lambda memory, value: memory.rollback(value),
    "limit": lambda memory, value: memory.facts(limit=value) if value is not None else missing(),
    "imported": lambda memory, value: memory.import_lines(value, "export"),
    "imported line": lambda memory, value: memory.import_lines([value], "export"),
    "opened": lambda _, value: Memory.open(value),
    "namespace": lambda _, value: Memory.open("sqlite://", namespace=value),
    "agent": lambda _, value: Memory.open("sqlite://", agent=value),
}

WRONG: dict[str, object] = {
    "None": None, "bytes": b"x", "NaN": math.nan, "6,000 digits": HUGE, "a list of numbers": [1], "deep": DEEP,
    "an object": object(),
}  # fmt: skip


def missing() -> None:
    raise UsageError("", "None is allowed here", "")


@pytest.fixture(scope="module")
def unharmed() -> Iterator[Memory]:
    """One memory that has to bear all wrong arguments, one after the other."""
    with Memory.open("sqlite://") as memory:
        memory.observe([GOOD])
        yield memory


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_an_argument_of_the_wrong_type_is_told_and_harms_nothing(argument: str, wrong: str, unharmed: Memory) -> None:
    with pytest.raises(CFPMError) as told:
        ARGUMENTS[argument](unharmed, WRONG[wrong])
    assert len(str(told.value)) < 400
    assert len(unharmed.facts()) == 1
    assert "tea" in unharmed.recall("tea").block


def test_the_arguments_of_the_report_are_told_by_name() -> None:
    with pytest.raises(UsageError, match=r"argument session: 5 is no text\. Pass a str"), Memory.open("sqlite://") as m:
        m.observe([GOOD], session=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="argument namespace: None is no text"):
        Memory.open("sqlite://", namespace=None)  # type: ignore[arg-type]
    with (
        pytest.raises(UsageError, match=r"argument to: a whole number of .* bits is too large"),
        Memory.open(":memory:") as m,
    ):
        m.rollback(HUGE)
    with pytest.raises(UsageError, match=r"argument to: .* is too far away"), Memory.open(":memory:") as m:
        m.rollback(datetime.min.replace(tzinfo=timezone(timedelta(hours=14))))


def test_an_id_of_megabytes_is_kept_short_and_still_tells_messages_apart() -> None:
    ids = ["x" * 1_000_000 + end for end in "ab"]
    with Memory.open("sqlite://") as memory:
        for ident in ids:
            memory.observe([{**GOOD, "id": ident}], session="s")
        kept = [row.message.id for row in memory.store.log.messages("default", session="s")]
        assert len(set(kept)) == 2
        assert max(map(len, kept)) <= 512
        with pytest.raises(UsageError, match="too long"):
            memory.fact(ids[0])
        with pytest.raises(NotFoundError):
            memory.fact("x" * 512)


def test_a_surrogate_and_a_nul_in_an_agents_name_are_replaced() -> None:
    with Memory.open("sqlite://", agent="cook\ud800\0") as memory:
        assert memory.scope.agent == "cook\ufffd\ufffd"


def test_a_line_of_a_transcript_is_refused_with_its_number_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    good = '{"role": "user", "content": "I prefer green tea."}'
    bad = ['{"role": "user", "content": %s}' % ("9" * 6_000), '{"role": "user", "content": %s}' % ("[" * 100_000)]
    path.write_text("\n".join([good, *bad, good]), encoding="utf-8")
    found = list(read(path, session="s"))
    assert [problem.place for problem in found if isinstance(problem, Problem)] == ["line 2", "line 3"]
    assert len(found) == 4


def test_a_time_that_no_message_has_costs_a_transcripts_message_its_time_only(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text('{"role": "user", "content": "I prefer tea.", "created_at": "9999-12-31T23:59:59.9999999Z"}\n')
    with Memory.open("sqlite://") as memory:
        assert memory.observe_file(path, session="s").messages == 1
        (logged,) = memory.store.log.messages("default", session="s")
        assert logged.message.created_at is None
        assert "tea" in memory.recall("tea").block


def test_an_import_of_a_time_at_the_end_of_the_calendar_is_refused() -> None:
    with Memory.open("sqlite://", clock=lambda: datetime(2026, 5, 1, tzinfo=UTC)) as memory:
        memory.observe([GOOD])
        out = io.StringIO()
        memory.export(out)
    spoiled = out.getvalue().replace("2026-05-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z")
    with Memory.open("sqlite://") as memory:
        with pytest.raises(InputError, match="cannot be '9999"):
            memory.import_lines(spoiled.splitlines(), "export.jsonl")
        assert memory.facts() == []


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs and no devices in folders")
def test_what_is_no_regular_file_in_a_folder_is_skipped_and_told(run: Run, tmp_path: Path) -> None:  # noqa: F811
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "good.jsonl").write_text('{"role": "user", "content": "I prefer tea."}\n' * 2)
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "zero.jsonl").symlink_to("/dev/zero")
    # The path of a socket has to be short.
    with tempfile.TemporaryDirectory() as short, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{short}/s")
        (folder / "socket.jsonl").symlink_to(f"{short}/s")
        ended = run("observe", folder, "--db", tmp_path / "m.db", "--json")
    assert ended.code == 0
    assert ended.document["messages"] >= 1
    for name in ("pipe.jsonl", "zero.jsonl", "socket.jsonl"):
        assert name in ended.err


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFOs")
def test_a_fifo_is_no_transcript(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(NotATranscript, match="is no regular file"):
        list(read(tmp_path / "pipe.jsonl"))


def test_with_a_clock_a_message_from_the_future_lets_nothing_go_stale() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    with Memory.open("sqlite://", clock=lambda: now) as memory:
        memory.observe([{**GOOD, "created_at": now}, {"role": "user", "content": "Remember that the port is 8080."}])
        before = len(memory.facts(status=Status.ACTIVE))
        memory.observe([{"role": "user", "content": "My cat is called Tom.", "created_at": "2199-01-01T00:00:00Z"}])
        assert len(memory.facts(status=Status.ACTIVE)) > before
        assert memory.facts(status=Status.STALE) == []


def test_the_origin_of_a_message_value_is_kept() -> None:
    with Memory.open("sqlite://") as memory:
        memory.observe([Message(Role.USER, "I prefer tea.", origin=Origin.HOST_NOTICE)], session="s")
        (logged,) = memory.store.log.messages("default", session="s")
        assert logged.message.origin is Origin.HOST_NOTICE
