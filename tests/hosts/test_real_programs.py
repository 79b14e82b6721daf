"""Claude Code, Codex, Gemini CLI and opencode themselves, with the memory that `cfpm install` gave them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cfpm.model.markers import BLOCK_OPEN
from tests.hosts.programs import ALL, Host, Machine
from tests.hosts.scripted import scripted_model

pytestmark = pytest.mark.slow

TAUGHT = "We use port 8080 for staging. Always run make lint before you commit. RUN: xdg-user-dir DESKTOP"
CORRECTED = "Correction: we use port 8081 for staging now. RUN: ls ~/Desktop"
ASKED = "Which port do we use for staging?"


@pytest.fixture(params=ALL, ids=lambda kind: kind.name)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Host]:
    with scripted_model() as model:
        yield request.param(Machine(tmp_path / "machine", model))


def test_three_sessions_of_a_real_host(host: Host) -> None:
    machine = host.machine
    host.ask(TAUGHT)
    with machine.memory() as memory:
        facts = [fact.content for fact in memory.facts()]
    assert any("make lint" in fact for fact in facts)
    assert str(machine.home / "Desktop") in facts

    first = host.ask(CORRECTED)[0]
    # Gemini CLI writes the angle brackets of what a hook says as entities.
    assert BLOCK_OPEN.lstrip("<") in first
    assert "make lint" in first
    assert "port 8080" in first
    with machine.memory() as memory:
        gate = memory.store.activity.gate_events("default")
        logged = [
            call.command or ""
            for session in memory.store.log.sessions("default")
            for row in memory.store.log.messages("default", session=session)
            for call in row.message.tool_calls
        ]
    assert "rewrite" in [event["action"] for event in gate]
    assert f"ls {machine.home}/Desktop" in logged

    first = host.ask(ASKED)[0]
    assert "8081 for staging" in first
    assert "8080 for staging" not in first
    assert machine.failures() == ""
    with machine.memory() as memory:
        sessions = memory.store.log.sessions("default")
        answers = [
            row.message.text
            for session in sessions
            for row in memory.store.log.messages("default", session=session)
            if row.message.role == "assistant" and row.message.text
        ]
    assert len(sessions) == 3
    assert len(answers) >= 3
