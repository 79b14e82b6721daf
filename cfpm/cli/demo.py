"""`demo`: a bundled coding session becomes an audited memory, step by step, in a temporary database."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from cfpm.cli import documents
from cfpm.cli.facts import show_facts
from cfpm.cli.gate import document as gate_document
from cfpm.cli.location import database_url, sqlite_file
from cfpm.cli.observe import show_report
from cfpm.cli.options import Common
from cfpm.cli.output import console, show, show_json, show_table
from cfpm.cli.recall import show_recall
from cfpm.cli.story import tell
from cfpm.model import Decision

if TYPE_CHECKING:
    from cfpm.admin.report import Explanation
    from cfpm.gate.decision import Decision as GateDecision
    from cfpm.model import Candidate, Fact
    from cfpm.pipeline.report import Report
    from cfpm.recall import Recall

# In two halves, so that no scanner of repositories takes the demo for a leak. The session carries a placeholder.
SECRET = "gh" + "p_Zk3vT9qLw2XyB7nM4cRd8fGh1jKp5sVt0uWa"
PLACEHOLDER = "{{SECRET}}"
DESKTOP = "{{DESKTOP}}"
"""Where the agent of the session finds the desktop: a folder of the demo's own."""
PROBE = 'cat "$HOME/Desktop/release-notes.md"'
"""What the agent runs on another day."""
QUERY = "Which port does staging use, and how do I run the tests?"
OVERCLAIM = "all tests pass"
"""Stands in what the agent claims although the tests fail; its story is told."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the demo has to show."""

    report: Report
    seconds: float
    facts: list[Fact]
    rejected: list[Candidate]
    explanation: Explanation
    recall: Recall
    gate: GateDecision
    leaked: bool


def demo(common: Common) -> None:
    """See an agent session become an audited memory. Works in a temporary database unless --db names one."""
    with tempfile.TemporaryDirectory(prefix="cfpm-demo-") as folder:
        home = Path(folder) / "home"
        (home / "Desktop").mkdir(parents=True)
        session = Path(folder) / "coding-session.jsonl"
        session.write_text(session_text(home / "Desktop"), encoding="utf-8")
        url = database_url(common.db or str(Path(folder) / "memory.db"))
        findings = examine(session, url, common.whose, home)
    if common.as_json:
        show_json(_document(findings))
    else:
        _show(findings)


def session_text(desktop: Path) -> str:
    """The bundled session, OpenAI-style messages a line each, with the secret and the desktop in their places."""
    text = files("cfpm.cli").joinpath("demo_session.jsonl").read_text(encoding="utf-8")
    return text.replace(PLACEHOLDER, SECRET).replace(DESKTOP, json.dumps(str(desktop))[1:-1])


def examine(session: Path, url: str, namespace: str, home: Path) -> Findings:
    """Observes the session and asks the memory everything that the demo shows."""
    from cfpm.gate.host import this_host
    from cfpm.memory import Memory

    started = time.perf_counter()
    with Memory.open(url, namespace=namespace) as memory:
        report = memory.observe_file(session)
        seconds = time.perf_counter() - started
        rejected = memory.candidates(decision=Decision.REJECTED)[::-1]
        told = next((candidate for candidate in rejected if OVERCLAIM in candidate.line), rejected[0])
        explanation = memory.explain(told.id)
        found = memory.recall(QUERY, k=4, max_tokens=400)
        facts = memory.facts()
        variables = {"HOME": str(home), "USERPROFILE": str(home)}
        host = replace(this_host(), home=str(home), environment=variables)
        decision = memory.gate("powershell" if os.name == "nt" else "bash", PROBE, host=host)
    return Findings(report, seconds, facts, rejected, explanation, found, decision, _holds(url, SECRET))


def _holds(url: str, secret: str) -> bool:
    """Whether the secret stands anywhere in the bytes of the database, its journals included."""
    database = sqlite_file(url)
    if database is None:
        return False
    return any(secret.encode() in path.read_bytes() for path in database.parent.glob(f"{database.name}*"))


def _document(findings: Findings) -> dict[str, object]:
    return {
        "report": documents.report(findings.report, findings.seconds),
        "facts": [documents.fact(fact) for fact in findings.facts],
        "rejected": [documents.candidate(candidate) for candidate in findings.rejected],
        "explanation": documents.explanation(findings.explanation, tell(findings.explanation)),
        "recall": documents.recall(findings.recall),
        "gate": gate_document(None, findings.gate),
        "secret_found": findings.leaked,
    }


def _show(findings: Findings) -> None:
    from cfpm.auditor.reasons import REASONS

    show("A made-up coding session: a user, an agent, its tools, one web page that gives orders, and one pasted token.")
    _heading("1. The agent's messages go in (cfpm observe SESSION)")
    show_report(findings.report, findings.seconds)
    _heading("2. What is believed (cfpm facts)")
    show_facts(findings.facts)
    _heading("3. What is not believed, and why (cfpm audit --decision rejected)")
    rows = [(c.role.value, c.content, f"{c.reason}: {REASONS[c.reason].sentence}") for c in findings.rejected]
    show_table(("who", "said", "not believed because"), rows, wide="said")
    _heading("4. The story of one of them (cfpm audit explain ID)")
    show("\n".join(tell(findings.explanation)))
    _heading("5. What the next prompt gets (cfpm recall QUERY --explain)")
    show(f"query: {QUERY}\n")
    show_recall(findings.recall, explain=True)
    _heading("6. A probe becomes the known path, before it runs (cfpm gate)")
    show(f"the agent asks for: {findings.gate.original}")
    show(f"what is run:        {findings.gate.command}")
    _heading("7. The token that the user pasted")
    show(
        "It IS in the database."
        if findings.leaked
        else "It is nowhere in the database: it was taken out before anything was stored."
    )
    _heading("Your turn")
    cfpm = _how_called()
    show(f"{cfpm} observe PATH    reads your own sessions (OpenAI, Anthropic, Claude Code, SpecStory, SWE-agent, ...)")
    show(f"{cfpm} --help          lists everything else")


def _heading(text: str) -> None:
    from rich.rule import Rule

    show()
    console().print(Rule(text, align="left"))


def _how_called() -> str:
    """The command as this shell would find it: `.venv/bin/cfpm` when it was called so."""
    name = Path(sys.argv[0])
    return shlex.quote(sys.argv[0]) if name.name == "cfpm" and len(name.parts) > 1 else "cfpm"
