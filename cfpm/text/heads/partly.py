"""Whether an older statement still holds in part beside the one that changes something in it: "keep the replies short"
beside "the short replies don't count for contracts", "Python and black" beside "we lint with ruff".

Weighed is what the encoder makes of both, and of each part of the older one.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text.changes import excepts
from cfpm.text.grammar.reading import read
from cfpm.text.heads.odds import log_odds, weighed
from cfpm.text.heads.relation import judge
from cfpm.text.heads.replacement import signs_of_change
from cfpm.text.parts import parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.text.heads.relation import Judgement

MAX_PARTS = 6
"""Parts of a statement that are read."""

APART = 1.5
"""How much less, in log odds, a part is touched than another, so that it is none of what changes."""

_PERMITS = lazy_pattern(
    r"\b(?:fine|ok|okay|okey|welcome|allowed|alright|all right|can|may|free to|no need|don['’]?t need|just do)\b|"
    r"可以|能|不用|允许|随便",
    re.IGNORECASE,
)
_OF_ALL = lazy_pattern(
    r"\b(?:always|all|every|everything|any|anything|never|no|only|don['’]?t|not|each)\b|都|一律|所有|每|不要|不能|别|只",
    re.IGNORECASE,
)
_OF_A_CASE = lazy_pattern(
    r"\b(?:for|in|on|at|under|over|when|if|from|with|inside|within|during|about|except)\b|的时候|如果|以内|以下|除了|对",
    re.IGNORECASE,
)
_LISTED = lazy_pattern(r"[,;，、；]| and ")


# Asked of a pair before it is settled, and again of what is left.
@lru_cache(maxsize=256)
def holds_in_part(newer: str, older: str) -> int:
    """That something of the older statement still holds, in thousandths, if the newer one changes anything in it."""
    return weighed(toml_table("cfpm.text.heads", "data/partly")["weights"], values(newer, older))


def values(newer: str, older: str) -> dict[str, float]:
    """What is weighed, by the names that the weights have."""
    slices = parts(older)[:MAX_PARTS]
    whole, *of_parts = judge(newer, [older, *(older[begin:end] for begin, end in slices)])
    return {**_of_whole(whole), **_of_parts(of_parts), **_of_words(newer, older)}


def _of_whole(told: Judgement) -> dict[str, float]:
    shares = {name: getattr(told, name) for name in ("same", "update", "contradict", "different")}
    return {name: log_odds(share) for name, share in shares.items()}


def _of_parts(told: Sequence[Judgement]) -> dict[str, float]:
    touched = sorted(log_odds(1_000 - one.different) for one in told)
    changed = sorted(log_odds(one.update + one.contradict) for one in told)
    free = sum(one < touched[-1] - APART for one in touched)
    return {
        "parts": math.log(len(told)),
        "several": float(len(told) > 1),
        "most touched": touched[-1],
        "least touched": touched[0],
        "between": touched[-1] - touched[0],
        "untouched": free / len(told),
        "any untouched": float(free > 0),
        "most changed": changed[-1],
        "least changed": changed[0],
    }


def _of_words(newer: str, older: str) -> dict[str, float]:
    new, old = read(newer), read(older)
    mine, yours = {*new.words}, {*old.words}
    permits, of_all, of_a_case = (
        float(sign.search(text) is not None)
        for sign, text in ((_PERMITS, newer), (_OF_ALL, older), (_OF_A_CASE, newer))
    )
    return {
        "excepts": float(excepts(newer)),
        "length": math.log1p(len(newer)),
        "older length": math.log1p(len(older)),
        "shared": math.log1p(len(mine & yours)),
        "own": math.log1p(len(mine - yours)),
        "older own": math.log1p(len(yours - mine)),
        "permits": permits,
        "of all": of_all,
        "permits of all": permits * of_all,
        "permits a case of all": permits * of_all * of_a_case,
        "of a case": of_a_case,
        "listed": math.log1p(len(_LISTED.findall(older))),
        "numbers": float(bool(new.numbers and old.numbers)),
        "denied": float(bool(new.negated)),
        "older denied": float(bool(old.negated)),
        **{f"sign {name}": sign for name, sign in signs_of_change(newer).items()},
    }
