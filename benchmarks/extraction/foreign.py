"""A user's own extractor, given as `module:function`: what it is passed, and whether its answer can be used.

The function gets a list of plain dicts, one a message: `role`, `content`, `id`, and where there are any `name`, `time`
(ISO 8601, UTC), `tool_calls` and `tool_call_id`, as in OpenAI's style. It answers with an iterable of facts: plain
strings, or dicts with `text` and, optionally, `sources` (ids of messages), `category`, `score` (higher is better),
`id`, `status` (active or superseded) and `replaced_by` (the id of the fact that took its place).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from benchmarks.extraction.conversation import Conversation, Prediction
from benchmarks.extraction.labelled import said
from benchmarks.extraction.scoring import tokens
from cfpm import Message, UsageError
from cfpm.model.clock import to_text

if TYPE_CHECKING:
    from benchmarks.extraction.conversation import Extractor

_TEXTS = ("category", "id", "status", "replaced_by")
_KEYS = frozenset({"text", "sources", "score", "contradicts", *_TEXTS})
_RETURN = "Return an iterable of strings or of dicts with text, and where you have them sources, category and score"


def foreign(name: str) -> Extractor:
    """Raises UsageError for a module that cannot be imported or holds no such function; the extractor raises it for an
    answer that cannot be used."""
    place = f"extractor {name}"
    module_name, _, function_name = name.partition(":")
    try:
        module = import_module(module_name)
    except (ImportError, ValueError) as error:
        remedy = "Run from the folder that the module lies in, or put that folder on PYTHONPATH"
        raise UsageError(place, f"the module cannot be imported ({error})", remedy) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise UsageError(place, f"{module_name} has no function {function_name!r}", "Name one that takes the messages")

    def run(conversation: Conversation) -> list[Prediction]:
        return _predictions(function(as_dicts(conversation)), conversation, place)

    return run


def as_dicts(conversation: Conversation) -> list[dict[str, object]]:
    """The messages as a user's function gets them."""
    return [_as_dict(message) for message in conversation.messages]


def _as_dict(message: Message) -> dict[str, object]:
    plain: dict[str, object] = {"role": message.role.value, "content": message.text, "id": message.id}
    if message.name:
        plain["name"] = message.name
    if message.created_at:
        plain["time"] = to_text(message.created_at)
    if message.tool_calls:
        plain["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments), ensure_ascii=False)},
            }
            for call in message.tool_calls
        ]
    if message.tool_result:
        plain["tool_call_id"] = message.tool_result.call_id
    return plain


def _predictions(answer: object, conversation: Conversation, place: str) -> list[Prediction]:
    if not isinstance(answer, Iterable) or isinstance(answer, str | bytes | Mapping):
        raise UsageError(place, f"it returned a {type(answer).__name__}", _RETURN)
    known = frozenset(message.id for message in conversation.messages)
    nearest = _by_likeness(conversation)
    return [_prediction(item, known, nearest, f"{place}, fact {number}") for number, item in enumerate(answer)]


def _prediction(
    item: object, known: frozenset[str], nearest: Callable[[str], tuple[str, ...]], place: str
) -> Prediction:
    if isinstance(item, str):
        item = {"text": item}
    if not isinstance(item, Mapping):
        raise UsageError(place, f"a {type(item).__name__}", _RETURN)
    if unknown := sorted(map(str, set(item) - _KEYS)):
        raise UsageError(place, f"unknown key {unknown[0]!r}", f"Known are {', '.join(sorted(_KEYS))}")
    text = item.get("text")
    if not isinstance(text, str) or not text.strip():
        raise UsageError(place, f"text is {text!r}", "Give each fact a text that is not empty")
    score = item.get("score", 0.0)
    if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
        raise UsageError(place, f"score is {score!r}", "Give a finite number, higher for the better")
    sources = _sources(item["sources"], known, place) if item.get("sources") is not None else nearest(text)
    rest = {key: str(item[key]) for key in _TEXTS if item.get(key) is not None}
    contradicts = _contradicted(item.get("contradicts", ()), place)
    return Prediction(
        text,
        sources,
        rest.get("category", ""),
        float(score),
        rest.get("id", ""),
        rest.get("status", "active"),
        rest.get("replaced_by", ""),
        contradicts,
    )


def _contradicted(given: object, place: str) -> tuple[str, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise UsageError(place, f"contradicts is a {type(given).__name__}", "Give a list of ids of your own facts")
    return tuple(map(str, given))


def _sources(given: object, known: frozenset[str], place: str) -> tuple[str, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise UsageError(place, f"sources is a {type(given).__name__}", "Give a list of message ids")
    sources = tuple(map(str, given))
    if missing := [source for source in sources if source not in known]:
        raise UsageError(place, f"no message has the id {missing[0]!r}", "Cite the ids that the function was given")
    return sources


def _by_likeness(conversation: Conversation) -> Callable[[str], tuple[str, ...]]:
    """Finds the message that holds most words of a fact, the earliest among equals: for facts without sources."""
    held = [(message.id, frozenset(tokens(said(message)))) for message in conversation.messages]

    def nearest(text: str) -> tuple[str, ...]:
        wanted = frozenset(tokens(text))
        shared, position = max(((len(wanted & words), -n) for n, (_, words) in enumerate(held)), default=(0, 0))
        return (held[-position][0],) if shared else ()

    return nearest
