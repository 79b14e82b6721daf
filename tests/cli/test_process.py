"""The command as a process of its own: streams, signals, encodings. Few, because each start costs a second."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import SESSION, as_lines

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def start(*argv: str | Path, **env: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    command = [sys.executable, "-m", "cfpm", *map(str, argv)]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)


def test_standard_output_holds_one_document_and_nothing_else(session: Path, tmp_path: Path) -> None:
    process = start("observe", session, "nowhere.jsonl", "--db", tmp_path / "m.db", "--json")
    out, err = process.communicate()
    assert process.returncode == 1
    assert json.loads(out)["messages"] == len(SESSION)
    assert b"nowhere.jsonl" in err


@pytest.fixture
def interruptible() -> Iterator[None]:
    """What is started can be interrupted, although a shell starts what runs in the background deaf to SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_it_without_a_traceback(tmp_path: Path) -> None:
    process = start("observe", "-", "--db", tmp_path / "m.db")
    assert process.stdin is not None
    # More than a pipe holds: once this is written, the process has begun to read.
    process.stdin.write(as_lines(SESSION).encode() * 1000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_a_reader_who_goes_away_is_no_error_message(db: Path) -> None:
    process = start("export", "--db", db)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() in {0, 1}
    assert process.stderr.read() == b""


def test_a_terminal_that_knows_ascii_only(tmp_path: Path) -> None:
    db = tmp_path / "m.db"
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    process = start("remember", "端口是 8080", "--category", "note", "--db", db, "--json", LC_ALL="C.UTF-8")
    out, err = process.communicate()
    assert process.returncode == 0, err
    content = json.loads(out)["content"]
    plain, _ = start("facts", "--db", db, "--json", **ascii_only).communicate()
    assert [fact["content"] for fact in json.loads(plain)] == [content]
    table, err = start("facts", "--db", db, **ascii_only).communicate()
    assert b"8080" in table
    assert err == b""
