"""What a sentence is, read whole by a tuned encoder: its kind, how long it is worth knowing, whether it is meant.

The first layer is that of the encoder that reads pairs (`cfpm/text/heads/relation.py`); the others and the answers
were tuned on labelled sentences by `python -m benchmarks train sentence`.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

from cfpm.model.patterns import lazy_pattern
from cfpm.text.heads.linear import Seen, head
from cfpm.text.heads.relation import encoder, stored, thousandths

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cfpm.embedding.encoder import Encoder

MAX_CHARS = 300
"""Characters of a sentence that are read."""

MAX_PIECES = 60
"""Word pieces of a sentence that are read, as while it was tuned."""

AGENT = "assistant"
"""Stands before a sentence of an agent, as while it was tuned."""

MAYBE_LATER = 40
"""Thousandths from which an agent's sentence is read, by the head that sees its words: a third of what agents say."""

MOST_READ = 32
"""Sentences of a message that are read, so that a long one takes a fraction of a second."""

SHARED = 1
"""Layers of the encoder of pairs below the own ones."""

KINDS = (
    "none",
    "instruction",
    "goal",
    "preference",
    "profile",
    "decision",
    "note",
    "event",
    "outcome",
    "diagnosis",
    "command",
)
LASTING = ("noise", "moment", "task", "later")
MEANT = ("meant", "hearsay", "jest", "guess", "supposed", "withdrawn", "question")
"""The answers to the three questions, in the order of the weights."""

_CHINESE = lazy_pattern(r"[\u3400-\u9fff]")
_ENDS = (".", "!", "?", "…", "。", "！", "？", ":", "：", ";")

_OF_USERS = {"outcome": "note", "diagnosis": "note", "command": "note"}
"""Kinds that the head for users' sentences calls another one."""


class Read(NamedTuple):
    """How probable each answer to the three questions is, in thousandths."""

    kind: Mapping[str, int]
    lasting: Mapping[str, int]
    meant: Mapping[str, int]


def read(texts: Sequence[str], *, by_agent: bool = False) -> list[Read]:
    """What each sentence of a user, or of an agent, is. Takes some milliseconds for each; loads numpy and 32 MB."""
    return read_by(_encoder(), texts, by_agent=by_agent) if texts else []


def read_by(reader: Encoder, texts: Sequence[str], *, by_agent: bool = False) -> list[Read]:
    """As `read`, by another encoder."""
    logits = reader.answers([cut_up(text, by_agent=by_agent) for text in texts])
    told: list[list[dict[str, int]]] = []
    begin = 0
    for answers in (KINDS, LASTING, MEANT):
        shares = thousandths(logits[:, begin : begin + len(answers)]).tolist()
        told.append([dict(zip(answers, row, strict=True)) for row in shares])
        begin += len(answers)
    return [Read(*row) for row in zip(*told, strict=True)]


def cut_up(text: str, *, by_agent: bool) -> tuple[Sequence[int], Sequence[int]]:
    """The word pieces of who says it, none for a user, and of a sentence as it is read."""
    from cfpm.embedding import static_embedder

    cut = static_embedder().in_order
    return cut(AGENT) if by_agent else (), cut(ended(text))[:MAX_PIECES]


def ended(text: str) -> str:
    """A sentence as it is read: with a full stop, if it has no end. Whether people write one says nothing."""
    text = text.strip()[:MAX_CHARS]
    if text.endswith(_ENDS):
        return text
    return text + ("。" if _CHINESE.search(text) else ".")


class Judged(NamedTuple):
    """What a sentence of a user is, by the encoder and the linear heads together, in thousandths."""

    kind: Mapping[str, int]
    lasting: Mapping[str, int]
    meant: Mapping[str, int]
    """Empty for a sentence that the encoder did not read."""
    kind_by_words: Mapping[str, int]
    lasting_by_words: Mapping[str, int]
    """The same by the linear heads alone."""


def judge(texts: Sequence[str]) -> list[Judged]:
    """What each sentence of a user is: the heads know the words of all labels, the encoder what a sentence means.

    Of many sentences the encoder reads the first `MOST_READ`.
    """
    seen = Seen(texts)
    linear = zip(head("user").of(seen), head("user-lasting").of(seen), strict=True)
    read_too = chain(read(texts[:MOST_READ]), repeat(None))
    return [
        Judged(kind, lasting, {}, kind, lasting)
        if own is None
        else Judged(_mixed(kind, _of_user(own.kind)), _mixed(lasting, own.lasting), own.meant, kind, lasting)
        for (kind, lasting), own in zip(linear, read_too, strict=False)
    ]


def judge_agents(texts: Sequence[str], most: int) -> list[Read | None]:
    """What each sentence of an agent is. Most of what agents say is nothing to keep, which a head sees from its words:
    the encoder reads only the `most` that this finds likeliest to be worth knowing later, None for the others."""
    shares = [one["later"] for one in head("agent-lasting").shares(texts)]
    likely = [place for place, share in enumerate(shares) if share >= MAYBE_LATER]
    asked = sorted(sorted(likely, key=lambda place: -shares[place])[:most])
    found: list[Read | None] = [None] * len(texts)
    for place, one in zip(asked, read([texts[place] for place in asked], by_agent=True), strict=True):
        found[place] = one
    return found


def _of_user(kinds: Mapping[str, int]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for kind, share in kinds.items():
        found[_OF_USERS.get(kind, kind)] += share
    return found


def _mixed(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """The geometric mean of both, in thousandths: an answer that one of them rules out is hardly possible."""
    roots = {name: math.sqrt((share + 1) * (other[name] + 1)) for name, share in one.items()}
    whole = math.fsum(roots.values())
    return {name: round(1_000 * root / whole) for name, root in roots.items()}


@cache
def _encoder() -> Encoder:
    return encoder().topped(SHARED, stored("sentence"))
