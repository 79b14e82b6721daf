"""How likely each name is to be used again, by a linear model whose weights are data.

It looks at what kind of name it is and where it stood, never at which name."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from cfpm.context.compaction.kinds import SHAPES
from cfpm.context.compaction.names import Name, NameKind, is_file
from cfpm.context.compaction.uses import Channel, Use

_NEAR = 8.0
"""Groups after which a name counts half as near as one of the last group."""

_NOW = 2.0
"""The same for what has just been."""

_OF_CHANNELS = tuple(
    (channel, f"n_{key}", f"has_{key}", f"near_{key}") for channel in Channel if (key := channel.name.lower())
)
"""Each channel with the names of its features."""

_BY_AGENT = (Channel.TARGET, Channel.ARGUMENT, Channel.SAID)

COMMAND = "command"


def worth(use: Use, kind: str, length: int, home: Use | None = None) -> float:
    """The probability that the rest of a session names it again, after `length` groups."""
    table = _weights()["command" if kind == COMMAND else "name"]
    logit = table["intercept"]
    for feature, value in features(use, kind, length, home).items():
        logit += table.get(feature, 0.0) * value
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def kind_of(name: Name) -> str:
    """The kind that the model tells apart: a `file`, a `folder`, an `address`, a `code` with digits, or the shape
    of an identifier."""
    match name.kind:
        case NameKind.PATH:
            return "file" if is_file(name.last) else "folder"
        case NameKind.ADDRESS:
            return "address"
        case NameKind.IDENTIFIER:
            return _shape(name.text)


def _shape(word: str) -> str:
    if any(sign.isdigit() for sign in word):
        return "code"
    if "_" in word.strip("_"):
        return "constant" if word.isupper() else "snake"
    return "pascal" if word.lstrip("_$#@")[:1].isupper() else "camel"


def features(use: Use, kind: str, length: int, home: Use | None = None) -> Mapping[str, float]:
    """What the model looks at."""
    found = {f"kind_{kind}": 1.0, "groups": math.log1p(use.groups), "length": math.log1p(length)}
    latest = max(use.last)
    found["recent"] = math.log1p(max(0, length - latest))
    found["just_now"] = 1 / (1 + max(0, length - latest) / _NOW)
    found[f"groups_{kind}"] = math.log1p(use.groups)
    used = sum(use.counts[channel] for channel in _BY_AGENT)
    if used:
        found["used"] = math.log1p(used)
    elif not use.counts[Channel.ASKED]:
        found["only_shown"] = 1.0
        found["only_groups"] = math.log1p(use.groups)
        found["only_now"] = found["just_now"]
    for channel, number, has, near in _OF_CHANNELS:
        count = use.counts[channel]
        if count:
            found[number] = math.log1p(count)
            found[has] = 1.0
            found[near] = 1 / (1 + max(0, length - use.last[channel]) / _NEAR)
    for deed, count in use.deeds.items():
        found[f"did_{deed}"] = math.log1p(count)
    if use.failed:
        found["failed"] = 1.0
    if use.what:
        found[f"is_{use.what if use.what in SHAPES else 'value'}"] = 1.0
    if home is not None:
        found["home"] = 1.0
        found["home_near"] = 1 / (1 + max(0, length - max(home.last)) / _NEAR)
        found["home_handled"] = float(home.handled)
        found["home_edited"] = float("edited" in home.deeds or "created" in home.deeds)
    return found


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    text = files("cfpm.context.compaction").joinpath("worth.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
