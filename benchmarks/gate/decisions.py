"""Puts every command before the gate on its machine: the decisions, their times, and a proof for each change."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.gate import machines
from benchmarks.gate.corpus import Line
from benchmarks.gate.machines import Machine
from benchmarks.gate.proofs import Proof, by_execution, by_rules
from benchmarks.gate.sandbox import Sandbox
from cfpm.gate.decision import Decision, Rewrite
from cfpm.gate.gate import decide
from cfpm.gate.reasons import Reason

ROUNDS = 3
"""Times that each command is decided for its time; the fastest counts, since the machine has other work."""


@dataclass(frozen=True, slots=True)
class Decided:
    """One line, what the gate made of it, and the proof if it changed it. `layout` names the machine."""

    line: Line
    layout: str
    decision: Decision
    proof: Proof | None
    seconds: float


@dataclass(slots=True)
class Outcome:
    """All decisions about one set of lines."""

    decided: list[Decided] = field(default_factory=list)

    @property
    def changed(self) -> list[Decided]:
        return [one for one in self.decided if one.proof is not None]

    @property
    def wrong(self) -> list[Decided]:
        return [one for one in self.changed if one.proof is not None and one.proof.right is False]

    @property
    def unproved(self) -> list[Decided]:
        return [one for one in self.changed if one.proof is not None and one.proof.right is None]

    def reasons(self) -> dict[str, int]:
        """How often each reason was given, the most frequent first."""
        return dict(Counter(one.decision.reason.value for one in self.decided).most_common())

    def milliseconds(self, *, probing: bool) -> tuple[float, float] | None:
        """The median and the 99th percentile, of the commands with or without something that looks like a probe."""
        times = [o.seconds * 1_000 for o in self.decided if (o.decision.reason is not Reason.NO_PROBE) is probing]
        if len(times) < 2:
            return None
        return statistics.median(times), statistics.quantiles(times, n=100)[98]


def decide_all(lines: Iterable[Line]) -> Outcome:
    """Every line on every machine that runs its shell: one POSIX home, or a plain and a OneDrive Windows home."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="cfpm-gate-") as folder:
        sandbox = Sandbox(Path(folder) / "sandbox")
        home = machines.posix(sandbox)
        plain, moved = machines.windows(onedrive=False), machines.windows(onedrive=True)
        for line in lines:
            if line.dialect in ("powershell", "cmd"):
                outcome.decided.append(_decided(line, "Windows", plain, sandbox))
                if outcome.decided[-1].proof is not None:
                    outcome.decided.append(_decided(line, "Windows, OneDrive", moved, sandbox))
            else:
                outcome.decided.append(_decided(line, "POSIX", home, sandbox))
    return outcome


def _decided(line: Line, layout: str, machine: Machine, sandbox: Sandbox) -> Decided:
    seconds = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        decision = decide(line.command, line.dialect, machine.facts, machine.host)
        seconds = min(seconds, time.perf_counter() - started)
    proof = None
    if isinstance(decision, Rewrite):
        proof = by_execution(sandbox, decision) if layout == "POSIX" else by_rules(machine, line, decision)
    return Decided(line, layout, decision, proof, seconds)
