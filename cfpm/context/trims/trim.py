"""What a trim gives back, how a list is rewritten without changing the one that was given, and when rewriting pays."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from cfpm.context.history import Raw
from cfpm.context.tokens import PER_MESSAGE, total_tokens
from cfpm.context.trims.calls import Call, Place, Result, block_text
from cfpm.context.trims.placeholders import is_note

MIN_SAVING = 65_536
"""Characters that a trim must save before it rewrites messages that were sent before, about 16,000 tokens: an eighth of
a window of 128,000. All that follows the first rewritten message is no longer in the provider's prompt cache and is
read at its full price, about ten times that of cached text; less room than this is not worth it."""

TRIGGER_PART = 0.9
"""The part of its budget that a history must have reached before a window rewrites it: until then the cached prompt is
worth more than the room."""

_NOTE_KEY = "_note"


@dataclass(frozen=True, slots=True)
class Trim:
    """What became of a list. `messages` is the very list that was given when nothing changed; messages that did not
    change are the same dicts.

    `rewritten` counts results, arguments and texts, `removed` messages; `saved` is in characters. `media` counts the
    images and other media in rewritten results, which stay. `held_back` is what could be saved but would not pay for a
    lost prompt cache. `manifest` is a text for the host to put where it likes, or empty. `problem` says what a trim
    could not reach, or is empty; `warning` that a cap is near.
    """

    messages: Sequence[Raw]
    rewritten: int = 0
    removed: int = 0
    saved: int = 0
    media: int = 0
    held_back: int = 0
    manifest: str = ""
    problem: str = ""
    warning: str = ""

    @property
    def changed(self) -> bool:
        """Whether the list is another than the one given."""
        return self.rewritten > 0 or self.removed > 0


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What is to stand at a place: a text, or the arguments of a call."""

    place: Place
    value: str | Mapping[str, object]
    saved: int
    media: int = 0


def rewrite_result(result: Result, text: str) -> Rewrite:
    """Another text for a result; its media stay."""
    return Rewrite(result.place, text, len(result.text) - len(text), result.media)


def rewrite_arguments(call: Call, arguments: Mapping[str, object]) -> Rewrite:
    """Other arguments for a call."""
    before = call.given if isinstance(call.given, str) else _json(call.tool.arguments)
    return Rewrite(call.place, arguments, len(before) - len(_json(arguments)))


def noted_arguments(call: Call, keys: Iterable[str], text: str) -> dict[str, object]:
    """The arguments of a call under these keys, and a note in place of all others."""
    return {**{key: call.tool.arguments[key] for key in keys if key in call.tool.arguments}, _NOTE_KEY: text}


def has_note(call: Call) -> bool:
    """Whether the arguments of a call were replaced by a note."""
    text = call.tool.arguments.get(_NOTE_KEY)
    return isinstance(text, str) and is_note(text)


def rewritten(messages: Sequence[Raw], rewrites: Iterable[Rewrite], *, min_saving: int = 0) -> Trim:
    """The list with these rewrites, those left out that save nothing; the same list when together they save less than
    `min_saving` characters."""
    useful = [change for change in rewrites if change.saved > 0]
    saved = sum(change.saved for change in useful)
    if not useful:
        return Trim(messages)
    if saved < min_saving:
        return Trim(messages, held_back=saved)
    changed = list(messages)
    for change in useful:
        at = change.place.message
        changed[at] = _changed(changed[at], change)
    return Trim(changed, len(useful), saved=saved, media=sum(change.media for change in useful))


def together(
    messages: Sequence[Raw], trims: Iterable[Callable[[Sequence[Raw]], Trim]], *, min_saving: int = MIN_SAVING
) -> Trim:
    """Several trims one after the other, as one: kept only when together they save `min_saving` characters.

    Give each trim its own `min_saving=0` (functools.partial), or it judges alone.
    """
    result = Trim(messages)
    for trim in trims:
        result = joined(result, trim(result.messages))
    if result.changed and result.saved < min_saving:
        return Trim(messages, held_back=result.saved + result.held_back, problem=result.problem)
    return result


def joined(first: Trim, then: Trim) -> Trim:
    """Two trims, the second of what the first left, as one."""
    return replace(
        then,
        rewritten=first.rewritten + then.rewritten,
        removed=first.removed + then.removed,
        saved=first.saved + then.saved,
        media=first.media + then.media,
        held_back=first.held_back + then.held_back,
        manifest="\n".join(text for text in (first.manifest, then.manifest) if text),
        problem="; ".join(text for text in (first.problem, then.problem) if text),
        warning="; ".join(text for text in (first.warning, then.warning) if text),
    )


def characters(messages: Sequence[Raw]) -> int:
    """The size of a list in characters that are sent: texts, results, names and arguments; a medium counts as its most
    tokens."""
    return total_tokens(messages, len) - PER_MESSAGE * len(messages)


def _changed(message: Raw, change: Rewrite) -> Raw:
    key, index = change.place.key, change.place.index
    if index < 0:
        return {**message, key: _valued(message.get(key), change.value)}
    entries = message[key]
    if not isinstance(entries, list | tuple):
        return message
    listed = list(entries)
    listed[index] = _entry(listed[index], change.value)
    return {**message, key: listed}


def _entry(entry: object, value: str | Mapping[str, object]) -> object:
    """A block or a call of a list with another text or other arguments."""
    if not isinstance(entry, Mapping):
        return value
    if isinstance(value, str):
        key = "content" if entry.get("type") == "tool_result" else "text"
        return {**entry, key: _valued(entry.get(key), value)}
    function = entry.get("function")
    if isinstance(function, Mapping):
        return {**entry, "function": _call(function, value)}
    return _call(entry, value)


def _valued(old: object, value: str | Mapping[str, object]) -> object:
    if isinstance(value, str):
        return with_text(old, value)
    return _call(old, value) if isinstance(old, Mapping) else _json(value)


def _call(call: Raw, arguments: Mapping[str, object]) -> Raw:
    """Arguments stay what they were: a JSON text or an object."""
    key = "arguments" if "arguments" in call else "input"
    return {**call, key: _json(arguments) if isinstance(call.get(key), str) else dict(arguments)}


def with_text(content: object, text: str) -> object:
    """The content of a result with another text: in its first text block, the other text blocks gone, media as they
    stand."""
    if isinstance(content, Mapping) and "type" in content:
        return {**content, "text": text}
    if not isinstance(content, list | tuple):
        return text
    blocks: list[object] = []
    written = False
    for block in content:
        if block_text(block) is None:
            blocks.append(block)
        elif not written:
            blocks.append({**block, "text": text} if isinstance(block, Mapping) else text)
            written = True
    return blocks


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, default=str)
