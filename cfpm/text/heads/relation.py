"""What a newer statement is to an older one: the same again, its update, its contradiction, or something else."""

from __future__ import annotations

import hashlib
import io
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from cfpm.errors import CFPMError
from cfpm.model.tables import toml_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.text.heads.encoder import Encoder

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
    """What `newer` is to each of the older statements. Takes some milliseconds for each; loads numpy and 20 MB.

    Rules are asked about twice: the last pairs are known, of generated turns one in six.
    """
    told = {text: _recent.get((newer, text)) for text in older}
    unread = [text for text, known in told.items() if known is None]
    if unread:
        judged = dict(zip(unread, judged_by(_encoder(), newer, unread), strict=True))
        told |= judged
        if len(_recent) >= _RECENT:
            _recent.clear()
        _recent.update({(newer, text): one for text, one in judged.items()})
    return [one for text in older if (one := told[text])]


def judged_by(encoder: Encoder, newer: str, older: Sequence[str]) -> list[Judgement]:
    """As `judge`, by another encoder."""
    import numpy as np

    from cfpm.embedding import static_embedder

    cut = static_embedder().in_order
    read = [cut(text[:MAX_CHARS]) for text in (newer, *older)]
    logits = np.round(encoder.answers([(one, read[0]) for one in read[1:]]), 2).astype("f8")
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = np.rint(shares / shares.sum(axis=1, keepdims=True) * 1_000).astype(int)
    return [Judgement(*row) for row in shares.tolist()]


@cache
def _encoder() -> Encoder:
    import numpy as np

    from cfpm.text.heads.encoder import Encoder

    about = toml_table("cfpm.text.heads", "data/heads")["relation"]
    data = _data(about["file"])
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        raise CFPMError(f"cfpm/text/heads/data/{about['file']} is not the released file. Install cfpm again")
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        return Encoder({name: stored[name] for name in stored.files})


def _data(name: str) -> bytes:
    return resources.files("cfpm.text.heads").joinpath("data", name).read_bytes()
