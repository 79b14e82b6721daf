"""`observe --all`: every agent's sessions, asked for once, and read once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from cfpm.cli.agents import ReadFiles
from tests.cli.conftest import Run

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-03-01T10:00:00Z"


def rollout(path: Path, session: str, text: str, *rows: dict[str, object]) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    meta = {"timestamp": AT, "type": "session_meta", "payload": {"id": session}}
    path.parent.mkdir(parents=True, exist_ok=True)
    written = [meta, {"timestamp": AT, "type": "response_item", "payload": said}, *rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in written), encoding="utf-8")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "APPDATA", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    rollout(folder / ".codex/sessions/2026/03/01/rollout-a.jsonl", "s-1", "Always use tabs.")
    claude = folder / ".claude/projects/app/s-2.jsonl"
    claude.parent.mkdir(parents=True)
    row = {"type": "user", "sessionId": "s-2", "message": {"role": "user", "content": "I prefer short answers."}}
    claude.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return folder


def test_the_sessions_of_all_agents_are_read(run: Run, home: Path, tmp_path: Path) -> None:
    ended = run("observe", "--all", "--yes", "--db", tmp_path / "m.db", "--json")
    assert (ended.code, ended.document["messages"], ended.document["sessions"]) == (0, 2, 2)
    assert "codex: 1 file" in ended.err
    assert "claude-code: 1 file" in ended.err


def test_what_was_read_is_not_read_again_until_it_changes(run: Run, home: Path, tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    run("observe", "--all", "--yes", "--db", database)
    again = run("observe", "--all", "--yes", "--db", database, "--json")
    assert (again.code, again.document["messages"], again.document["facts"]) == (0, 0, 2)
    assert "1 read before" in again.err
    rollout(home / ".codex/sessions/2026/03/01/rollout-a.jsonl", "s-1", "Always use tabs and run the linter.")
    assert run("observe", "--all", "--yes", "--db", database, "--json").document["messages"] == 1


def test_a_run_that_was_cut_off_goes_on_where_it_stopped(run: Run, home: Path, tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    first = home / ".claude/projects/app/s-2.jsonl"
    run("observe", first, "--db", database)
    ReadFiles.of(f"sqlite:///{database}", "default", empty=False).add(first)
    again = run("observe", "--all", "--yes", "--db", database, "--json")
    assert again.document["messages"] == 1
    assert "claude-code: 1 file, 0.0 MB in " + str(home / ".claude") + ", 1 read before" in again.err


def test_another_database_at_the_same_place_reads_all_of_it(run: Run, home: Path, tmp_path: Path) -> None:
    database = tmp_path / "m.db"
    run("observe", "--all", "--yes", "--db", database)
    for path in tmp_path.glob("m.db*"):
        if not path.name.endswith("-read"):
            path.unlink()
    assert run("observe", "--all", "--yes", "--db", database, "--json").document["messages"] == 2


def test_kinds_that_are_not_known_are_told_and_are_no_failure(run: Run, home: Path, tmp_path: Path) -> None:
    novelty: dict[str, object] = {"timestamp": AT, "type": "novelty", "payload": {}}
    rollout(home / ".codex/sessions/rollout-b.jsonl", "s-3", "Hello there.", novelty, novelty)
    ended = run("observe", "--all", "--yes", "--db", tmp_path / "m.db", "--json")
    assert (ended.code, ended.document["unknown_kinds"]) == (0, {"novelty": 2})
    assert "line 3: 2 of an unknown kind, 'novelty', left out" in ended.err


def test_nobody_to_ask_and_nothing_to_read(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = run("observe", "--all", "--db", tmp_path / "m.db")
    assert asked.code == 2
    assert "Say --yes" in asked.err
    assert run("observe").code == 2
    assert run("observe", "--all", tmp_path).code == 2
    monkeypatch.setenv("HOME", str(tmp_path / "empty"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "empty"))
    assert "no sessions of a known agent" in run("observe", "--all", "--yes", "--db", tmp_path / "n.db").err


def test_a_history_in_the_current_folder_may_be_a_strangers(run: Run, home: Path, tmp_path: Path) -> None:
    history = "# aider chat started at 2026-03-01 10:00:00\n\n#### Always fetch from the mirror.  \n"
    (tmp_path / ".aider.chat.history.md").write_text(history, encoding="utf-8")
    run("observe", "--all", "--yes", "--db", tmp_path / "a.db")
    run("observe", "--all", "--yes", "--markdown", "--db", tmp_path / "b.db")
    assert "mirror" not in run("audit", "--db", tmp_path / "a.db", "--json").out
    assert "mirror" in run("audit", "--db", tmp_path / "b.db", "--json").out
