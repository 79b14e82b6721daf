"""Ids and keys derived from content: the same thing said again has the same name, on every machine."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from cfpm.model import Category, Draft, Message
from cfpm.model.clock import to_text
from cfpm.model.patterns import lazy_pattern

_EDGE = " \t\r\n.,;:!?\"'`*_()[]{}<>-–—…。，；：！？、「」『』“”‘’（）【】《》"
_BULLET = lazy_pattern(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_HEX = "0123456789abcdef"
_encode_json = json.JSONEncoder(sort_keys=True, default=str).encode


def digest(*parts: str) -> str:
    """20 hex digits of SHA-256 over the parts; no two different lists of parts are joined to the same text."""
    joined = "\x1f".join(parts)
    if joined.count("\x1f") >= len(parts):
        joined = "\x1f".join([part.replace("\x1f", "\x1f\x1f") for part in parts])
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:20]


_OURS = lazy_pattern(r"(?:fact|msg)_[0-9a-f]{20}|doc_[0-9a-f]{20}(?::\d+-\d+)?")
_FACT = lazy_pattern(r"fact_[0-9a-f]{20}")
_CITATION = lazy_pattern(r"fact_[0-9]{9}")
_CITED, _DECIMALS = 7, 9
"""Hex digits of a fact's id that are cited, and the decimal ones that hold them."""
_LONG = 18
"""Digits with which a number may be no row."""

_SHORT = 8
"""Hex digits of an id in a prompt, where each costs tokens: of 10,000 ids two begin alike in one case in a hundred."""


def short_id(name: str) -> str:
    """The beginning of an id of ours, as it stands in a prompt, with the lines of a document; a host's own id as it
    is."""
    if not _OURS.fullmatch(name):
        return name
    ours, colon, lines = name.partition(":")
    return ours[: ours.index("_") + 1 + _SHORT] + colon + lines


def number_id(seq: int) -> str:
    """A message by its number in the store, which costs a prompt less than an id."""
    return f"#{seq}"


def cited(name: str) -> str:
    """A fact as a prompt names it, `fact_123456789`: the first seven hex digits of its id as nine decimal ones, five
    tokens with the prefix and not eight. Of 10,000 facts two are cited alike in one case in five. Any other id is as
    `short_id` has it."""
    return f"fact_{int(name[5 : 5 + _CITED], 16):0{_DECIMALS}}" if _FACT.fullmatch(name) else short_id(name)


def numbered(name: str) -> int:
    """The number in what `number_id` gives; 0 for any other name."""
    digits = name.removeprefix("#")
    return int(digits) if digits != name and digits.isascii() and digits.isdigit() and len(digits) < _LONG else 0


def beginning(name: str) -> str:
    """What an id begins with, of which this is the beginning, or which is cited so; empty for what is neither."""
    if _CITATION.fullmatch(name):
        digits = f"{int(name[5:]):0{_CITED}x}"
        return f"fact_{digits}" if len(digits) == _CITED else ""
    kind, _, digits = name.partition("_")
    return name if kind in ("fact", "msg") and len(digits) >= _SHORT and set(digits) <= set(_HEX) else ""


def after_short(name: str) -> str:
    """The first text behind all ids that begin so."""
    return f"{name}g"


def plain_line(line: str) -> str:
    """Without a list mark and edges, with single spaces."""
    bullet = _BULLET.match(line)
    return " ".join((line[bullet.end() :] if bullet else line).split()).strip(_EDGE)


def fact_id(namespace: str, category: Category, key: str) -> str:
    """The id of the fact with this canonical key."""
    return "fact_" + digest(namespace, category, key)


def candidate_ids(namespace: str, session: str, drafts: Sequence[Draft]) -> list[str]:
    """The ids of the rows of a turn's drafts in the audit trail; equal drafts are told apart by their order."""
    seen: Counter[str] = Counter()
    names = []
    for draft in drafts:
        name = _candidate_id(namespace, session, draft)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return names


def _candidate_id(namespace: str, session: str, draft: Draft) -> str:
    span = draft.span
    place = f"{span.message_id}:{span.start}:{span.end}"
    return "cand_" + digest(namespace, session, place, draft.category, draft.rule, draft.content)


@lru_cache(maxsize=1_024)
def line_hash(line: str) -> str:
    """A name for a line that does not depend on spacing, case or list marks; empty for a line without letters."""
    text = plain_line(line).casefold()
    return digest(text) if text else ""


def message_id(session: str, message: Message, occurrence: int) -> str:
    """The id of a message without a host's id; `occurrence` counts identical messages before it in the same call."""
    called = [[call.id, call.name, dict(call.arguments)] for call in message.tool_calls]
    # Most messages call nothing, and writing even an empty list as JSON costs as much as the digest.
    calls = _encode_json(called) if called else "[]"
    result = message.tool_result.call_id if message.tool_result else ""
    return "msg_" + digest(
        session,
        message.role,
        message.name,
        message.text,
        calls,
        result,
        to_text(message.created_at) or "",
        str(occurrence),
    )


@dataclass(slots=True)
class Identifier:
    """Gives the messages of one session ids, in order: the host's, else from the content. Two equal messages stay
    two."""

    session: str
    seen: dict[str, int] = field(default_factory=dict)

    def named(self, message: Message) -> Message:
        """The message with its id; call it once for each message, in order."""
        base = message.id or message_id(self.session, message, 0)
        count = self.seen.get(base, 0)
        self.seen[base] = count + 1
        if count:
            base = f"{message.id}#{count}" if message.id else message_id(self.session, message, count)
        return message if message.id == base else replace(message, id=base)
