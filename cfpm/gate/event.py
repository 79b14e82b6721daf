"""The message that shows a decision of the gate to the user. It is not stored and is no command: commands are cut."""

from __future__ import annotations

import json
from typing import Literal

from cfpm.gate.decision import Change, Decision, Pass, Rewrite
from cfpm.model.markers import GATE_PREFIX

Visibility = Literal["off", "brief", "debug"]

VERSION = "v1"
SHOWN = 320
"""Characters of a command that the message shows (reference, section 7)."""


def gate_message(decision: Decision, tool: str, visibility: Visibility) -> str | None:
    """`[CFPM_TOOL_GATE_V1] {json}`, or None: never when off, in brief for rewrites only, in debug for passes too.

    `target` and `path` are those of the first change; `changes` has all of them.
    """
    if visibility == "off" or (visibility == "brief" and decision.action == "pass"):
        return None
    document: dict[str, object] = {"version": VERSION, "verbosity": visibility}
    match decision:
        case Rewrite():
            document |= _rewrite(decision, tool)
        case Pass():
            document |= _pass(decision, tool)
    if decision.advice:
        document["advice"] = decision.advice
    return GATE_PREFIX + json.dumps(document, ensure_ascii=False)


def _rewrite(decision: Rewrite, tool: str) -> dict[str, object]:
    first = decision.changes[0]
    return {
        "action": "rewrite_known_folder_probe",
        "tool": tool,
        "target": first.target,
        "path": first.path,
        "originalCommand": _cut(decision.original),
        "rewrittenCommand": _cut(decision.command),
        "changes": [_change(change) for change in decision.changes],
    }


def _change(change: Change) -> dict[str, object]:
    return {"target": change.target, "path": change.path, "start": change.start, "end": change.end}


def _pass(decision: Pass, tool: str) -> dict[str, object]:
    return {"action": "pass", "reason": decision.reason, "tool": tool, "originalCommand": _cut(decision.command)}


def _cut(command: str) -> str:
    return command if len(command) <= SHOWN else command[: SHOWN - 1] + "…"
