"""Verified actions: what a program itself reports as done."""

from __future__ import annotations

from collections.abc import Iterator

from cfpm.extractor.evidence import Outcome
from cfpm.model import Category, Draft, Mark, Role, Span


def from_outcome(outcome: Outcome) -> Iterator[Draft]:
    """The line by which a program reports success; contradicted when the same output or its exit status reports
    failure."""
    found = outcome.success
    if found is None:
        return
    text = outcome.message.text
    line_end = text.find("\n", found.end)
    line = text[text.rfind("\n", 0, found.start) + 1 : line_end if line_end >= 0 else len(text)]
    yield Draft(
        Category.VERIFIED_ACTION,
        " ".join(text[found.start : found.end].split()),
        Span(outcome.message.id, found.start, found.end),
        Role.TOOL,
        f"tool.{found.kind}",
        0.85,
        line[:600],
        frozenset({Mark.CONTRADICTED}) if outcome.ok is False else frozenset(),
        validation_command=outcome.call.command if outcome.call else None,
    )
