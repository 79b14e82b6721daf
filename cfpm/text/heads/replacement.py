"""How surely a newer statement takes the place of an older one: what the relation head says, weighed by how both are
said.

The head learnt from short statements. Of long talk ("I'm trying to ..., but I'm wondering whether ...") it takes for
updates what is only on the same subject.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from cfpm.model.bytecode import compiled
from cfpm.model.tables import toml_table
from cfpm.text.grammar.reading import read
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.odds import log_odds, weighed

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from cfpm.text.heads.nearness import Closeness
    from cfpm.text.heads.relation import Judgement

LEAST = 100
"""Thousandths of an update by the relation head from which it is weighed."""

REPLACES = 500
"""Thousandths from which the older one is replaced: of 236 pairs of 19 stories that are ended 129 are found, and 66
others, not all of which anybody has read; from 600 on 107 and 36. Of 320 written updates by five authors nine more than
from 600 on, and three of 300 innocent ones."""

SURE, SURE_ENOUGH = 850, 300
"""Thousandths of an update from which words of correction ("make that 8") need nothing else: of 6 such pairs kept apart
5 are right. The second where both share a word that says something ("make that 8 geese"): hardly measured, of 893
pairs kept apart it takes two more, one of them rightly."""


def replaces(newer: str, older: str, told: Judgement, close: Closeness) -> int:
    """That the newer statement takes the older one's place, in thousandths; 0 if the relation head takes it for no
    update. `close` is how close they are by what was said, among all that is near to the newer one."""
    if takes_back(newer) and told.update >= (SURE_ENOUGH if shared(newer, older) else SURE):
        return max(REPLACES, _share(newer, older, told, close))
    return _share(newer, older, told, close) if told.update >= LEAST else 0


def _share(newer: str, older: str, told: Judgement, close: Closeness) -> int:
    return weighed(toml_table("cfpm.text.heads", "data/replacement")["weights"], values(newer, older, told, close))


def values(newer: str, older: str, told: Judgement, close: Closeness) -> dict[str, float]:
    """What is weighed, by the names that the weights have."""
    from cfpm.embedding import static_embedder

    one, other = static_embedder().embed([newer, older])
    seen = Seen([newer, older])
    (kind, kind_of_older), (lasting, lasting_of_older) = head("user").of(seen), head("user-lasting").of(seen)
    return {
        "update": log_odds(told.update),
        "same": log_odds(told.same),
        "contradict": log_odds(told.contradict),
        "words_of_older": math.log(1 + len(older.split())),
        # Rounded, so that it is the same on every processor.
        "cosine": round(float(one @ other), 4),
        "meant": close.cosine,
        "meant_first": float(close.rank == 0),
        "meant_rank": math.log1p(close.rank),
        "meant_ahead": 0.0 if close.rank else close.gap,
        "meant_behind": close.gap if close.rank else 0.0,
        "shared": shared(newer, older),
        "passing": (kind["none"] + kind["goal"]) / 1_000,
        "passing_of_older": (kind_of_older["none"] + kind_of_older["goal"]) / 1_000,
        "later": lasting["later"] / 1_000,
        "later_of_older": lasting_of_older["later"] / 1_000,
        **signs_of_change(newer),
    }


def shared(one: str, other: str) -> float:
    """How many words that say something both have, as a logarithm: what shares none seldom takes a place."""
    return math.log1p(len({*read(one).words} & {*read(other).words}))


def signs_of_change(text: str) -> dict[str, float]:
    """1 for each kind of words by which a statement shows that something said before holds no longer, by name."""
    lower = text.lower()
    return {name: float(sign.search(lower) is not None) for name, sign in _signs().items()}


def takes_back(text: str) -> bool:
    """Whether it says by its words that what was said right before was wrong."""
    return _signs()["corrects"].search(text.lower()) is not None


@cache
def _signs() -> Mapping[str, re.Pattern[str]]:
    signs = toml_table("cfpm.text.heads", "data/change")
    return {name: compiled(signs[name]) for name in ("over", "corrects")}
