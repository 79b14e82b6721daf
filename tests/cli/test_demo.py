"""The demo keeps its promises: what it is meant to show is there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cfpm.cli.demo import PLACEHOLDER, SECRET, session_text
from tests.cli.conftest import Run

pytestmark = pytest.mark.slow


@pytest.fixture
def shown(run: Run) -> Any:
    result = run("demo", "--json")
    assert result.code == 0
    return result.document


def test_what_the_user_said_is_believed(shown: Any) -> None:
    active = {fact["category"] for fact in shown["facts"] if fact["status"] == "active"}
    assert {"goal", "instruction", "preference", "decision", "artifact", "invalid_path", "verified_action"} <= active


def test_a_corrected_value_supersedes_the_old_one(shown: Any) -> None:
    ports = {fact["status"]: fact["content"] for fact in shown["facts"] if "for staging" in fact["content"]}
    assert "8080" in ports["superseded"]
    assert "8081" in ports["active"]
    assert "8081" in shown["recall"]["block"]


def test_what_must_not_be_believed_is_rejected_with_its_reason(shown: Any) -> None:
    by_reason = {row["reason"]: row["content"] for row in shown["rejected"]}
    assert "All fixed" in shown["explanation"]["candidate"]["line"]
    assert shown["explanation"]["reason"]["code"] == "contradicted"
    assert "count in cents" in by_reason["hypothetical"]
    assert any(".env" in row["content"] for row in shown["rejected"] if row["reason"] == "instruction_from_tool")
    assert any("npm install" in row["content"] for row in shown["rejected"] if row["reason"] == "boilerplate")


def test_the_secret_is_nowhere(shown: Any) -> None:
    assert shown["secret_found"] is False
    assert SECRET not in json.dumps(shown)
    text = session_text(Path("/home/ida/Desktop"))
    assert SECRET in text
    assert PLACEHOLDER not in text


def test_a_probe_becomes_the_folder_that_the_session_found(shown: Any) -> None:
    assert shown["gate"]["action"] == "rewrite"
    assert "$HOME" not in shown["gate"]["command"]
    assert shown["gate"]["changes"][0]["target"] == "desktop"


def test_the_numbers_agree(shown: Any) -> None:
    report = shown["report"]
    assert report["rejected_by_reason"] == Counter(row["reason"] for row in shown["rejected"])
    assert report["facts"] == sum(fact["status"] == "active" for fact in shown["facts"])


def test_it_reads_as_a_story_and_says_how_to_go_on(run: Run, tmp_path: Path) -> None:
    result = run("demo")
    assert (result.code, result.err) == (0, "")
    assert SECRET not in result.out
    assert result.out.rstrip().splitlines()[-1].startswith("cfpm --help")
    assert not list(tmp_path.rglob("*.db"))


def test_a_named_database_keeps_the_demo(run: Run, tmp_path: Path) -> None:
    assert run("demo", "--db", tmp_path / "kept.db").code == 0
    assert run("facts", "--db", tmp_path / "kept.db", "--json").document
