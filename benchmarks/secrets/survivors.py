"""Measures how many labelled secrets can still be read after redaction, in the forms in which hosts pass texts on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.secrets.corpora import Label, labels, sample
from cfpm.secrets import redact

IDENTIFIERS = frozenset({"UUID", "Firebase Domain", "Nonce", "Tencent WeChat API App ID"})
"""Rules whose findings name something and open nothing. They are counted, but not as secrets."""


def _numbered(text: str) -> str:
    return "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(text.split("\n"), 1))


def _in_json(text: str) -> str:
    return json.dumps({"stdout": text, "exit_code": 0})


FORMS: dict[str, Callable[[str], str]] = {
    "user turn": str,
    "tool result, numbered": _numbered,
    "tool result, JSON": _in_json,
}
"""A message as typed; a file as a reading tool prints it; an output as a JSON protocol wraps it."""


@dataclass(frozen=True, slots=True)
class Survivor:
    """A labelled secret that can still be read, and in which form of the text."""

    label: Label
    form: str


@dataclass(frozen=True, slots=True)
class RuleRow:
    """Of one rule: labelled values, and those that survive in any form."""

    rule: str
    secret: bool
    values: int
    survived: int


@dataclass(frozen=True, slots=True)
class Survival:
    rows: tuple[RuleRow, ...]
    survivors: tuple[Survivor, ...]
    unreadable: int
    """Labels whose value does not stand in the text as it is (joined or decoded by the tool that labelled it)."""


def is_secret(label: Label) -> bool:
    """Not an identifier, and not the type line of a JSON Web Key."""
    return label.rule not in IDENTIFIERS and not (label.rule == "JWK" and label.variable == "kty")


def measure(data: Path) -> Survival:
    """Each sample file is one message; a value survives when its characters stand anywhere in the redacted message."""
    found = labels(data)
    texts = {label.file: sample(data, label) for label in found}
    redacted = {(file, form): redact(shape(text)).text for file, text in texts.items() for form, shape in FORMS.items()}
    survivors: list[Survivor] = []
    counts: dict[tuple[str, bool], list[int]] = {}
    unreadable = 0
    for label in found:
        forms = [form for form in FORMS if _stands_in(label, FORMS[form](texts[label.file]), form)]
        if not forms:
            unreadable += 1
            continue
        left = [Survivor(label, form) for form in forms if _stands_in(label, redacted[label.file, form], form)]
        survivors += left
        row = counts.setdefault((label.rule, is_secret(label)), [0, 0])
        row[0] += 1
        row[1] += bool(left)
    rows = tuple(RuleRow(rule, secret, *row) for (rule, secret), row in sorted(counts.items()))
    return Survival(rows, tuple(survivors), unreadable)


def _stands_in(label: Label, text: str, form: str) -> bool:
    value = json.dumps(label.value)[1:-1] if form.endswith("JSON") else label.value
    return bool(value) and value in text
