"""What hosts tell beside the words of a message: tokens and price, model, folder, who is to see it. Reads no words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from cfpm.model import Details, Message, Origin, Role, TokenUsage
from cfpm.transcript.fields import label, object_of, text_of

_KEYS = frozenset({"usage", "usage_metadata", "model", "cwd", "cost", "response_id", "user_visible", "agent_visible"})
_LARGEST = 2**53
"""Tokens of one reply that are believed: beyond, a number is none that a provider counted."""

_SENT = ("input", "input_tokens", "prompt_tokens", "promptTokenCount", "prompt_token_count")
_WRITTEN = ("output", "output_tokens", "completion_tokens", "candidatesTokenCount", "candidates_token_count")
_READ = ("cache_read", "cache_read_tokens", "cached_tokens", "cachedContentTokenCount", "cached_content_token_count")
_KEPT = ("cache_written", "cache_write_tokens", "cache_creation")
_PARTS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
"""Where OpenAI and LangChain tell what came from a cache."""
_BESIDE = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""Anthropic counts these beside `input_tokens`, all others among them."""
_THOUGHTS = ("thoughtsTokenCount", "thoughts_token_count")
"""Gemini counts these beside what was written."""


def details_of(item: Mapping[str, object]) -> Details | None:
    """What a dict of a host tells beside its words, None for nothing. What makes no sense is left out."""
    if _KEYS.isdisjoint(item):
        return None
    found = Details(
        model=label(item.get("model")),
        usage=read_usage(item.get("usage") or item.get("usage_metadata"), item.get("cost")),
        reply=label(item.get("response_id")),
        cwd=text_of(item.get("cwd")),
        user_visible=item.get("user_visible") is not False,
        agent_visible=item.get("agent_visible") is not False,
    )
    return None if found == Details() else found


def usage_of(item: object) -> Details | None:
    """The model and the tokens that an object of a library tells of its reply; None for nothing."""
    usage = read_usage(_fields(getattr(item, "usage", None)) or _fields(getattr(item, "usage_metadata", None)))
    model = text_of(getattr(item, "model", None) or getattr(item, "model_name", None))
    return Details(model=label(model), usage=usage) if usage else None


def with_details(parts: list[Message], details: Details | None) -> list[Message]:
    """The parts of one message with what was told of it: who sees it of each, the rest of what was said, or the
    last."""
    if details is None or not parts:
        return parts
    flags = Details(user_visible=details.user_visible, agent_visible=details.agent_visible)
    said = [at for at, part in enumerate(parts) if part.role is Role.ASSISTANT and part.origin is not Origin.THINKING]
    bearer = said[-1] if said else len(parts) - 1
    return [_told(part, details if at == bearer else flags) for at, part in enumerate(parts)]


def _told(part: Message, details: Details) -> Message:
    if part.details is not None:
        details = replace(details, signature=part.details.signature)
    return part if details == Details() else replace(part, details=details)


def read_usage(value: object, cost: object = None) -> TokenUsage | None:
    """The tokens that a provider counted, in the form of any of them; None where none are told.

    `cost` is a price that stands beside them.
    """
    told = object_of(value)
    price = _price(told.get("cost", told.get("total_cost")) if cost is None else cost)
    if not told:
        return TokenUsage(cost=price) if price is not None else None
    inner = {name: number for part in _PARTS for name, number in object_of(told.get(part)).items()}
    read, created = (_count(told, name) for name in _BESIDE)
    usage = TokenUsage(
        input=_first(told, _SENT) + read + created,
        output=_first(told, _WRITTEN) + _first(told, _THOUGHTS),
        cache_read=read or _first(told, _READ) or _first(inner, _READ),
        cache_written=created or _first(told, _KEPT) or _first(inner, _KEPT),
        cost=price,
    )
    return None if usage == TokenUsage() else usage


def _first(told: Mapping[str, object], names: tuple[str, ...]) -> int:
    return next((number for name in names if (number := _count(told, name))), 0)


def _count(told: Mapping[str, object], name: str) -> int:
    value = told.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST else 0


def _price(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None


def _fields(value: object) -> Mapping[str, object]:
    """The fields of a usage, a dict or an object of a library."""
    if isinstance(value, Mapping):
        return value
    names = (*_SENT, *_WRITTEN, *_READ, *_KEPT, *_BESIDE, *_PARTS, *_THOUGHTS, "cost")
    return dict(_read_attributes(value, names))


def _read_attributes(value: object, names: tuple[str, ...]) -> Iterator[tuple[str, object]]:
    for name in names:
        found = getattr(value, name, None)
        if isinstance(found, int | float | Mapping):
            yield name, found
        elif found is not None and name in _PARTS:
            yield name, dict(_read_attributes(found, (*_READ, *_KEPT)))
