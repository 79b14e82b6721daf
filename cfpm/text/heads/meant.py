"""How surely what a user says is not meant as it stands: what all heads make of it, and the signs of hearsay, jests and
guesses, weighed together.

Each of them by itself takes talk that is only colourful for a jest ("the cellar drinks paint like a sailor, so order
two more tins"): of a thousand sentences of stories that they refused, three in five were meant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text.heads.belief import JEST, REPORTED, SUPPOSED, kinds
from cfpm.text.heads.odds import log_odds, weighed
from cfpm.text.heads.standing import KINDS, LASTING, MEANT

if TYPE_CHECKING:
    from cfpm.text.heads.sentence import Judged

WITHDRAWN = "withdrawn"
"""Said and taken back, or no longer so."""

HOW = {"hearsay": REPORTED, "jest": JEST, "guess": SUPPOSED, "supposed": SUPPOSED, WITHDRAWN: WITHDRAWN}
"""For each answer of the encoder that is not `meant` or a question, how a sentence is said then."""

ONE_SENTENCE = 160
"""Characters of a line that is judged as a whole; in a longer one a part may be somebody's word and another a fact."""

_CHINESE = lazy_pattern("[\u4e00-\u9fff]")
_A_WORD = 3
"""Letters of English for a Chinese character."""


def unmeant_share(text: str, line: str, told: Judged) -> int:
    """That a sentence of a user is not meant as it stands, in thousandths. `line` is what it stands in, `told` is what
    the heads make of it; 0 for one that the encoder did not read, or takes for a question, which may name a reason."""
    if not told.meant or max(told.meant, key=told.meant.__getitem__) == "question":
        return 0
    return weighed(toml_table("cfpm.text.heads", "data/meant")["weights"], values(text, line, told))


def how(text: str, line: str, told: Judged) -> str:
    """In which way, if it is not meant: the likeliest by its signs and by the encoder."""
    shares = {name: told.meant.get(name, 0) for name in HOW}
    signs = {name: max(kind.share(text.lower()), kind.share(line.lower())) for name, kind in kinds().items()}
    found: dict[str, int] = {}
    for name, share in shares.items():
        found[HOW[name]] = found.get(HOW[name], 0) + share
    return max(found, key=lambda name: found[name] + signs.get(name, 0))


def values(text: str, line: str, told: Judged) -> dict[str, float]:
    """What is weighed, by the names that the weights have."""
    lower, around = text.lower(), line.lower()
    chinese = _CHINESE.search(text) is not None
    return {
        **{f"meant {name}": log_odds(told.meant.get(name, 0)) for name in MEANT},
        **{f"kind {name}": log_odds(told.kind.get(name, 0)) for name in KINDS},
        **{f"words {name}": log_odds(told.kind_by_words.get(name, 0)) for name in KINDS},
        **{f"lasting {name}": log_odds(told.lasting.get(name, 0)) for name in LASTING},
        **{f"words {name}": log_odds(told.lasting_by_words.get(name, 0)) for name in LASTING},
        **{f"signs {name}": kind.share(lower) / 1_000 for name, kind in kinds().items()},
        **{f"signs around {name}": kind.share(around) / 1_000 for name, kind in kinds().items()},
        "chinese": float(chinese),
        "length": math.log(1 + len(text) * (_A_WORD if chinese else 1)),
    }
