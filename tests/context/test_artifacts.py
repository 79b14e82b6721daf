"""Long results as files, and stubs that a model can work with."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from cfpm.context.artifacts import OFFLOAD_OVER, Artifacts, offload_results
from cfpm.context.trims import cap_results, is_placeholder
from cfpm.context.trims.placeholders import note
from cfpm.transcript.outcomes import outcome
from tests.context.trims.chats import FORMS, Chat, lines, ran, results

if TYPE_CHECKING:
    from pathlib import Path

LONG = lines(4_000)
KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A"


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    return Artifacts(tmp_path / "artifacts", how_to_read="call read_artifact with this id")


def files(artifacts: Artifacts) -> list[str]:
    return sorted(path.name for path in artifacts.directory.iterdir()) if artifacts.directory.exists() else []


def test_a_long_result_becomes_a_file_and_a_stub(artifacts: Artifacts) -> None:
    done = artifacts.offload(LONG, tool="Bash", hint="Bash(make)")
    assert done.problem == ""
    assert files(artifacts) == [f"{done.id}.json"]
    stored = json.loads((artifacts.directory / f"{done.id}.json").read_text(encoding="utf-8"))
    assert stored == {"id": done.id, "tool": "Bash", "hint": "Bash(make)", "chars": len(LONG), "content": LONG}


def test_the_stub_says_what_was_there_and_how_to_read_it(artifacts: Artifacts) -> None:
    done = artifacts.offload(LONG, tool="Bash", hint="Bash(make)")
    assert done.text.splitlines()[:7] == [
        note(f"result of {len(LONG):,} characters was stored as an artifact"),
        f"Artifact: {done.id}",
        "Tool: Bash | Bash(make)",
        "To read it: call read_artifact with this id",
        "First lines:",
        "0: line 0",
        "1: line 7",
    ]
    assert "Last lines, after 3,984 more:" in done.text
    assert done.text.endswith("3999: line 27993")
    assert len(done.text) < 1_000
    assert is_placeholder(done.text)


def test_the_limit_itself_is_not_too_long(artifacts: Artifacts) -> None:
    text = "x" * OFFLOAD_OVER
    assert artifacts.offload(text).text is text
    assert artifacts.offload(text + "x").id
    assert len(files(artifacts)) == 1


def test_lines_without_an_end_make_no_long_stub(artifacts: Artifacts) -> None:
    assert len(artifacts.offload("x" * 900_000).text) < 600


def test_an_artifact_is_read_whole_or_in_part(artifacts: Artifacts) -> None:
    artifact = artifacts.resolve(artifacts.offload(LONG, tool="Bash").id)
    assert artifact is not None
    assert (artifact.content, artifact.tool, artifact.chars) == (LONG, "Bash", len(LONG))
    assert artifact.lines(2, 3) == "1: line 7\n2: line 14"
    assert artifact.lines(0, 1) == "0: line 0"
    assert artifact.lines(5_000, 6_000) == ""


def test_the_id_comes_from_the_content(artifacts: Artifacts, tmp_path: Path) -> None:
    first, again = artifacts.offload(LONG, tool="Bash"), artifacts.offload(LONG, tool="Read")
    assert first.id == again.id == Artifacts(tmp_path / "other").offload(LONG).id
    assert artifacts.offload(LONG + "!").id != first.id
    assert len(files(artifacts)) == 2


def test_secrets_do_not_reach_the_disk_or_the_stub(artifacts: Artifacts) -> None:
    done = artifacts.offload(f"token={KEY}\n{LONG}", tool="Bash", hint=f"Bash(curl -H 'Authorization: Bearer {KEY}')")
    stored = (artifacts.directory / f"{done.id}.json").read_text(encoding="utf-8")
    assert KEY not in stored
    assert KEY not in done.text
    assert "[redacted:" in stored
    artifact = artifacts.resolve(done.id)
    assert artifact is not None
    assert artifact.content.endswith(LONG)


@pytest.mark.parametrize(
    "hostile",
    [
        "../secret",
        "..%2fsecret",
        "/etc/passwd",
        "a/../../secret",
        "",
        "0" * 31,
        "0" * 33,
        "A" * 32,
        "0" * 32 + "\n",
        "\0",
    ],
)
def test_an_id_names_no_file_outside(artifacts: Artifacts, hostile: str) -> None:
    artifacts.offload(LONG)
    secret = {"id": "x", "tool": "", "hint": "", "chars": 1, "content": "secret"}
    (artifacts.directory.parent / "secret.json").write_text(json.dumps(secret), encoding="utf-8")
    assert artifacts.resolve(hostile) is None


def test_an_id_that_is_no_text_or_unknown_resolves_to_nothing(artifacts: Artifacts) -> None:
    number: Any = 4
    assert artifacts.resolve(number) is None
    assert artifacts.resolve("0" * 32) is None


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"tool": "", "hint": "", "chars": 1, "content": "forged"}', "null"])
def test_a_damaged_or_forged_file_is_not_shown_and_is_written_again(artifacts: Artifacts, damage: str) -> None:
    done = artifacts.offload(LONG)
    (artifacts.directory / f"{done.id}.json").write_text(damage, encoding="utf-8")
    assert artifacts.resolve(done.id) is None
    assert artifacts.offload(LONG).id == done.id
    assert artifacts.resolve(done.id) is not None


def test_a_failed_write_leaves_the_content(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory", encoding="utf-8")
    done = Artifacts(tmp_path / "file").offload(LONG)
    assert done.text is LONG
    assert done.id == ""
    assert str(tmp_path / "file") in done.problem


def test_a_write_that_breaks_off_leaves_no_file(artifacts: Artifacts, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = artifacts.offload(LONG)
    assert done.text is LONG
    assert "No space left on device" in done.problem
    assert files(artifacts) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_an_artifact_is_for_its_user_alone(artifacts: Artifacts) -> None:
    done = artifacts.offload(LONG)
    assert stat.S_IMODE((artifacts.directory / f"{done.id}.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(artifacts.directory.stat().st_mode) == 0o700


def test_a_text_that_cannot_be_written_as_utf_8_comes_back(artifacts: Artifacts) -> None:
    text = f"\ud800{LONG}"
    artifact = artifacts.resolve(artifacts.offload(text).id)
    assert artifact is not None
    assert artifact.content == text


@pytest.mark.parametrize("form", FORMS)
def test_results_of_a_history_are_offloaded(artifacts: Artifacts, form: str) -> None:
    chat = Chat(form).user("Go.").did(ran("make", f"Exit code 2\n{LONG}"), ran("ls", "a.py"))
    trim = offload_results(chat.messages, artifacts)
    first, second = results(trim.messages)
    assert "Tool: Bash | Bash(make)" in first
    assert outcome(first) == (True, 2)
    assert second == "a.py"
    assert trim.rewritten == 1
    assert offload_results(trim.messages, artifacts).messages is trim.messages
    assert cap_results(trim.messages, 100).messages is trim.messages


@pytest.mark.parametrize("form", FORMS)
def test_a_history_stays_when_nothing_can_be_written(tmp_path: Path, form: str) -> None:
    (tmp_path / "file").write_text("no directory", encoding="utf-8")
    chat = Chat(form).user("Go.").did(ran("make", LONG), ran("make", LONG))
    trim = offload_results(chat.messages, Artifacts(tmp_path / "file"))
    assert trim.messages is chat.messages
    assert trim.problem.count(str(tmp_path / "file")) == 1
