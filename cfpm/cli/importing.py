"""`audit-import`, and `import KIND FILE`: what another program's memory holds, each statement with a verdict."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cfpm.cli import documents
from cfpm.cli.options import AsJson, Common, Namespace
from cfpm.cli.output import counted, one_line, show, show_json, show_table
from cfpm.cli.parser import Argument
from cfpm.model import Decision

if TYPE_CHECKING:
    from cfpm.admin.foreign.importing import Audited

SHOWN = 100
"""Verdicts in the table; JSON has all."""


def audit_import(
    kind: Annotated[
        str,
        Argument(
            metavar="KIND",
            help="mem0, claude-mem, mempalace, letta, langgraph, basic-memory or chatgpt-memories.",
        ),
    ],
    file: Annotated[Path, Argument(metavar="FILE", help="What that program wrote: its database, or an export of it.")],
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Judge what another memory holds, and store nothing: what is junk, said twice, a secret, an order or uncertain."""
    from cfpm.memory import Memory

    with Memory.open("sqlite://", namespace=Common(None, namespace).whose) as memory:
        _show(memory.import_memories(kind, file), as_json, stored=False)


def import_memories(kind: str, file: Path, common: Common) -> None:
    """Takes in what another memory holds, and shows the verdicts."""
    with common.or_new() as memory:
        _show(memory.import_memories(kind, file), common.as_json, stored=True)


def _show(done: Audited, as_json: bool, *, stored: bool) -> None:
    reasons = Counter(one.reason for one in done.verdicts if one.decision is Decision.REJECTED)
    if as_json:
        verdicts = [documents.fields(one, "id decision reason detail content") for one in done.verdicts]
        counts = {one.value: done.count(one) for one in Decision}
        show_json({"read": done.read, "known": done.known, **counts, "reasons": dict(reasons), "verdicts": verdicts})
        return
    rows = [(one.decision.value, one.reason, one_line(one.content)) for one in done.verdicts]
    show_table(("verdict", "reason", "statement"), rows[:SHOWN], wide="statement", empty="nothing new")
    if len(rows) > SHOWN:
        show(f"... only the first {SHOWN}; --json has all")
    known = f", {done.known} of them were here before" if done.known else ""
    told = ", ".join(f"{done.count(one)} {one.value}" for one in Decision)
    show(f"{counted(done.read, 'statement')}{known}: {told}{'' if stored else '; nothing was stored'}")
    if reasons:
        show("refused: " + ", ".join(f"{reason} {count}" for reason, count in reasons.most_common()))
