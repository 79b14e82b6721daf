"""Cuts a text into clauses of words and values. No parser: commas, pronouns and conjunctions say where one begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cfpm.text.quantities.figures import VALUE, Figure, figure
from cfpm.text.quantities.vocabulary import lists

_TOKEN = re.compile(VALUE + r"|(?P<word>[^\W\d_][\w'’-]*)|(?P<stop>[,;:()?!\"“”—–]|\.(?=\s|$))", re.IGNORECASE)


@dataclass(slots=True)
class Clause:
    """The words and values of a clause in order."""

    items: list[tuple[str, str, Figure | None]] = field(default_factory=list)
    """Kind ("word" or "value"), text, figure."""
    points_back: bool = False


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a text, in order."""
    clauses = [Clause()]
    waiting = ""
    for match in _TOKEN.finditer(text):
        kind, shown = match.lastgroup or "", match[0]
        lower = shown.lower().replace("’", "'")
        last = clauses[-1]
        if kind == "stop":
            waiting = ","
            if shown != "," and last.items:
                clauses.append(Clause())
            continue
        begins = lower in lists()["breaks"] or (
            bool(waiting)
            and (
                lower in lists()["pronouns"]
                or (waiting == "," and (lower in lists()["openers"] or lower.endswith("ing")))
            )
        )
        if kind == "word" and begins and any(text != "and" for _, text, _ in last.items):
            last = Clause(points_back=lower in lists()["pointers"])
            clauses.append(last)
        elif kind == "word" and begins and lower in lists()["pointers"]:
            last.points_back = True
        waiting = "and" if lower == "and" else ""
        value = None if kind == "word" else figure(kind, shown)
        last.items.append(("word" if value is None else "value", shown, value))
    return clauses
