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
from cfpm.text.heads.answering import statement_vector
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.odds import log_odds, weighed

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from cfpm.text.heads.relation import Judgement

LEAST = 400
"""Thousandths of an update by the relation head from which it is weighed."""

REPLACES = 600
"""Thousandths from which the older one is replaced."""

CLEARLY, NOT_AGAINST = 780, 350
"""Thousandths of an update by the relation head from which it is believed though words and ways of saying speak against
it, and of a replacement down to which they may: "We finally relocated, it's Lyon" beside "I live in Ghent".

Of 700 pairs and a world of 45 statements by four authors kept apart, 780 in place of 900 replaces five more, two of
them rightly; of pairs read in four stories 43 of 70 that are ended are found from 900, and 11 others."""

SURE, SURE_ENOUGH = 850, 300
"""Thousandths of an update from which words of correction ("make that 8") need nothing else: of 6 such pairs kept apart
5 are right. The second where both share a word that says something ("make that 8 geese"): hardly measured, of 893
pairs kept apart it takes two more, one of them rightly."""


def replaces(newer: str, older: str, told: Judgement) -> int:
    """That the newer statement takes the older one's place, in thousandths; 0 if the relation head takes it for no
    update."""
    if takes_back(newer) and told.update >= (SURE_ENOUGH if shared(newer, older) else SURE):
        return max(REPLACES, _share(newer, older, told))
    share = _share(newer, older, told) if told.update >= LEAST else 0
    return max(REPLACES, share) if told.update >= CLEARLY and share >= NOT_AGAINST else share


def _share(newer: str, older: str, told: Judgement) -> int:
    return weighed(toml_table("cfpm.text.heads", "data/replacement")["weights"], values(newer, older, told))


def values(newer: str, older: str, told: Judgement) -> dict[str, float]:
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
        "meant": round(float(statement_vector(newer) @ statement_vector(older)), 3),
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
