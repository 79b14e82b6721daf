"""How surely a statement is worth knowing in later sessions, by the heads that were learnt from labelled sentences.

Asked of what may be told, not of what is believed: reports of agents were never drafted, and a fact keeps no figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.text.heads.linear import Seen, head

if TYPE_CHECKING:
    from collections.abc import Sequence

_ALL = 1_000
"""Of the shares of a head."""

_REMEMBERED = 16_384
"""Statements whose worth a process keeps, some 4 MB: its briefs tell mostly the same ones."""

_known: dict[tuple[str, bool], float] = {}


def lasting(texts: Sequence[str], *, by_agent: bool) -> list[float]:
    """For each statement from 0 to 1. Of an agent: that it is worth knowing later. Of a user, who also orders: the
    larger of that and of its mean with how surely it is a standing rule."""
    wanted = [(text, by_agent) for text in texts]
    new = [key for key in dict.fromkeys(wanted) if key not in _known]
    if new and len(_known) + len(new) > _REMEMBERED:
        _known.clear()
        new = list(dict.fromkeys(wanted))
    if new:
        _known.update(zip(new, _read([text for text, _ in new], by_agent=by_agent), strict=True))
    return [_known[key] for key in wanted]


def asks(text: str) -> bool:
    """Whether a user's sentence is more likely a request than all else that it may be."""
    return head("user").shares([text])[0]["goal"] > _ALL // 2


def _read(texts: Sequence[str], *, by_agent: bool) -> list[float]:
    seen = Seen(texts)
    if by_agent:
        return [one["later"] / _ALL for one in head("agent-lasting").of(seen)]
    read = zip(head("user-lasting").of(seen), head("user").of(seen), strict=True)
    return [max(one["later"], (one["later"] + kinds["instruction"]) / 2) / _ALL for one, kinds in read]
