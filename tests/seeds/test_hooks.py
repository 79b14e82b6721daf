"""The design documents' rows on being plugged into an agent host, each as a case of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters.hosts.learners import settle

from cfpm import Memory
from tests.processes import HUNG

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_row_4_24_an_agent_host_is_told_at_start_prompt_and_compaction_and_learnt_from(tmp_path: Path) -> None:
    db = tmp_path / "memory.db"

    def hook(name: str, session: str, **fields: Any) -> str:
        event = {"hook_event_name": name, "session_id": session, "cwd": str(tmp_path), **fields}
        path = os.pathsep.join((str(ROOT), str(ROOT / "adapters")))
        done = subprocess.run(
            [sys.executable, "-m", "cfpm", "hook", "claude-code", name, "--db", str(db)],
            input=json.dumps(event).encode(),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": path, "CFPM_HOOK_DEADLINE": "300", "CFPM_GATE_DEADLINE": "300"},
            timeout=HUNG,
            check=True,
        )
        settle(f"sqlite:///{db}", HUNG)
        return done.stdout.decode()

    hook("UserPromptSubmit", "s1", prompt="Always run make lint before you commit.", prompt_id="p1")
    hook("Stop", "s1", last_assistant_message="The linter is ruff.", prompt_id="p1")
    assert "make lint" in hook("SessionStart", "s2", source="startup")
    hook("UserPromptSubmit", "s3", prompt="The production server is called falcon.", prompt_id="p3")
    told = hook("UserPromptSubmit", "s2", prompt="What is the production server called?", prompt_id="p2")
    assert "falcon" in told
    assert "make lint" not in told
    assert hook("PreCompact", "s2", trigger="auto") == ""
    assert "make lint" in hook("SessionStart", "s2", source="compact")
    with Memory.open(db, read_only=True) as memory:
        said = [row.message.text for row in memory.store.log.messages("default", session="s1")]
    assert said == ["Always run make lint before you commit.", "The linter is ruff."]
