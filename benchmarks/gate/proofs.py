"""The proof of a rewrite: what the programs get before and after, by running real shells or by their rules."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import dataclass

from benchmarks.gate import cmd_values, powershell_values
from benchmarks.gate.corpus import Line
from benchmarks.gate.machines import WINDOWS_HOME, Machine, windows_folders
from benchmarks.gate.sandbox import Sandbox
from cfpm.gate.decision import Change, Rewrite
from cfpm.model.known_folders import NAMES, SPECIAL

UNKNOWN = "value-of-"
"""Stands for every variable that the machine does not know: the same before and after."""


@dataclass(frozen=True, slots=True)
class Proof:
    """How a rewrite was proved. `right` is None when nothing could be compared."""

    method: str
    right: bool | None
    before: str = ""
    after: str = ""


def by_execution(sandbox: Sandbox, decision: Rewrite) -> Proof:
    """Runs both commands in every shell of this machine: the programs must see the same arguments."""
    if not sandbox.is_safe(decision.original):
        return Proof("not run: it names programs or files outside the sandbox", None)
    before = after = ""
    silent = []
    for shell in sandbox.shells():
        try:
            one, other = sandbox.run(shell, decision.original), sandbox.run(shell, decision.command)
        except subprocess.TimeoutExpired:
            return Proof(f"{shell} did not end", None)
        before, after = _shown(one.calls), _shown(other.calls)
        if one != other:
            return Proof(f"run by {shell}", False, before, after)
        if not one.calls and not one.files:
            silent.append(shell)
    spoke = [shell for shell in sandbox.shells() if shell not in silent]
    return Proof(
        f"run by {', '.join(spoke)}" if spoke else "no shell ran anything", True if spoke else None, before, after
    )


def by_rules(machine: Machine, line: Line, decision: Rewrite) -> Proof:
    """Works out the value around each change, before and after, by the rules of PowerShell or cmd.

    The value after is the known path and whatever followed the folder before.
    """
    shift = 0
    told: list[tuple[str, str]] = []
    right: bool | None = True
    for change in decision.changes:
        before = _value(machine, line, decision.original, change.start)
        after = _value(machine, line, decision.command, change.start + shift)
        shift += len(change.text) - (change.end - change.start)
        if before is None or after is None:
            right = None if right else right
            continue
        told.append((before, after))
        if after not in {before.replace(usual, change.path, 1) for usual in _usual(machine, change)}:
            right = False
    return Proof(f"rules of {line.dialect}", right, " ; ".join(b for b, _ in told), " ; ".join(a for _, a in told))


def _usual(machine: Machine, change: Change) -> list[str]:
    """What the probe may be worth before: the usual place with either separator, or the place itself."""
    names = [name for name, folder in NAMES.items() if folder == change.target]
    written = change.before.replace("/", "\\").rpartition("\\")[2].strip("\"'")
    cased = [written] if written.lower() in {name.lower() for name in names} else []
    separated = [f"{WINDOWS_HOME}{sign}{name}" for name in (*names, *cased) for sign in "\\/"]
    return [*separated, *(path for name, path in windows_folders(machine).items() if name in names)]


def _value(machine: Machine, line: Line, command: str, at: int) -> str | None:
    variables = {key.upper(): value for key, value in machine.host.environment.items()}
    if line.dialect == "cmd":
        return cmd_values.value_at(command, at, variables, unknown=UNKNOWN)
    folders = windows_folders(machine)
    answers = {
        special: folders[name] for special, folder in SPECIAL.items() for name in folders if NAMES[name] is folder
    }
    environment = powershell_values.Environment(
        {f"env:{key.lower()}": value for key, value in variables.items()}, WINDOWS_HOME, answers, UNKNOWN
    )
    return powershell_values.value_at(command, at, environment)


def _shown(calls: Counter[tuple[str, ...]]) -> str:
    return " ; ".join(" ".join(call) for call in sorted(calls))[:300]
