"""`python -m benchmarks gate [--data DIR] [--json OUT]`: every change of the gate with its proof.

With `--planted` folders that strangers plant, and with `--fuzz N` lines made by chance, instead.
Ends in 1 if a change is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.gate.corpus import commands, known_folder_lines
from benchmarks.gate.decisions import Decided, Outcome, decide_all
from benchmarks.gate.fuzz import SEED, Fuzzed, fuzz
from benchmarks.gate.planted import Planted, plant, ways
from benchmarks.gate.sandbox import Sandbox
from benchmarks.latency.figures import machine
from cfpm import Category, Memory

HOOK_RUNS = 11
SHOWN = 50
"""Findings that are printed."""
GOALS = {"no probe": (0.3, 2.0), "a probe": (5.0, None)}
"""Milliseconds: median and 99th percentile (issue of the gate)."""


def main() -> int:
    """Runs it; 1 when a rewrite is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks gate", description=__doc__)
    parser.add_argument("--data", type=Path, help="The unpacked data package; without it a few commands of our own.")
    parser.add_argument("--json", type=Path, help="Where to write the report as JSON.")
    parser.add_argument("--planted", action="store_true", help="Try all ways to plant a folder, and nothing else.")
    parser.add_argument("--fuzz", type=int, metavar="N", help="Run what is changed of N lines, and nothing else.")
    parser.add_argument("--seed", type=int, default=SEED, help="Of the lines; the same gives the same.")
    given = parser.parse_args()
    if given.planted or given.fuzz:
        return attack(given.fuzz, given.seed, planted=given.planted)
    outcomes = {"commands": decide_all(commands(given.data))}
    if given.data is not None:
        outcomes["known folders"] = decide_all(known_folder_lines(given.data))
    with tempfile.TemporaryDirectory(prefix="cfpm-hook-") as folder:
        environment = a_memory(Path(folder))
        hook = {name: hook_milliseconds(command, environment) for name, command in HOOKED.items()}
    for line in report(outcomes, hook):
        print(line)
    if given.json:
        given.json.write_text(json.dumps(document(outcomes, hook), indent=2, ensure_ascii=False), encoding="utf-8")
    return 1 if any(outcome.wrong for outcome in outcomes.values()) else 0


def attack(lines: int | None, seed: int, *, planted: bool) -> int:
    """Plants folders, or runs made-up lines, or both; 1 when a command was steered or does something else."""
    bad = 0
    with tempfile.TemporaryDirectory(prefix="cfpm-attack-") as folder:
        if planted:
            tried = plant(Path(folder, "planted"), ways())
            bad += len(tried.outside) + len(tried.strangers) + tried.controls - tried.obeyed
            for line in _planted_told(tried):
                print(line)
        if lines:
            fuzzed = fuzz(lines, Path(folder, "fuzz"), seed)
            bad += len(fuzzed.found)
            for line in _fuzzed_told(fuzzed):
                print(line)
    return 1 if bad else 0


def _planted_told(tried: Planted) -> Iterator[str]:
    yield f"{tried.ways} ways to plant a folder, {tried.asked:,} commands asked for it"
    yield f"  sent out of the home: {len(tried.outside)} (goal 0)"
    yield f"  sent elsewhere in the home by a stranger: {len(tried.strangers)} (goal 0)"
    yield f"  controls that are obeyed: {tried.obeyed} of {tried.controls}"
    for one in (tried.outside + tried.strangers)[:SHOWN]:
        yield f"  {one.way.carrier}, {one.way.name}: {one.target}\n    {one.command}\n    {one.changed}"


def _fuzzed_told(fuzzed: Fuzzed) -> Iterator[str]:
    changed = ", ".join(f"{shell} {count:,}" for shell, count in sorted(fuzzed.changed.items()))
    yield f"{fuzzed.lines:,} made-up lines; changed and run before and after: {changed}"
    yield f"  that printed nothing: {fuzzed.silent:,}; that never do the same twice: {fuzzed.chance:,}"
    yield f"  that do something else: {len(fuzzed.found)} (goal 0)"
    for one in fuzzed.found[:SHOWN]:
        yield f"  {one.shell}: {one.line!r}\n    {one.changed!r}\n    {one.what}"


HOOKED = {"without a probe": "git status", "with a probe": "ls ~/Desktop"}


def a_memory(folder: Path) -> dict[str, str]:
    """The environment of a home whose desktop a memory knows."""
    desktop = folder / "home" / "Desktop"
    desktop.mkdir(parents=True)
    with Memory.open(f"sqlite:///{folder / 'memory.db'}") as memory:
        memory.remember(str(desktop), category=Category.ARTIFACT)
    return {**os.environ, "HOME": str(desktop.parent), "CFPM_DB": str(folder / "memory.db")}


def hook_milliseconds(command: str, environment: dict[str, str]) -> list[float]:
    """Whole processes of the hook of Claude Code, in milliseconds, in order of length."""
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": command}, "session_id": "b"}
    times = []
    for _ in range(HOOK_RUNS):
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "cfpm", "hook", "claude-code"],
            input=json.dumps(call).encode(),
            stdout=subprocess.DEVNULL,
            env=environment,
            check=True,
        )
        times.append((time.perf_counter() - started) * 1_000)
    return sorted(times)


def report(outcomes: dict[str, Outcome], hook: dict[str, list[float]]) -> Iterator[str]:
    """The report for people."""
    yield ", ".join(f"{key} {value}" for key, value in machine().items())
    yield f"shells that proofs ran in: {', '.join(Sandbox(Path()).shells())}"
    for name, outcome in outcomes.items():
        yield f"\n{name}: {len(outcome.decided):,} decisions, {len(outcome.changed)} rewrites,"
        yield f"  {len(outcome.wrong)} of them wrong, {len(outcome.unproved)} not proved"
        yield "  " + ", ".join(f"{reason} {count:,}" for reason, count in outcome.reasons().items())
        for kind, probing in (("no probe", False), ("a probe", True)):
            if found := outcome.milliseconds(probing=probing):
                median, tail = GOALS[kind]
                goals = f"goal {median}" + (f", {tail}" if tail else "")
                yield f"  {kind}: median {found[0]:.3f} ms, 99 of 100 within {found[1]:.3f} ms ({goals})"
        shown = outcome.decided if name == "known folders" else outcome.changed
        for one in shown:
            yield from _told(one)
    yield "\nthe hook, whole processes:"
    for name, times in hook.items():
        yield f"  {name}: min {times[0]:.0f}, median {times[len(times) // 2]:.0f}, max {times[-1]:.0f} ms (goal 250)"


def _told(one: Decided) -> Iterator[str]:
    decision = one.decision
    yield f"  {one.line.source} {one.line.number} [{one.line.label}; {one.layout}] {decision.action}: {decision.reason}"
    yield f"    {decision.original}"
    if one.proof is not None:
        verdict = {True: "right", False: "WRONG", None: "not proved"}[one.proof.right]
        yield f"    {decision.command}"
        yield f"    {verdict}, {one.proof.method}: {one.proof.before!r} -> {one.proof.after!r}"


def document(outcomes: dict[str, Outcome], hook: dict[str, list[float]]) -> dict[str, object]:
    """The report as JSON."""
    return {
        "machine": machine(),
        "sets": {
            name: {
                "decisions": len(outcome.decided),
                "rewrites": len(outcome.changed),
                "wrong": len(outcome.wrong),
                "not_proved": len(outcome.unproved),
                "reasons": outcome.reasons(),
                "milliseconds": {
                    kind: outcome.milliseconds(probing=probing)
                    for kind, probing in (("no_probe", False), ("probe", True))
                },
                "changes": [
                    {
                        "source": one.line.source,
                        "number": one.line.number,
                        "dialect": one.line.dialect,
                        "layout": one.layout,
                        "command": one.decision.original,
                        "rewritten": one.decision.command,
                        "right": one.proof.right,
                        "method": one.proof.method,
                        "before": one.proof.before,
                        "after": one.proof.after,
                    }
                    for one in outcome.changed
                    if one.proof is not None
                ],
            }
            for name, outcome in outcomes.items()
        },
        "hook_milliseconds": hook,
    }


if __name__ == "__main__":
    sys.exit(main())
