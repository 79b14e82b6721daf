"""How surely what a user says is a standing rule: what all heads make of it, weighed together.

Each head by itself takes facts, plans and reasons for rules ("The ferry stops at six in winter, so we leave early"): of
what two of them called one, six in ten were.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text.heads.odds import log_odds, weighed

if TYPE_CHECKING:
    from cfpm.text.heads.sentence import Judged

KINDS = ("instruction", "goal", "preference", "profile", "decision", "note", "event", "none")
LASTING = ("noise", "moment", "task", "later")
MEANT = ("meant", "hearsay", "jest", "guess", "supposed", "withdrawn", "question")
"""The answers that are weighed."""

_UNREAD = {"meant": 900}
"""Thousandths for how a sentence is meant that the encoder did not read: as most are. The others 10."""

_CHINESE = lazy_pattern("[\u4e00-\u9fff]")
_SOME = 3
"""Chinese characters up to which a text is not Chinese: a name, a word that is quoted."""
_A_WORD = 3
"""Letters of English for a Chinese character."""


def surely_a_rule(text: str, told: Judged, *, by_pattern: bool, asked: bool) -> int:
    """That a sentence of a user is a standing rule, limit or wish, in thousandths; `told` is what the heads make of it,
    `by_pattern` whether its words alone show one, `asked` whether they show a request."""
    found = values(text, told, by_pattern=by_pattern, asked=asked)
    return weighed(toml_table("cfpm.text.heads", "data/standing")["weights"], found)


def values(text: str, told: Judged, *, by_pattern: bool, asked: bool) -> dict[str, float]:
    """What is weighed, by the names that the weights have."""
    chinese = len(_CHINESE.findall(text)) > _SOME
    return {
        **{f"kind {name}": log_odds(told.kind.get(name, 0)) for name in KINDS},
        **{f"words {name}": log_odds(told.kind_by_words.get(name, 0)) for name in KINDS},
        **{f"lasting {name}": log_odds(told.lasting.get(name, 0)) for name in LASTING},
        **{f"words {name}": log_odds(told.lasting_by_words.get(name, 0)) for name in LASTING},
        **{f"meant {name}": log_odds((told.meant or _UNREAD).get(name, 10)) for name in MEANT},
        "by pattern": float(by_pattern),
        "asked": float(asked),
        "chinese": float(chinese),
        "length": math.log(1 + len(text) * (_A_WORD if chinese else 1)),
    }
