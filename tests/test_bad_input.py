"""Bad input, through the real command: each names the input, the place and the remedy, and harms no store."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cfpm import Category, InputError, Memory, Settings, StoreError, UsageError
from cfpm.cli import main
from tests.processes import HUNG

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
GOOD = {"role": "user", "content": "Always run the tests with `make test`."}
ALSO_GOOD = {"role": "user", "content": "I prefer short commit messages."}
STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What may not reach a terminal: all control characters but tab and line ends, and marks that turn the direction."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


def cfpm(folder: Path, *arguments: str | Path) -> Ended:
    """The command, run in the folder by this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    streams = contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
    with streams[0], streams[1], streams[2], pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return Ended(ended.value.code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


_MEASURED = """
import sys
from cfpm.cli import main
try:
    main(sys.argv[2:])
finally:
    with open("/proc/self/status") as status, open(sys.argv[1], "w") as out:
        out.write(next(line for line in status if line.startswith("VmHWM")).split()[1])
"""
"""Writes the most memory that the command used, in KiB, where the system tells it."""


def process(folder: Path, *arguments: str | Path, peak: Path | None = None) -> Ended:
    """The command in a process of its own, as a shell would run it."""
    opening = ["-c", _MEASURED, str(peak)] if peak and Path("/proc/self/status").exists() else ["-m", "cfpm"]
    done = subprocess.run(
        [sys.executable, *opening, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        check=False,
        capture_output=True,
        timeout=HUNG,
    )
    ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in ended.err, ended.err
    return ended


def write(path: Path, *lines: object) -> Path:
    """JSON Lines; a text is taken for a line as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A memory that holds something already."""
    path = tmp_path / "memory.db"
    with Memory.open(f"sqlite:///{path}") as memory:
        memory.observe([{"role": "user", "content": "The staging port is 8080."}], session="before")
        assert memory.facts()
    return path


def kept(db: Path) -> list[str]:
    """Whether the store is sound, and what it believes."""
    with Memory.open(f"sqlite:///{db}") as memory:
        assert [check for check in memory.doctor() if not check.ok and check.name != "disk"] == []
        return [fact.content for fact in memory.facts()]


BEFORE = ["The staging port is 8080."]

USELESS: dict[str, bytes] = {
    "empty.jsonl": b"",
    "blank.jsonl": b"\n   \n\n",
    "picture.json": bytes(range(256)) * 40,
    "zeros.jsonl": b"\0" * 4_096,
    "utf16-without-mark.jsonl": (json.dumps(GOOD) * 20).encode("utf-16-le"),
    "other.json": b'{"colour": "blue"}',
    "number.json": b"42",
    "deep.json": b"[" * 200_000,
    "torn.json": b'[{"role": "user", "content": "Always use tabs."}, {"role": "us',
    "prose.txt": b"Dear reader, nothing here was said by anybody.\n",
    "\x1b[31mred.jsonl": b"",
}


@pytest.mark.parametrize("name", USELESS)
def test_a_file_that_is_no_transcript(tmp_path: Path, db: Path, name: str) -> None:
    (tmp_path / name).write_bytes(USELESS[name])
    ended = cfpm(tmp_path, "observe", name, "--db", db, "--json")
    assert (ended.code, ended.out) == (1, "")
    assert name.removeprefix("\x1b") in ended.err
    _names_a_remedy(ended.err)
    assert kept(db) == BEFORE


def test_a_file_that_is_not_there(tmp_path: Path, db: Path) -> None:
    ended = process(tmp_path, "observe", "nowhere.jsonl", "--db", db, "--json")
    assert (ended.code, ended.out) == (1, "")
    assert "nowhere.jsonl: does not exist. Check the path" in ended.err
    assert kept(db) == BEFORE


def test_a_folder_with_transcripts_is_read_and_one_without_is_refused(tmp_path: Path, db: Path) -> None:
    (tmp_path / "full" / "deep").mkdir(parents=True)
    (tmp_path / "bare").mkdir()
    write(tmp_path / "full" / "deep" / "a.jsonl", GOOD)
    (tmp_path / "full" / "notes.txt").write_text("milk, eggs\n", encoding="utf-8")
    ended = cfpm(tmp_path, "observe", "full", "--db", db, "--json")
    assert (ended.code, ended.document["messages"]) == (0, 1)
    assert "notes.txt" in ended.err
    refused = cfpm(tmp_path, "observe", "bare", "--db", db, "--json")
    assert (refused.code, refused.out) == (1, "")
    assert "bare: no transcript found" in refused.err
    _names_a_remedy(refused.err)
    assert len(kept(db)) == 2


def test_utf_16_with_its_mark_is_read_like_any_other(tmp_path: Path, db: Path) -> None:
    (tmp_path / "wide.jsonl").write_bytes(f"{json.dumps(GOOD)}\n{json.dumps(ALSO_GOOD)}\n".encode("utf-16"))
    ended = cfpm(tmp_path, "observe", "wide.jsonl", "--db", db, "--json")
    assert (ended.code, ended.document["messages"]) == (0, 2)


UNUSABLE_LINES: dict[str, object] = {
    "half a line": '{"role": "user", "cont',
    "a role that is a number": {"role": 5, "content": "x"},
    "an unknown role": {"role": "wizard", "content": "x"},
    "no role": {"content": "x", "messages": 3},
    "content that is a number": {"role": "user", "content": 7},
    "content that is not a number": '{"role": "user", "content": NaN}',
    "blocks that are numbers": {"role": "user", "content": [1, 2]},
    "a block of another kind": {"role": "user", "content": {"a": 1}},
    "no content": {"role": "user"},
    "calls that are a text": {"role": "assistant", "content": None, "tool_calls": "ls"},
    "a text": '"hello"',
    "a number": "17",
    "nothing": "null",
    "a list": "[[]]",
    "too deep": "[" * 9_000,
}


def test_lines_that_cannot_be_used_are_named_and_the_rest_is_stored(tmp_path: Path, db: Path) -> None:
    """One file with all of them, each between good lines: reading goes on behind every one."""
    lines: list[object] = [GOOD]
    for number, line in enumerate(UNUSABLE_LINES.values()):
        lines += [line, {"role": "user", "content": f"The order number {number} is special."}]
    write(tmp_path / "mixed.jsonl", *lines)
    ended = cfpm(tmp_path, "observe", "mixed.jsonl", "--db", db, "--json")
    assert ended.code == 1
    assert ended.document["messages"] == 1 + len(UNUSABLE_LINES)
    told = ended.err.strip().splitlines()
    assert len(told) == len(UNUSABLE_LINES)
    for number, kind in enumerate(UNUSABLE_LINES):
        assert [line for line in told if f"mixed.jsonl, line {2 * number + 2}: " in line], kind
    for complaint in told:
        _names_a_remedy(complaint)
    assert kept(db)[-1:] == BEFORE


ODD_LINES: dict[str, object] = {
    "a time that is an object": {"role": "user", "content": "x", "created_at": {}},
    "a time in words": {"role": "user", "content": "x", "created_at": "soon"},
    "a time out of range": '{"role": "user", "content": "x", "created_at": 1e400}',
    "an id that is an object": {"role": "user", "content": "x", "id": {"a": 1}},
    "a result with no call": {"role": "tool", "content": "42 passed", "tool_call_id": "nobody"},
    "a result with no id": {"role": "tool", "content": "42 passed"},
    "an id of a call that is a number": {"role": "tool", "content": "x", "tool_call_id": 5},
    "an endless exit code": {"role": "tool", "content": "x", "tool_call_id": "a", "exit_code": 10**30},
    "an endless exit code in the output": {"role": "tool", "content": json.dumps({"exit_code": 10**30})},
    "half a surrogate": '{"role": "user", "content": "a \\ud800 b"}',
    "calls without a name": {"role": "assistant", "content": "", "tool_calls": [{"id": 1, "function": 5}]},
    "arguments that are no JSON": {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": "ls -l"}}],
    },
    "input that is a text": {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": 5, "name": [], "input": "x"}],
    },
}


@pytest.mark.parametrize("kind", ODD_LINES)
def test_what_is_only_odd_is_stored(tmp_path: Path, kind: str) -> None:
    path = write(tmp_path / "odd.jsonl", GOOD, ODD_LINES[kind], ALSO_GOOD)
    with Memory.open("sqlite://") as memory:
        report = memory.observe_file(path)
        assert (report.messages, report.problems) == (3, ())


@pytest.mark.parametrize("kind", [kind for kind, line in UNUSABLE_LINES.items() if not isinstance(line, str)])
def test_a_host_that_passes_such_a_message_is_told_before_anything_is_stored(kind: str) -> None:
    with Memory.open("sqlite://") as memory:
        with pytest.raises(InputError, match=r"message \d"):
            memory.observe([GOOD, UNUSABLE_LINES[kind], ALSO_GOOD])
        assert memory.store.log.sessions("default") == []


def test_a_line_of_200_mb_is_named_without_being_held(tmp_path: Path, db: Path) -> None:
    path = tmp_path / "dump.jsonl"
    with path.open("wb") as file:
        file.write(json.dumps(GOOD).encode() + b'\n{"role": "user", "content": "')
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n' + json.dumps(ALSO_GOOD).encode() + b"\n")
    peak = tmp_path / "peak"
    ended = process(tmp_path, "observe", path, "--db", db, "--json", peak=peak)
    path.unlink()
    assert ended.code == 1
    assert "dump.jsonl, line 2: " in ended.err
    _names_a_remedy(ended.err)
    if peak.exists():
        # Weights and libraries take some 200 MB; the line would double it.
        assert int(peak.read_text()) * 1024 < 260e6
    assert set(BEFORE) <= set(kept(db))


def test_20_000_messages_in_one_turn() -> None:
    chat = [{"role": "user", "content": "Count."}, *({"role": "assistant", "content": f"{n}"} for n in range(19_999))]
    with Memory.open("sqlite://", settings=Settings(durability="normal")) as memory:
        report = memory.observe(chat)
        assert (report.turns, report.messages) == (1, 20_000)
        assert memory.store.log.last_turn("default", "default").next_position == 20_000  # type: ignore[union-attr]


EVIL = "Always use the \x1b[2J\x1b]0;gone\x07 red\x00 \x9b31m build \u202egnp.exe with /srv/shop/a\x1b[1mb.txt"


def test_control_characters_never_reach_the_terminal(tmp_path: Path) -> None:
    chat = [{"role": role, "content": EVIL} for role in ("user", "assistant", "tool")]
    write(tmp_path / "evil\x1b[2J.jsonl", *chat, '{"role": "\\u001b[2J", "content": "x"}')
    shown = [process(tmp_path, "observe", "evil\x1b[2J.jsonl", "--db", "m.db")]
    with Memory.open(f"sqlite:///{tmp_path / 'm.db'}") as memory:
        kept = memory.remember(EVIL, category=Category.NOTE)
        judged = memory.candidates()
    commands = [
        ["facts"], ["history", kept.id], ["audit"], ["audit", "explain", judged[0].id], ["audit", "explain", "\x1b[2J"],
        ["recall", "red build"], ["audit", "--reason", "\x9b31m"],
    ]  # fmt: skip
    shown += [cfpm(tmp_path, *command, "--db", "m.db") for command in commands]
    shown += [cfpm(tmp_path, *command, "--db", "m.db", "--json") for command in commands[:4]]
    for ended in shown:
        assert STEERING.findall(ended.out + ended.err) == []
    assert "build" in shown[1].out


def test_an_export_is_text_that_no_terminal_and_no_reader_of_lines_stumbles_over(tmp_path: Path) -> None:
    write(tmp_path / "evil.jsonl", {"role": "user", "content": f"{EVIL} with \u2028 and \x85 in it."})
    cfpm(tmp_path, "observe", "evil.jsonl", "--db", "m.db")
    exported = cfpm(tmp_path, "export", "--db", "m.db").out
    assert STEERING.findall(exported) == []
    assert exported.splitlines() == exported.removesuffix("\n").split("\n")


def test_a_newer_schema_is_left_alone(tmp_path: Path, db: Path) -> None:
    with sqlite3.connect(db) as connection:
        connection.execute("PRAGMA user_version=1000")
    connection.close()
    before = db.read_bytes()
    session = write(tmp_path / "session.jsonl", GOOD)
    for command in (["observe", str(session)], ["facts"], ["export"], ["doctor"]):
        ended = cfpm(tmp_path, *command, "--db", db)
        assert ended.code == 1
        assert "memory.db" in ended.out + ended.err
        assert "Upgrade cfpm" in re.sub(r"\s+", " ", ended.out + ended.err)
    assert db.read_bytes() == before


def test_a_database_of_another_program_is_not_touched(tmp_path: Path) -> None:
    foreign = tmp_path / "customers.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE customers (name TEXT)")
    connection.close()
    before = foreign.read_bytes()
    session = write(tmp_path / "session.jsonl", GOOD)
    ended = cfpm(tmp_path, "observe", session, "--db", foreign)
    assert ended.code == 1
    assert "customers.db: this is a database of another program. Choose another path; it was not changed" in ended.err
    assert foreign.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["customers.db", "session.jsonl"]


def test_a_file_that_is_no_database_is_not_touched(tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader, " * 200, encoding="utf-8")
    with pytest.raises(StoreError, match=r"letter\.txt: this file is not an SQLite database"):
        Memory.open(f"sqlite:///{letter}")
    assert letter.read_text(encoding="utf-8") == "Dear reader, " * 200


def test_a_damaged_database_says_so_and_names_the_way_out(tmp_path: Path, db: Path) -> None:
    raw = bytearray(db.read_bytes())
    raw[4096 * 3 : 4096 * 30] = b"\xa5" * (4096 * 27)
    db.write_bytes(bytes(raw))
    session = write(tmp_path / "session.jsonl", GOOD)
    ended = cfpm(tmp_path, "observe", session, "--db", db)
    assert ended.code == 1
    assert "memory.db" in ended.err
    assert "doctor" in ended.err
    assert cfpm(tmp_path, "doctor", "--db", db).code == 1


def test_wrong_usage_ends_with_2(tmp_path: Path) -> None:
    for arguments in (["observe"], ["observe", "x", "--format", "morse"], ["facts", "--db", "mongodb://host/x"]):
        ended = cfpm(tmp_path, *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert ended.err


def _names_a_remedy(told: str) -> None:
    """A sentence that says what to do follows the one that says what is wrong."""
    _, _, remedy = told.strip().splitlines()[-1].rpartition(". ")
    assert re.match(r"[A-Z][a-z]+ ", remedy), told


@pytest.mark.parametrize("namespace", ["", "  ", "shop\ud800", "shop\x00"])
def test_a_namespace_that_is_no_plain_text_is_refused(tmp_path: Path, namespace: str) -> None:
    with pytest.raises(UsageError, match="namespace"):
        Memory.open(f"sqlite:///{tmp_path / 'memory.db'}", namespace=namespace)


def test_an_empty_id_is_no_id(tmp_path: Path) -> None:
    with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
        assert memory.observe([{"id": "", "role": "user", "content": "I prefer tabs over spaces."}]).accepted == 1
