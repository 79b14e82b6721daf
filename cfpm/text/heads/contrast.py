"""Whether a statement that sets one thing against another ("pnpm, not npm") takes the place of an older one.

Beside the whole statement the encoder reads what it affirms, and the words tell whether the older one says what it
denies, denies that, too, or says something that is left over: "Tom drinks coffee" holds beside "tea, not coffee".
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.bytecode import compiled
from cfpm.model.tables import toml_table
from cfpm.text.grammar.reading import read
from cfpm.text.heads.odds import log_odds, weighed
from cfpm.text.heads.relation import judge

if TYPE_CHECKING:
    from cfpm.text.heads.relation import Judgement

BESIDE, OVER = 200, 500
"""Thousandths below which an older statement holds beside the contrast, and from which it is over. From the second on,
of three authors, each by what is learnt of the others, 160 of 190 that are over are found, with 28 of 192 others."""

_LONGEST = 160
"""Characters of a statement that only sets one thing against another."""


class Contrast(NamedTuple):
    """What a statement says, and what it says that it is not."""

    affirmed: str
    denied: str


def contrast(text: str) -> Contrast | None:
    """The two sides of a short statement; None for any other."""
    if len(text) > _LONGEST:
        return None
    for form in _forms():
        if match := form.search(text):
            sides = match.groupdict()
            left = f"{text[: match.start()]} {text[match.end() :]}"
            affirmed = (sides.get("affirmed") or left).strip(" \t,，;；.。!！–—-")
            return Contrast(affirmed, sides["denied"].strip()) if read(affirmed).words else None
    return None


def ends(newer: str, older: str, told: Judgement) -> int | None:
    """That a contrast takes the older statement's place, in thousandths; None for a statement that is none."""
    sides = contrast(newer)
    if sides is None:
        return None
    return weighed(toml_table("cfpm.text.heads", "data/contrast")["weights"], values(older, sides, told))


def values(older: str, sides: Contrast, told: Judgement) -> dict[str, float]:
    """What is weighed, by the names that the weights have; `told` is the whole statement beside the older one."""
    (of_affirmed,) = judge(sides.affirmed, [older])
    known, affirmed, denied = read(older), {*read(sides.affirmed).words}, {*read(sides.denied).words}
    words = {*known.words}
    return {
        "changes": log_odds(told.update + told.contradict),
        "same": log_odds(told.same),
        "affirmed changes": log_odds(of_affirmed.update + of_affirmed.contradict),
        "affirmed same": log_odds(of_affirmed.same),
        "older denies": float(bool(known.negated)),
        "older denies it": float(not denied.isdisjoint(known.negated)),
        "denied in older": len(words & denied) / max(1, len(denied)),
        "all denied in older": float(bool(denied) and denied <= words),
        "affirmed in older": len(words & affirmed) / max(1, len(affirmed)),
        "left over": len(words - denied - affirmed) / max(1, len(words)),
    }


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    forms = toml_table("cfpm.text.heads", "data/contrast_forms")["forms"]
    return tuple(compiled(form, re.IGNORECASE) for form in forms)
