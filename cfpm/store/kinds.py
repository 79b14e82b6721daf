"""What stands in an export: the kinds of lines, their columns, and which values each column allows.

One flat JSON object a line, with the names of the columns of a table. Reads and writes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cfpm.model import UNRATED, Action, Category, Decision, Origin, Role, Source, Status
from cfpm.store.activity import GATE_COLUMNS, RECALL_COLUMNS
from cfpm.store.columns import CANDIDATE_COLUMNS, EVENT_COLUMNS, FACT_COLUMNS, FACT_TIMES, MESSAGE_COLUMNS
from cfpm.store.values import moment, moment_text

if TYPE_CHECKING:
    from enum import StrEnum

Field = Callable[[Any], bool]
"""Whether a JSON value may stand in a column."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of line: its table, its columns in order, and which of them hold JSON in the database."""

    name: str
    table: str
    columns: Mapping[str, Field]
    order: str
    """Column after the namespace that gives the lines an order that does not depend on other namespaces."""
    json: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    later: Mapping[str, Any] = field(default_factory=dict)
    """Columns that exports of version 1 lack, with what a row of then has in them."""


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def _number(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return moment_text(moment(value)) == value
    except (ValueError, OverflowError):
        return False


def _optional(check: Field) -> Field:
    return lambda value: value is None or check(value)


def _member(kind: type[StrEnum]) -> Field:
    values = frozenset(member.value for member in kind)
    return lambda value: isinstance(value, str) and value in values


def _listed(check: Field) -> Field:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _call(value: Any) -> bool:
    match value:
        case {"id": str(), "name": str(), "arguments": dict(), **rest}:
            return not rest
        case _:
            return False


def _share(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and _text(value[0]) and _number(value[1])


def _changed_fields(value: Any) -> bool:
    return isinstance(value, dict) and all(name in _FACT and _FACT[name](field) for name, field in value.items())


def _columns(names: tuple[str, ...], **special: Field) -> dict[str, Field]:
    """A check for each column: a text, unless said otherwise."""
    assert set(special) <= set(names)
    return {name: special.get(name, _text) for name in names}


_FACT = _columns(
    FACT_COLUMNS,
    **dict.fromkeys(FACT_TIMES, _optional(_time)),
    category=_member(Category),
    status=_member(Status),
    source=_member(Source),
    role=_member(Role),
    pinned=_flag,
    confidence=_number,
    evidence_count=_whole,
    span_start=_whole,
    span_end=_whole,
    validation_command=_optional(_text),
    salience=_number,
)
_LATER: dict[str, Any] = {"speaker": "", "salience": UNRATED}

MESSAGE = Kind(
    "message",
    "memory_turns",
    _columns(
        MESSAGE_COLUMNS,
        turn=_whole,
        position=_whole,
        role=_member(Role),
        origin=_member(Origin),
        created_at=_optional(_time),
        cut=_whole,
        tool_calls=_listed(_call),
        call_id=_optional(_text),
        is_error=_optional(_flag),
        exit_code=_optional(_whole),
    ),
    order="seq",
    json=frozenset({"tool_calls"}),
    flags=frozenset({"is_error"}),
)
FACT = Kind(
    "fact", "memory_facts", _FACT, order="seq", flags=frozenset({"pinned"}), later={**_LATER, "contradicts": ""}
)
CANDIDATE = Kind(
    "candidate",
    "memory_candidates",
    _columns(
        CANDIDATE_COLUMNS,
        turn=_whole,
        decision=_member(Decision),
        category=_member(Category),
        role=_member(Role),
        span_start=_whole,
        span_end=_whole,
        confidence=_number,
        marks=_listed(_text),
        event_time=_optional(_time),
        validation_command=_optional(_text),
        created_at=_optional(_time),
        reviewed=_flag,
        salience=_number,
        shares=_listed(_share),
    ),
    order="seq",
    json=frozenset({"marks", "shares"}),
    flags=frozenset({"reviewed"}),
    later={**_LATER, "shares": []},
)
EVENT = Kind(
    "event",
    "memory_events",
    _columns(
        EVENT_COLUMNS,
        number=_whole,
        action=_member(Action),
        at=_optional(_time),
        before=_changed_fields,
        after=_changed_fields,
    ),
    order="number",
    json=frozenset({"before", "after"}),
)
LINE = Kind("line", "seen_lines", _columns(("namespace", "line_hash", "kind")), order="line_hash")
RECALL = Kind(
    "recall",
    "recall_events",
    _columns(RECALL_COLUMNS, fact_ids=_listed(_text), at=_optional(_time)),
    order="seq",
    json=frozenset({"fact_ids"}),
)
GATE = Kind(
    "gate",
    "gate_events",
    _columns(GATE_COLUMNS, changes=_listed(_object), at=_optional(_time)),
    order="seq",
    json=frozenset({"changes"}),
)
KINDS = (MESSAGE, FACT, CANDIDATE, EVENT, LINE, RECALL, GATE)
"""In the order in which they stand in an export: facts before their events."""
