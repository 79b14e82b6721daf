"""Ids and keys derived from content: the same thing said again has the same name, on every machine."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from cfpm.clock import to_text
from cfpm.models import PATH_CATEGORIES, Category, Draft, Message
from cfpm.paths import canonical as canonical_path

_EDGE = " \t\r\n.,;:!?\"'`*_()[]{}<>-–—…。，；：！？、「」『』“”‘’（）【】《》"
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_encode_json = json.JSONEncoder(sort_keys=True, default=str).encode


def digest(*parts: str) -> str:
    """20 hex digits of SHA-256 over the parts; no two different lists of parts are joined to the same text."""
    joined = "\x1f".join(parts)
    if joined.count("\x1f") >= len(parts):
        joined = "\x1f".join([part.replace("\x1f", "\x1f\x1f") for part in parts])
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def canonical_key(category: Category, content: str, speaker: str = "") -> str:
    """What two contents must share to be the same fact: the canonical path, or the text without case, form and edges.

    The same words of two people are two facts; a path is the same whoever names it.
    """
    if category in PATH_CATEGORIES:
        return canonical_path(content)
    text = _bare(content)
    name = _bare(speaker) if speaker else ""
    return f"{name}: {text}" if name else text


def same_speaker(one: str, other: str) -> bool:
    """True for two spellings of one name that give the same keys."""
    return one == other or _bare(one) == _bare(other)


@lru_cache(maxsize=1_024)
def _bare(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _plain(folded)


def _plain(line: str) -> str:
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
    text = _plain(line).casefold()
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
