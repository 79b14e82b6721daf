"""The pre-tool gate: known paths in place of probes, or the command as it was, and why. Pure; stores nothing.

The names are resolved on first use: a hook process that finds no probe needs only the first look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.lazy import resolver

_HOMES = {
    "SENTENCES": "reasons",
    "Change": "decision",
    "Decision": "decision",
    "Dialect": "probe",
    "Host": "host",
    "How": "probe",
    "Kept": "decision",
    "Pass": "decision",
    "Probe": "probe",
    "Reading": "probe",
    "Reason": "reasons",
    "Rewrite": "decision",
    "decide": "gate",
    "dialect_named": "gate",
    "judge": "gate",
    "looks_like_probe": "first_look",
    "read": "gate",
    "this_host": "host",
}

__all__ = [
    "SENTENCES",
    "Change",
    "Decision",
    "Dialect",
    "Host",
    "How",
    "Kept",
    "Pass",
    "Probe",
    "Reading",
    "Reason",
    "Rewrite",
    "decide",
    "dialect_named",
    "judge",
    "looks_like_probe",
    "read",
    "this_host",
]

if TYPE_CHECKING:
    from cfpm.gate.decision import Change, Decision, Kept, Pass, Rewrite
    from cfpm.gate.first_look import looks_like_probe
    from cfpm.gate.gate import decide, dialect_named, judge, read
    from cfpm.gate.host import Host, this_host
    from cfpm.gate.probe import Dialect, How, Probe, Reading
    from cfpm.gate.reasons import SENTENCES, Reason

__getattr__ = resolver(__name__, _HOMES)
