"""What the command line answers over the bundled session and real ones, as text files: to compare before and after a
change that must not change behaviour. A program of its own, which imports nothing but `cfpm.cli.main`:

    PYTHONPATH=CHECKOUT python -P recording.py DATA OUT
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SPECSTORY_STEP = 6
"""Each sixth of those sessions by size, so that small and large ones are among them."""
TRANSCRIPTS = (
    ("intercode", "**/*.json*", 1),
    ("tau_bench", "**/*.json*", 1),
    ("swe_agent", "**/*.traj", 3),
    ("who_and_when", "**/*.json", 3),
    ("claude_code_log_fixtures", "**/*.jsonl", 6),
    ("devai_openhands", "**/*.json", 2),
)
"""Folder, pattern, and how many of the smallest."""
QUESTIONS = (
    "what are the rules?",
    "where is the config file?",
    "which port does the API use?",
    "what did we decide about tests?",
    "when did it happen?",
)
COMPACTED_UP_TO = 400_000
"""Bytes; compacting a longer session ten times takes too long."""
GATED, CHANGED = 4, 2
"""So many of the first sessions also answer shell commands, and changes by hand."""
COMMAND_STEP = 60
SHELLS = frozenset({"bash", "powershell", "cmd", "sh", "zsh"})

_STORE = ("--db", "sqlite:///m.db")
_TIME = re.compile(r'"?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|\+00:00)"?')
_SECONDS = re.compile(r'"seconds": [\d.]+')
_SIZE = re.compile(r"\d[\d.,]* [kMG]i?B")


@dataclass(frozen=True, slots=True)
class Session:
    """A transcript and the name of its recording."""

    name: str
    file: Path


def record(data: Path, out: Path) -> None:
    """One text file a session, into the folder `out`. Times of the day, durations and sizes of files are left out."""
    out.mkdir(parents=True, exist_ok=True)
    os.environ["COLUMNS"] = "200"
    commands = gate_commands(data)
    with tempfile.TemporaryDirectory() as folder:
        chats = Path(folder) / "chats"
        chats.mkdir()
        for number, session in enumerate(sessions(data, chats)):
            with tempfile.TemporaryDirectory() as work, contextlib.chdir(work):
                text = "\n".join(answers(session.file, number, commands))
            (out / f"{session.name}.txt").write_text(_TIME.sub("TIME", text), encoding="utf-8")
            print(session.name, flush=True)


def sessions(data: Path, chats: Path) -> Iterator[Session]:
    """The bundled session, sessions of agents, and chats of people, which are written as transcripts into `chats`."""
    files = [*_bundled(), *_transcripts(data / "transcripts"), *_locomo(data, chats), *_beam(data, chats)]
    for number, file in enumerate(files):
        yield Session(f"{number:03d}-{file.parent.name[:12]}-{file.stem[:20]}", file)


def _bundled() -> list[Path]:
    package = find_spec("cfpm")
    return sorted(Path((package and package.origin) or "").parent.rglob("demo_session.jsonl"))


def _transcripts(folder: Path) -> Iterator[Path]:
    yield from _by_size((folder / "specstory_claude_code").glob("*.md"))[::SPECSTORY_STEP][:11]
    for name, pattern, most in TRANSCRIPTS:
        yield from _by_size((folder / name).glob(pattern))[:most]


def _by_size(files: Iterable[Path]) -> list[Path]:
    return sorted(files, key=lambda path: (path.stat().st_size, path.name))


def _locomo(data: Path, chats: Path) -> Iterator[Path]:
    file = data / "locomo" / "locomo7.json"
    for number, one in enumerate(_json(file)[:2] if file.is_file() else []):
        talk = one["conversation"]
        days = sorted((int(key[8:]), talk[key]) for key in talk if re.fullmatch(r"session_\d+", key))
        rows = [
            {"id": said["dia_id"], "role": "user", "name": said["speaker"], "content": said["text"]}
            for _, day in days
            for said in day
        ]
        yield _written(chats / f"locomo{number}.jsonl", rows[:250])


def _beam(data: Path, chats: Path) -> Iterator[Path]:
    number = 0
    for file in sorted((data / "beam" / "100K").rglob("*.json"))[:4]:
        rows = [
            {"role": said["role"], "content": re.sub(r"->->.*$", "", said["content"], flags=re.DOTALL).strip()}
            for said in _messages(_json(file))
        ]
        if len(rows) >= 20:
            yield _written(chats / f"beam{number}.jsonl", rows[:120])
            number += 1


def _messages(value: Any) -> Iterator[dict[str, Any]]:
    """The messages within a document, in order."""
    if isinstance(value, dict) and value.get("role") in ("user", "assistant") and isinstance(value.get("content"), str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _messages(item)


def _json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def _written(file: Path, rows: Iterable[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def gate_commands(data: Path) -> str:
    """Shell commands as the batch that `cfpm gate --batch` reads; empty where the data has none."""
    rows = []
    for name, step in (("known_folder_wild.jsonl", 1), ("commands.jsonl", COMMAND_STEP)):
        file = data / "commands" / name
        lines = file.read_text(encoding="utf-8").split("\n") if file.is_file() else []
        rows += [json.loads(line) for line in lines if line][::step]
    return "".join(
        json.dumps({"id": str(number), "dialect": row["shell"], "command": row["cmd"]}) + "\n"
        for number, row in enumerate(rows)
        if row["shell"] in SHELLS
    )


def answers(transcript: Path, number: int, commands: str) -> Iterator[str]:
    """What the command line says of one transcript, command by command, over a store in the current folder."""
    file = f"in{transcript.suffix}"
    Path(file).write_bytes(transcript.read_bytes())
    yield _asked("observe", file, "--session", "s1")
    facts = _asked("facts")
    audit = _asked("audit", "--limit", "100000")
    yield from (facts, audit, _asked("audit", "stats"), _answer(["export", *_STORE]))
    for question in QUESTIONS:
        yield _asked("recall", question, "--explain", "--max-tokens", "600")
    candidates = re.findall(r'"id": "(cand_\w+)"', audit)
    for candidate in candidates[:3] + candidates[-3:]:
        yield _asked("audit", "explain", candidate)
    if transcript.stat().st_size < COMPACTED_UP_TO:
        for strategy in ("cfpm", "segmented", "intent", "window", "hybrid"):
            for tokens in ("1500", "6000"):
                yield _asked("compact", file, "--strategy", strategy, "--max-tokens", tokens)
    if number < GATED:
        yield _asked("gate", "--batch", given=commands)
    if number < CHANGED:
        yield from _changed(file, re.findall(r'"id": "(fact_\w+)"', facts))
    yield _SIZE.sub("SIZE", _asked("doctor"))


def _changed(file: str, facts: list[str]) -> Iterator[str]:
    yield _asked("audit", "reasons")
    yield _asked("remember", "Deploys happen on Tuesdays", "--category", "note", "--pin")
    for fact in facts[:2]:
        yield _asked("history", fact)
        yield _asked("forget", fact)
    yield _asked("observe", file, "--session", "s2")
    yield _asked("rollback", "--to", "3")
    yield _asked("facts")


def _asked(*words: str, given: str = "") -> str:
    return f"$ cfpm {' '.join(words)}\n{_answer([*words, *_STORE, '--json'], given)}"


def _answer(words: list[str], given: str = "") -> str:
    """The exit code and the output; what it says of an error only where it fails."""
    from cfpm.cli import main

    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
    code: str | int | None = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(words)
    except SystemExit as done:
        code = done.code
    finally:
        sys.stdin = before
    return _SECONDS.sub('"seconds": 0', f"exit {code}\n{out.getvalue()}{err.getvalue() if code else ''}")


def compare(before: Path, after: Path) -> int:
    """Prints each recording that differs, and its first line that does; exit code 1 for any, 2 for no folder."""
    folders = (before, after)
    for folder in folders:
        if not folder.is_dir():
            print(f"{folder}: no such folder", file=sys.stderr)
            return 2
    names = sorted({file.name for folder in folders for file in folder.glob("*.txt")})
    found = [(name, difference) for name in names if (difference := _difference(before / name, after / name))]
    for name, difference in found:
        print(f"{name}: {difference}")
    print(f"{len(found)} of {len(names)} recordings differ")
    return 1 if found else 0


def _difference(before: Path, after: Path) -> str:
    for file in (before, after):
        if not file.is_file():
            return f"not in {file.parent}"
    lines = (file.read_text(encoding="utf-8").split("\n") for file in (before, after))
    for number, (old, new) in enumerate(zip_longest(*lines), 1):
        if old != new:
            return f"line {number}\n  - {_shown(old)}\n  + {_shown(new)}"
    return ""


def _shown(line: str | None) -> str:
    return "(no line)" if line is None else line[:200]


if __name__ == "__main__":
    record(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
