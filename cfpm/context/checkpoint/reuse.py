"""How likely each name is to be used again, by a linear model whose weights are data.

It looks at what kind of name it is and where it stood, never at which name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cfpm.context.checkpoint.activity import Activity
from cfpm.context.checkpoint.names import SHAPES, Name, NameKind, is_file
from cfpm.context.checkpoint.usage import Channel, Use
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

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

_PART = lazy_pattern(r"[A-Z]?[a-z]{4,}|[A-Z]{4,}(?![a-z])|\d{4,}")
_MAX_TEXT = 20_000
"""Characters of what was asked or said last that are compared with names."""


@dataclass(frozen=True, slots=True)
class Now:
    """Where a session stands: after how many groups, in which the user spoke last, and the parts of the words of that
    request and of what the agent said last."""

    length: int
    asked_at: int
    asked: frozenset[str]
    said: frozenset[str]

    @classmethod
    def of(cls, activity: Activity) -> Now:
        """Where the groups that were taken in have led."""
        asked, said = parts(activity.request[:_MAX_TEXT]), parts(activity.said[-_MAX_TEXT:])
        return cls(activity.length, activity.asked_at, asked, said)


def parts(text: str) -> frozenset[str]:
    """The longer words of a text and of its names, without a plural's -s: `loadConfigFiles` has load, config, file."""
    return frozenset(part.lower().removesuffix("s") for part in _PART.findall(text))


def reuse_probability(name: str, use: Use, kind: str, now: Now, home: Use | None = None) -> float:
    """The probability that the rest of a session names it again."""
    table = _weights()["command" if kind == COMMAND else "name"]
    logit = table["intercept"]
    for feature, value in features(name, use, kind, now, home).items():
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


def features(name: str, use: Use, kind: str, now: Now, home: Use | None = None) -> Mapping[str, float]:
    """What the model looks at."""
    length = now.length
    found = {f"kind_{kind}": 1.0, "groups": math.log1p(use.groups), "length": math.log1p(length)}
    latest = max(use.last)
    found["recent"] = math.log1p(max(0, length - latest))
    found["just_now"] = 1 / (1 + max(0, length - latest) / _NOW)
    found[f"groups_{kind}"] = math.log1p(use.groups)
    used = sum(use.counts[channel] for channel in _BY_AGENT)
    own = parts(name)
    asked = len(own & now.asked) / len(own) if own else 0.0
    found["asked_parts"] = asked
    found["said_parts"] = len(own & now.said) / len(own) if own else 0.0
    found["since_asked"] = float(use.seen >= now.asked_at)
    if used:
        found["used"] = math.log1p(used)
    elif not use.counts[Channel.ASKED]:
        found["only_shown"] = 1.0
        found["only_groups"] = math.log1p(use.groups)
        found["only_now"] = found["just_now"]
        found["only_asked_parts"] = asked
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


def _weights() -> Mapping[str, Mapping[str, float]]:
    return toml_table("cfpm.context.checkpoint", "reuse")
