"""What becomes of a user's answer to an agent's question: a standing rule, something worth knowing later, or nothing.

The heads learnt from statements; what they make of a question with its answer, and of what an agent offers to do, is
weighed here.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table
from cfpm.text.heads.odds import log_odds, weighed
from cfpm.text.heads.sentence import judge
from cfpm.text.heads.standing import surely_a_rule
from cfpm.text.words import content_words, has_cjk, is_acknowledgement, lexicons_for, plain_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cfpm.text.heads.sentence import Judged

KINDS = ("instruction", "goal", "preference", "profile", "decision", "note", "none")
LASTING = ("noise", "moment", "task", "later")
"""The answers that are weighed."""

_OPEN = lazy_pattern(
    r"\b(?:what|which|who|whose|when|where|why|how|at what|in which|for which)\b[^.?!]*\?|"
    r"什么|哪|谁|几|多少|怎么|为什么|何时"
)
_OF_THE_MOMENT = lazy_pattern(
    r"\b(?:did (?:that|this|it)|is (?:that|this|it)|does (?:that|this|it)|are you|do you see|can you see|ready|"
    r"now|today|tonight|tomorrow|this (?:time|one|week|chart|page|file|test|run)|first|next|continue|go on|go ahead)\b|"
    r"现在|今天|今晚|这次|这个|继续|先"
)
"""Words by which an agent asks about what both are at."""


class Told(NamedTuple):
    """How sure it is, in thousandths, that an answer makes a rule, and that it is worth knowing later; and what the
    heads make of question and answer."""

    rule: int
    later: int
    heads: Judged


def told(asked: str, answer: str, order: str) -> Told:
    """`order` is what the agent offers or asks to do, in its user's words; empty for another question."""
    both = f"{asked} {answer}"
    judged = judge([both, order] if order else [both])
    found = values(asked, answer, order, judged)
    return Told(_share("rule", found), _share("later", found), judged[0])


def values(asked: str, answer: str, order: str, judged: list[Judged]) -> dict[str, float]:
    """What is weighed, by the names that the weights have; `judged` is of both together and of the order."""
    both, text = judged[0], f"{asked} {answer}"
    of_order = judged[1] if order else None
    lower, words = asked.lower(), content_words(answer)
    standing = any(_stands(one.lower()) for one in (asked, answer))
    return {
        **{f"kind {name}": log_odds(both.kind.get(name, 0)) for name in KINDS},
        **{f"lasting {name}": log_odds(both.lasting.get(name, 0)) for name in LASTING},
        "rule": log_odds(surely_a_rule(text, both, by_pattern=False, asked=False)),
        "order": float(bool(order)),
        "order rule": log_odds(surely_a_rule(order, of_order, by_pattern=False, asked=True)) if of_order else 0.0,
        "order later": log_odds(of_order.lasting["later"]) if of_order else 0.0,
        "standing": float(standing),
        "open": float(_OPEN.search(lower) is not None),
        "moment": float(_OF_THE_MOMENT.search(lower) is not None),
        "acknowledges": float(is_acknowledgement(answer)),
        "words": math.log1p(len(words) / (2 if has_cjk(answer) else 1)),
        "number": float(any(sign.isdigit() for sign in answer)),
        "name": float(any(word[:1].isupper() for word in answer.split()[1:])),
        "chinese": float(has_cjk(text)),
    }


def _stands(lower: str) -> bool:
    """Whether a word for every case stands in it."""
    words = frozenset(plain_words(lower))
    sections = ("instruction.standing", "instruction.adverbial", "instruction.later")
    return any(each[name].find(lower, words) is not None for each in lexicons_for(lower) for name in sections)


def _share(of: str, found: Mapping[str, float]) -> int:
    return weighed(_weights()[of], found)


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    weights: dict[str, dict[str, float]] = toml_table("cfpm.text.heads", "data/replies")
    return weights
