"""The adapters of frameworks that have an example with the library's own scripted model, against the library itself."""

from __future__ import annotations

import asyncio
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest
from cfpm_adapters import Companion

from cfpm import Memory
from cfpm.errors import MissingExtraError
from tests.adapters.shells import know_desktop

FRAMEWORKS = {
    "llama_index": "llama_index.core",
    "smolagents": "smolagents",
    "agent_framework": "agent_framework",
    "google_adk": "google.adk",
    "crewai": "crewai",
    "autogen": "autogen_agentchat",
}
"""The adapter, and what it needs."""

EXTRAS = {"llama_index": "llama-index", "agent_framework": "agent-framework", "google_adk": "google-adk"}


def example(name: str) -> ModuleType:
    """The example, with its framework; skipped by its name without it."""
    extra = EXTRAS.get(name, name)
    pytest.importorskip(FRAMEWORKS[name], reason=f"needs {extra}: pip install 'cfpm[{extra}]'")
    return importlib.import_module(f"examples.{name}_agent")


def run(module: ModuleType, url: str) -> None:
    done = module.main(url)
    if inspect.iscoroutine(done):
        asyncio.run(done)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FRAMEWORKS))
def test_a_probe_is_rewritten_and_what_was_said_and_done_is_learnt(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = example(name)
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    desktop = know_desktop(url, tmp_path / "home", monkeypatch, namespace="user:kim")
    monkeypatch.setattr(module, "COMMAND", "ls ~/Desktop")
    run(module, url)
    assert f"ran: ls {desktop}" in capsys.readouterr().out
    with Memory.open(url, namespace="user:kim", read_only=True) as memory:
        rows = [row.message for row in memory.store.log.messages("user:kim", session="monday")]
        assert any("8081" in fact.content for fact in memory.facts())
        sessions = memory.store.log.sessions("user:kim")
    said = [row.text for row in rows if row.role == "user"]
    assert len(said) == 1
    assert [call.name for row in rows for call in row.tool_calls] == ["run_shell"]
    assert [row.text for row in rows if row.role == "tool"] == ["exit status 0"]
    assert {"monday", "tuesday"} <= set(sessions)
    assert not any("CFPM_MEMORY" in row.text for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FRAMEWORKS))
def test_a_broken_memory_does_not_stop_the_agent(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = example(name)
    broken = tmp_path / "memory.db"
    broken.write_bytes(b"no database at all" * 100)
    run(module, f"sqlite:///{broken}")
    shown = capsys.readouterr().out
    assert "ran: make test" in shown
    assert "tuesday: " in shown


@pytest.mark.parametrize("name", sorted(FRAMEWORKS))
def test_without_the_library_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.delitem(sys.modules, f"cfpm_adapters.{name}", raising=False)
    for loaded in [one for one in sys.modules if one.split(".")[0] == FRAMEWORKS[name].split(".")[0]]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, FRAMEWORKS[name].split(".")[0], None)
    with pytest.raises(MissingExtraError, match=EXTRAS.get(name, name)):
        importlib.import_module(f"cfpm_adapters.{name}")


def test_a_function_behind_the_gate_keeps_its_signature_and_a_tool_that_is_no_shell_is_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    desktop = know_desktop(url, tmp_path / "home", monkeypatch)
    companion = Companion(url, shells={"run_shell": "bash", "run_slowly": "bash"})

    def run_shell(command: str, timeout: int = 60) -> str:
        """Runs."""
        return f"{command} {timeout}"

    async def run_slowly(command: str) -> str:
        return command

    def other(command: str) -> str:
        return command

    assert companion.around(other) is other
    around = companion.around(run_shell)
    assert inspect.signature(around) == inspect.signature(run_shell)
    assert around.__doc__ == "Runs."
    assert around("ls ~/Desktop") == f"ls {desktop} 60"
    assert around(timeout=5, command="ls ~/Desktop") == f"ls {desktop} 5"
    assert asyncio.run(companion.around(run_slowly)("ls ~/Desktop")) == f"ls {desktop}"
    companion.close()
