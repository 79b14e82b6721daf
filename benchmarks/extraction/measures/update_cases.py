"""The cases of updates and contradictions: the messages and values that BEAM's probing questions name, as sides to
compare. Judges nothing.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_VALUES = re.compile(
    r"(?P<money>[$€£¥]\s?\d[\d,]*(?:\.\d+)?)"
    r"|(?P<percent>\d+(?:\.\d+)?\s?(?:%|percent\b))"
    r"|\b(?P<date>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{1,2}\b|\d{4}-\d\d-\d\d)"
    r"|\b(?P<clock>\d{1,2}(?::\d\d)?\s?[ap]\.?m\b)"
    r"|\b(?P<version>v?\d+\.\d+(?:\.\d+)+)"
    r"|(?<![\w.])(?P<number>\d[\d,]*(?:\.\d+)?)(?:\s?(?P<unit>ms|[kmg]bp?s?|hz|[kmc]g|[kcm]m)\b)?(?=\D|$)",
    re.IGNORECASE,
)
_KINDS = ("money", "percent", "date", "clock", "version", "number")
DENIAL = re.compile(r"\b(?:never|not|no)\b|n['’]t\b", re.IGNORECASE)

Value = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Case:
    """A probing question with the messages of its two sides; `old` and `new` are values, for an update only."""

    session: str
    question: str
    earlier: frozenset[str]
    later: frozenset[str]
    old: frozenset[Value] = frozenset()
    new: frozenset[Value] = frozenset()


def values(text: str) -> frozenset[Value]:
    """Numbers, dates, times, amounts and versions, each with its kind, in one spelling."""
    found = set()
    for match in _VALUES.finditer(text):
        kind = next(name for name in _KINDS if match[name])
        unit = (match["unit"] or "").lower()
        found.add((f"number of {unit}" if unit else kind, _spelled(kind, match[kind].lower())))
    return frozenset(found)


def _spelled(kind: str, said: str) -> str:
    if kind == "date":
        return said if said[0].isdigit() else f"{_MONTHS.index(said[:3]) + 1}-{re.sub('[^0-9]', '', said)}"
    if kind == "clock":
        return re.sub(r"[\s.]", "", said)
    return re.sub(r"[\s,.](?!\d)|,(?=\d{3})|[\s$€£¥%v]|percent", "", said)


def questions(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The probing questions of a chat by their kind; empty without a file."""
    path = folder / "probing_questions" / "probing_questions.json"
    loaded: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return loaded


def update(session: str, entry: dict[str, Any], texts: Mapping[str, str]) -> Case | None:
    """None when the linked messages say no new value, or no other value of its kind before."""
    sides = entry.get("source_chat_ids")
    if not isinstance(sides, dict):
        return None
    earlier, later = _ids(sides.get("original_info")), _ids(sides.get("updated_info"))
    said = {value for source in later for value in values(texts.get(source, ""))}
    new = values(str(entry.get("answer", ""))) & said
    kinds = {kind for kind, _ in new}
    before = {value for source in earlier for value in values(texts.get(source, ""))}
    old = {value for value in before if value[0] in kinds and value not in said}
    if not new or not old or earlier & later:
        return None
    return Case(session, str(entry.get("question", "")), earlier, later, frozenset(old), frozenset(new))


def clash(session: str, entry: dict[str, Any], texts: Mapping[str, str]) -> Case | None:
    """None when both sides are one message, or no message denies anything."""
    sides = entry.get("source_chat_ids")
    if not isinstance(sides, dict):
        return None
    first, second = _ids(sides.get("first_statement")), _ids(sides.get("second_statement"))
    if not first or not second or first & second:
        return None
    if not any(DENIAL.search(texts.get(source, "")) for source in first | second):
        return None
    return Case(session, str(entry.get("question", "")), first, second)


def _ids(listed: object) -> frozenset[str]:
    return frozenset(str(item) for item in listed) if isinstance(listed, list) else frozenset()
