"""What a newer statement is to an older one: the same again, its update, its contradiction, or something else."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from cfpm.embedding.stored import stored_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from cfpm.embedding.encoder import Encoder

MAX_CHARS = 240
"""Characters of a statement that are read."""

_RECENT = 256
"""Pairs whose judgements are kept."""


class Relation(StrEnum):
    """What the newer of two statements is to the older one, in the order of the head's answers."""

    SAME = "same"
    UPDATE = "update"
    CONTRADICT = "contradict"
    DIFFERENT = "different"


class Judgement(NamedTuple):
    """How probable each relation is, in thousandths."""

    same: int
    update: int
    contradict: int
    different: int


_recent: dict[tuple[str, str], Judgement] = {}


def judge(newer: str, older: Sequence[str]) -> list[Judgement]:
    """What `newer` is to each of the older statements. Takes some milliseconds for each; loads numpy and 23 MB.

    Rules are asked about twice: the last pairs are known, of generated turns one in six.
    """
    told = {text: _recent.get((newer, text)) for text in older}
    unread = [text for text, known in told.items() if known is None]
    if unread:
        judged = dict(zip(unread, judged_by(encoder(), newer, unread), strict=True))
        told |= judged
        if len(_recent) >= _RECENT:
            _recent.clear()
        _recent.update({(newer, text): one for text, one in judged.items()})
    return [one for text in older if (one := told[text])]


def judged_by(read_by: Encoder, newer: str, older: Sequence[str]) -> list[Judgement]:
    """As `judge`, by another encoder."""
    from cfpm.embedding import static_embedder

    cut = static_embedder().in_order
    read = [cut(text[:MAX_CHARS]) for text in (newer, *older)]
    return [Judgement(*row) for row in thousandths(read_by.answers([(one, read[0]) for one in read[1:]])).tolist()]


def thousandths(logits: NDArray[np.float32]) -> NDArray[np.int64]:
    """How probable each answer of a row is; logits are rounded first, since their last bits differ by processor."""
    import numpy as np

    rounded = np.round(logits, 2).astype("f8")
    shares = np.exp(rounded - rounded.max(axis=1, keepdims=True))
    told: NDArray[np.int64] = np.rint(shares / shares.sum(axis=1, keepdims=True) * 1_000).astype("i8")
    return told


@cache
def encoder() -> Encoder:
    """The encoder that reads pairs."""
    from cfpm.embedding.encoder import Encoder

    return Encoder(stored("relation"))


def stored(name: str) -> Mapping[str, NDArray[np.generic]]:
    """The weights of this name that ship with the package. Raises CFPMError for a file that is not the released one."""
    return stored_weights("cfpm.text.heads", name)
