"""The benchmark of the gate: its bundled commands are changed rightly, and its proofs notice a wrong change."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.gate import machines
from benchmarks.gate.corpus import Line, commands
from benchmarks.gate.decisions import decide_all
from benchmarks.gate.fuzz import Fuzzed, Playground, differences, fuzz
from benchmarks.gate.planted import plant, ways
from benchmarks.gate.proofs import by_execution, by_rules
from benchmarks.gate.sandbox import SHELLS, Sandbox
from cfpm.gate.decision import Rewrite
from cfpm.gate.gate import decide


def test_every_change_of_a_bundled_command_is_proved() -> None:
    outcome = decide_all(commands(None))
    assert len(outcome.changed) >= 10
    assert [one.line.command for one in outcome.wrong + outcome.unproved] == []


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    found = Sandbox(tmp_path / "sandbox")
    if not found.shells():
        pytest.skip("none of bash, dash and zsh is installed")
    return found


def test_running_notices_a_wrong_path(sandbox: Sandbox) -> None:
    machine = machines.posix(sandbox)
    decision = decide("ls ~/Desktop/a && cat ~/Music/b", "bash", machine.facts, machine.host)
    assert isinstance(decision, Rewrite)
    assert by_execution(sandbox, decision).right is True
    for right, wrong in (("Desktop/a", "Desktop/c"), ("Music/b", "Music/c")):
        assert by_execution(sandbox, replace(decision, command=decision.command.replace(right, wrong))).right is False


def test_running_notices_a_lost_quote(sandbox: Sandbox) -> None:
    machine = machines.posix(sandbox)
    decision = decide('ls "$HOME/Desktop/a b"', "bash", machine.facts, machine.host)
    assert isinstance(decision, Rewrite)
    assert by_execution(sandbox, replace(decision, command=decision.command.replace('"', ""))).right is False


def test_a_command_that_leaves_the_sandbox_is_not_run(sandbox: Sandbox) -> None:
    machine = machines.posix(sandbox)
    decision = decide("cat ~/Desktop/a", "bash", machine.facts, machine.host)
    assert isinstance(decision, Rewrite)
    leaving = replace(decision, original="cat ~/Desktop/a > /etc/motd")
    assert by_execution(sandbox, leaving).right is None


def test_the_rules_notice_nested_quotes() -> None:
    machine = machines.windows(onedrive=True)
    line = Line("test", 1, "powershell", "", r'$d = "$env:USERPROFILE\Desktop"')
    decision = decide(line.command, "powershell", machine.facts, machine.host)
    assert isinstance(decision, Rewrite)
    assert by_rules(machine, line, decision).right is True
    path = decision.changes[0].path
    nested = replace(decision, command=decision.command.replace(path, f"'{path}'"))
    assert by_rules(machine, line, nested).right is False


@pytest.mark.slow(10)
def test_planted_folders_steer_nothing(tmp_path: Path) -> None:
    every = list(ways())
    assert len(every) >= 200
    tried = plant(tmp_path, [*every[::37], *(way for way in every if way.carrier in ("control", "import"))])
    assert (tried.outside, tried.strangers) == ([], [])
    assert tried.obeyed == tried.controls > 0


@pytest.mark.slow(10)
def test_made_up_lines_do_the_same_after_a_change(sandbox: Sandbox, tmp_path: Path) -> None:
    if lacking := set(SHELLS) - set(sandbox.shells()):
        pytest.skip(f"{', '.join(sorted(lacking))} is not installed")
    fuzzed = fuzz(200, tmp_path / "fuzz")
    assert fuzzed.changed
    assert fuzzed.found == []


def test_a_line_that_does_something_else_is_noticed(sandbox: Sandbox, tmp_path: Path) -> None:
    ground, shell = Playground(tmp_path / "ground", "ida b"), sandbox.shells()[0]
    decision = decide("cat ~/Desktop/a.txt", shell, ground.machine.facts, ground.machine.host)
    assert isinstance(decision, Rewrite)
    assert list(differences(ground, shell, decision, Fuzzed())) == []
    for other in ("cat ~/Music/a.txt", "cat ~/Desktop/a.txt; false", "cat ~/Desktop/a.txt; touch made"):
        assert list(differences(ground, shell, replace(decision, command=other), Fuzzed())) != []
