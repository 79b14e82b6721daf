"""The message that shows a turn's work to the user. It is no input for a model and is not stored."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from cfpm.model.markers import RUNTIME_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

Verbosity = Literal["off", "brief", "debug"]

VERSION = "v1"
TOP_REASONS = 5
"""Reasons in the breakdown (reference, section 1.6)."""


class Counts(Protocol):
    """What a report must tell: `cfpm.pipeline.report.Report` does."""

    @property
    def accepted(self) -> int: ...
    @property
    def merged(self) -> int: ...
    @property
    def superseded(self) -> int: ...
    @property
    def rejected(self) -> int: ...
    @property
    def pruned(self) -> int: ...
    @property
    def facts(self) -> int: ...
    @property
    def rejected_by_reason(self) -> Mapping[str, int]: ...
    @property
    def forgotten(self) -> int: ...
    @property
    def unrecorded(self) -> int: ...


@dataclass(frozen=True, slots=True)
class RuntimeMessage:
    """A parsed message. The defaults are those of the reference, section 8, for fields that are missing."""

    version: str = VERSION
    verbosity: str = "brief"
    reason: str = "unknown"
    mode: str = "unknown"
    accepted: int = 0
    rejected: int = 0
    pruned: int = 0
    facts: int = 0
    rejected_by_reason: Mapping[str, int] = field(default_factory=dict)


def mode(report: Counts) -> str:
    """noop, prune, candidate_only, merge, merge+prune or candidate_only+prune."""
    if report.accepted + report.merged + report.superseded:
        name = "merge"
    elif report.rejected:
        name = "candidate_only"
    else:
        return "prune" if report.pruned else "noop"
    return f"{name}+prune" if report.pruned else name


def runtime_message(report: Counts, verbosity: Verbosity, reason: str) -> str | None:
    """`[CFPM_RUNTIME_V1] {json}`, or None: never when off, always in debug, in brief when anything happened.

    `acceptedCount` counts all that is kept: new, merged and superseding drafts. What the user asked of the memory is
    told only when something was asked.
    """
    accepted = report.accepted + report.merged + report.superseded
    asked = {"forgottenCount": report.forgotten, "unrecordedCount": report.unrecorded}
    happened = accepted or report.rejected or report.pruned or any(asked.values())
    if verbosity == "off" or (verbosity == "brief" and not happened):
        return None
    ordered = sorted(report.rejected_by_reason.items(), key=lambda entry: (-entry[1], entry[0]))
    document = {
        "version": VERSION,
        "verbosity": verbosity,
        "reason": reason,
        "mode": mode(report),
        "acceptedCount": accepted,
        "rejectedCount": report.rejected,
        "prunedCount": report.pruned,
        "factCount": report.facts,
        "rejectedReasonBreakdown": [f"{code}={count}" for code, count in ordered[:TOP_REASONS]],
        **{name: count for name, count in asked.items() if count},
    }
    return RUNTIME_PREFIX + json.dumps(document, ensure_ascii=False)


def parse_runtime_message(text: str) -> RuntimeMessage | None:
    """The message, or None for any other text. Fields that are missing or of the wrong type get their defaults."""
    stripped = text.strip()
    if not stripped.startswith(RUNTIME_PREFIX.strip()):
        return None
    try:
        document = json.loads(stripped[len(RUNTIME_PREFIX.strip()) :])
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    return RuntimeMessage(
        version=_text(document, "version", VERSION),
        verbosity=_text(document, "verbosity", "brief"),
        reason=_text(document, "reason", "unknown"),
        mode=_text(document, "mode", "unknown"),
        accepted=_count(document, "acceptedCount"),
        rejected=_count(document, "rejectedCount"),
        pruned=_count(document, "prunedCount"),
        facts=_count(document, "factCount"),
        rejected_by_reason=_breakdown(document.get("rejectedReasonBreakdown")),
    )


def _text(document: Mapping[str, object], key: str, default: str) -> str:
    value = document.get(key)
    return value if isinstance(value, str) else default


def _count(document: Mapping[str, object], key: str) -> int:
    value = document.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _breakdown(value: object) -> dict[str, int]:
    found = {}
    for entry in value if isinstance(value, list) else ():
        code, separator, count = str(entry).rpartition("=")
        if separator and count.isdecimal():
            found[code] = int(count)
    return found
