"""Whose words a message holds: splits what a host wrote in somebody's name from what was said. Judges no content.

The recognised texts are data (origins.toml); our own recalled block and notices are known from `cfpm.model.markers`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

from cfpm.model import Details, Message, Origin, Role
from cfpm.model.markers import (
    BLOCK_CLOSE,
    BLOCK_OPEN,
    BRIEF_CLOSE,
    BRIEF_OPEN,
    CHECKPOINT_CLOSE,
    CHECKPOINT_OPEN,
    COMPACTION_PREFIX,
    CONTINUATION_PREFIX,
    EARLIER_BLOCKS,
    FAILURE_PREFIX,
    GATE_PREFIX,
    RUNTIME_PREFIX,
    STATE_CLOSE,
    STATE_OPEN,
    TRIMMED_OPEN,
)
from cfpm.model.patterns import lazy_pattern
from cfpm.model.tables import toml_table

Piece = tuple[int, int, Origin]
"""Start, end and origin of a part of a text."""

_OWN_NOTICES = (RUNTIME_PREFIX, GATE_PREFIX, COMPACTION_PREFIX, CONTINUATION_PREFIX, FAILURE_PREFIX, TRIMMED_OPEN)


def _escaped(text: str) -> str:
    """As hosts write what they put into an element of HTML; the module for that takes longer to load than a turn."""
    return text.replace("<", "&lt;").replace(">", "&gt;")


_PLAIN_BLOCKS = {
    BLOCK_OPEN: BLOCK_CLOSE,
    CHECKPOINT_OPEN: CHECKPOINT_CLOSE,
    STATE_OPEN: STATE_CLOSE,
    BRIEF_OPEN: BRIEF_CLOSE,
}
_OWN_BLOCKS = {**_PLAIN_BLOCKS, **{_escaped(opened): _escaped(closed) for opened, closed in _PLAIN_BLOCKS.items()}}
"""Openings and closings of our blocks, also as a host writes them that escapes the marks of HTML."""
_BRIEF_NAME = BRIEF_OPEN.removeprefix("<")
_BRIEF_ENDS = {BRIEF_CLOSE: "-->", _escaped(BRIEF_CLOSE): _escaped("-->")}
"""The closings of a brief in a Markdown file, and how the comment ends that each is in."""
_OWN_OPENING = lazy_pattern("|".join(map(re.escape, _OWN_BLOCKS)))
_TYPED_OPENING = lazy_pattern(
    r"(?m)^[^\S\n]{0,12}(?:<[a-zA-Z_-]{1,40}>|[^\n<>]{1,80}: )?("
    + "|".join(map(re.escape, (*_OWN_BLOCKS, *EARLIER_BLOCKS)))
    + ")"
)
"""The opening of a block at the start of a line, or behind the tag or the words by which a host hands it over."""
_WRAPPER_BEFORE = lazy_pattern(r"<(?P<tag>[a-zA-Z_-]{1,40})>\s{0,4}(?:[^\n<>]{1,80}:\s{1,2})?\Z")
_LINE_OF_BLOCK = lazy_pattern(r"[ \t]|[-*>] |[^\n]{1,60}:[ \t]*(?:\n|\Z)|[^\n]{0,400}_V1(?:>>>|&gt;&gt;&gt;)")
"""How a line of a block begins: a list mark, a quotation, a heading, a blank; or the line that closes it."""
_LINE_OF_FILE = lazy_pattern(r"#{1,6} |" + "|".join(map(re.escape, _BRIEF_ENDS)))
"""The same, besides, for the block that stands in a Markdown file."""
_BEHIND_TAG = frozenset("> \n\t")
_INDENT = 12
"""Blanks that may stand before a host's text at the start of a line."""

_ROW = lazy_pattern(r"<(?P<tag>[A-Za-z][A-Za-z_-]{1,40}(?: instructions)?)(?=[>\s/])")
"""An opening tag that may be a host's."""
_ELEMENT = lazy_pattern(r"<(?P<tag>[A-Za-z_-]{1,40})>[^<\n]{0,400}</(?P=tag)>\s{0,20}")
_AFTER_TAG = lazy_pattern(r"</?[A-Za-z][^<>\n]*>[^\S\n]*\Z")
_LONGEST_TAG = 200
"""Characters of a tag that is looked for before another on its line."""

_MAX_PIECES = 200
"""Parts of one message. What mixes more of them is a dump, and none of it is taken for speech."""

_PASSES = 3
"""How often what was said is searched: a notice behind a block, and one behind that. More would only help attackers."""


_AT_LINE = rf"(?m:^)[^\S\n]{{0,{_INDENT}}}"
_PATTERNS = {
    "line": _AT_LINE + r"(?P<text>{}[^\n]*)",
    "rest": _AT_LINE + r"(?P<text>{}(?s:.*))",
    "first": r"\A\s*(?P<text>{}(?s:.*))",
}
"""What each kind of marker is for a beginning; a tag is looked for by `_tagged`."""


@dataclass(frozen=True, slots=True)
class Marker:
    """One recognised text, see origins.toml.

    Only where `anchor` occurs can it stand; `text` is the tag or the beginning. `pattern` is compiled on first use, by
    the cache of `re`; a tag has none.
    """

    kind: str
    text: str
    anchor: str
    origin: Origin
    example: str
    pattern: str
    any_case: bool = False
    said: str = ""
    before_said: str = ""
    speech_behind: bool = False


@cache
def markers(role: Role) -> tuple[Marker, ...]:
    """The markers that a message of this role may hold, in the order of the table."""
    entries = toml_table("cfpm.transcript", "origins")
    return tuple(_marker(entry) for entry in entries["marker"] if role in entry["roles"])


def _marker(entry: dict[str, Any]) -> Marker:
    kind = next(kind for kind in ("tag", "pattern", *_PATTERNS) if kind in entry)
    text = entry[kind]
    anchor = entry.get("anchor", f"<{text}" if kind == "tag" else text)
    pattern = text if kind == "pattern" else _PATTERNS.get(kind, "").replace("{}", re.escape(text))
    return Marker(
        kind,
        text,
        anchor,
        Origin(entry["origin"]),
        entry["example"],
        pattern,
        bool(entry.get("any_case")),
        entry.get("said", ""),
        entry.get("before_said", ""),
        bool(entry.get("speech_behind")),
    )


def mark_origins(message: Message) -> list[Message]:
    """The message with its origin, or its parts where a host's text stands inside what was said; the order is kept.

    A message whose origin is known already is only searched for our own recalled block. The first part keeps the id,
    the others get `/2`, `/3` behind it. Tool calls stay with what was said: a part that is no speech never carries
    them.
    """
    if not message.text and message.role is not Role.SYSTEM:
        return [message]
    pieces = _pieces(message)
    if len(pieces) > _MAX_PIECES:
        pieces = [(0, len(message.text), Origin.HOST_NOTICE)]
    if len(pieces) == 1 and (not message.tool_calls or pieces[0][2] is Origin.SAID):
        origin = pieces[0][2]
        return [message if origin is message.origin else replace(message, origin=origin)]
    parts = [
        replace(message, text=message.text[start:end].strip("\n"), origin=origin, tool_calls=())
        for start, end, origin in pieces
    ]
    if message.tool_calls:
        if parts[-1].origin is Origin.SAID:
            parts[-1] = replace(parts[-1], tool_calls=message.tool_calls)
        else:
            parts.append(replace(message, text="", origin=Origin.SAID))
    if message.details is not None:
        # What a reply took is told once.
        flags = Details(user_visible=message.details.user_visible, agent_visible=message.details.agent_visible)
        shared = None if flags == Details() else flags
        parts[:-1] = [replace(part, details=shared) for part in parts[:-1]]
    return number_parts(parts, message.id)


def number_parts(parts: list[Message], message_id: str) -> list[Message]:
    """Gives the parts of one message the host's id: plain for the first, with `/2`, `/3` behind it for the others."""
    if not message_id or (len(parts) == 1 and parts[0].id == message_id):
        return parts
    wanted = (message_id if n == 1 else f"{message_id}/{n}" for n in range(1, len(parts) + 1))
    return [part if part.id == name else replace(part, id=name) for part, name in zip(parts, wanted, strict=True)]


def _pieces(message: Message) -> list[Piece]:
    text, whole = message.text, message.origin
    typed = whole is Origin.SAID and message.role is Role.USER
    if whole is Origin.SAID and not typed:
        if text.startswith(_OWN_NOTICES):
            whole = Origin.HOST_NOTICE
        elif message.role is Role.SYSTEM:
            whole = Origin.SYSTEM_PROMPT
    pieces = [(0, len(text), whole)]
    if typed:
        if "CFPM_" in text or _BRIEF_NAME in text:
            pieces = _between(text, [*_notice(text), *_typed_blocks(text)], whole)
    elif ("<" in text or "&lt;" in text) and any(opening in text for opening in _OWN_BLOCKS):
        pieces = _between(text, list(_memory_blocks(text)), whole)
    if whole is Origin.SAID and _may_hold(text, message.role):
        pieces = _merged([part for piece in pieces for part in _speech(text, piece, message.role, _PASSES)])
    return pieces


def _may_hold(text: str, role: Role) -> bool:
    plain, tags = _anchors(role)
    if any(map(text.__contains__, plain)):
        return True
    return "<" in text and (any(map(text.__contains__, tags)) or (role is Role.USER and _ROW.search(text) is not None))


@cache
def _anchors(role: Role) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The anchors without and with a tag: most texts hold no `<`, and need not be searched for forty tags."""
    anchors = dict.fromkeys(marker.anchor for marker in markers(role))
    return tuple(a for a in anchors if "<" not in a), tuple(a for a in anchors if "<" in a)


def _memory_blocks(text: str) -> Iterator[Piece]:
    end = 0
    while opening := _OWN_OPENING.search(text, end):
        closing = _OWN_BLOCKS[opening[0]]
        close = text.find(closing, opening.end())
        end = len(text) if close < 0 else _closed(text, close, closing)
        yield *_with_wrapper(text, opening.start(), end), Origin.MEMORY_BLOCK


def _notice(text: str) -> Iterator[Piece]:
    """Our own notice at the start of a user's message: its line, whatever stands below."""
    if text.startswith(_OWN_NOTICES):
        line_end = text.find("\n")
        yield 0, line_end if line_end >= 0 else len(text), Origin.HOST_NOTICE


def _typed_blocks(text: str) -> Iterator[Piece]:
    """Blocks in a user's message, as far as their lines go.

    Anybody can write our marks, so that one alone takes nothing from the user: a block is a whole message in its frame,
    or the lines of a block's form that follow an opening. Which lines we really wrote is known by their hashes.
    """
    bare = text.strip()
    for opening, closing in _OWN_BLOCKS.items():
        if bare.startswith(opening) and bare.endswith(closing) and bare.count(closing) == 1:
            yield 0, len(text), Origin.MEMORY_BLOCK
            return
    end = 0
    while found := _TYPED_OPENING.search(text, end):
        end = _end_of_block(text, found.end(), _OWN_BLOCKS.get(found[1], ""))
        yield *_with_wrapper(text, found.start(1), end), Origin.MEMORY_BLOCK


def _with_wrapper(text: str, start: int, end: int) -> tuple[int, int]:
    """A block with the element around it, where that holds nothing else: a host's frame is nobody's words."""
    before = _WRAPPER_BEFORE.search(text, max(0, start - _LONGEST_TAG), start)
    if before is None:
        return start, end
    behind = re.compile(rf"\s{{0,4}}</{before['tag']}>").match(text, end)
    return (before.start(), behind.end()) if behind else (start, end)


def _end_of_block(text: str, at: int, closing: str) -> int:
    """Where the lines of a block end: behind its closing, or before the first line of another form."""
    line_end = _line_end(text, at)
    if closing and (close := text.find(closing, at, line_end)) >= 0:
        return _closed(text, close, closing)
    while line_end < len(text):
        begin = line_end + 1
        while not closing and text.startswith("\n", begin):
            begin += 1
        if not (_LINE_OF_BLOCK.match(text, begin) or (closing in _BRIEF_ENDS and _LINE_OF_FILE.match(text, begin))):
            break
        line_end = _line_end(text, begin)
        if closing and (close := text.find(closing, begin, line_end)) >= 0:
            return _closed(text, close, closing)
    return line_end


def _closed(text: str, at: int, closing: str) -> int:
    """Where a block ends whose closing begins here; that of a Markdown file ends with its comment."""
    end = at + len(closing)
    ending = _BRIEF_ENDS.get(closing)
    comment = text.find(ending, end, _line_end(text, end)) if ending else -1
    return comment + len(ending) if ending and comment >= 0 else end


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _speech(text: str, piece: Piece, role: Role, passes: int) -> list[Piece]:
    """A piece of speech without the host's texts in it.

    What remains is searched again, since it has a new beginning.
    """
    start, end, origin = piece
    if origin is not Origin.SAID or not passes:
        return [piece]
    said = text[start:end]
    found = sorted(_host_texts(said, role))
    if not found:
        return [piece]
    parts = [(start + a, start + b, kind) for a, b, kind in _between(said, found, Origin.SAID)]
    return [smallest for part in parts for smallest in _speech(text, part, role, passes - 1)]


def _host_texts(text: str, role: Role) -> Iterator[Piece]:
    for marker in markers(role):
        if marker.anchor in text and not (marker.kind == "tag" and role is Role.USER):
            for start, end in _spans(text, marker):
                yield start, end, marker.origin
    if role is Role.USER and "<" in text:
        yield from _row(text)


def _row(text: str) -> Iterator[Piece]:
    """The row that a host wrote into a user's message, from its first tag to the end of the text.

    A tag that closes inside proves nothing: what programs print there may hold any tag. Only what the user typed behind
    a command's name is the user's, where nothing but lines of the host stands before it.
    """
    at, marker = _first_tag(text)
    if marker is None:
        return
    if marker.speech_behind and text.count(closing := f"</{marker.text}>") == 1:
        end = text.find(closing) + len(closing)
        yield at, end if end > at else len(text), marker.origin
        return
    end, group = at, marker.said
    while marker is not None and not marker.said:
        one_line = _ELEMENT.match(text, end) if marker.before_said else None
        if one_line is None:
            yield at, len(text), marker.origin
            return
        end, group = one_line.end(), marker.before_said
        behind = _ROW.match(text, end)
        marker = _named_tag(behind["tag"]) if behind else None
    if marker is None or marker.said != group:
        yield at, len(text), Origin.HOST_NOTICE
        return
    begins = text.find(">", end) + 1
    close = text.find(f"</{marker.text}>", begins)
    ends = close if close >= begins else len(text)
    if begins and len(text[begins:ends].split()) > 1:
        yield at, begins, marker.origin
        yield ends, len(text), marker.origin
    else:
        yield at, len(text), marker.origin


def _first_tag(text: str) -> tuple[int, Marker | None]:
    for found in _ROW.finditer(text):
        marker = _named_tag(found["tag"])
        if marker is not None and _begins_line(text, found.start()):
            return found.start(), marker
    return 0, None


def _named_tag(name: str) -> Marker | None:
    """The marker of a tag of a user's message, written as the host writes it, or in any case where it may be."""
    exact, any_case = _tags()
    return exact.get(name) or any_case.get(name.lower())


@cache
def _tags() -> tuple[dict[str, Marker], dict[str, Marker]]:
    tags = {marker.text: marker for marker in markers(Role.USER) if marker.kind == "tag"}
    return tags, {name.lower(): marker for name, marker in tags.items() if marker.any_case}


def _spans(text: str, marker: Marker) -> Iterator[tuple[int, int]]:
    if not marker.pattern:
        return _tagged(text, marker.text)
    return (match.span(match.lastgroup or 0) for match in re.finditer(marker.pattern, text))


def _tagged(text: str, tag: str) -> Iterator[tuple[int, int]]:
    opening, closing = f"<{tag}", f"</{tag}>"
    at = text.find(opening)
    close = text.find(closing, at) if at >= 0 else -1
    while at >= 0:
        behind = at + len(opening)
        is_tag = text[behind : behind + 1] in _BEHIND_TAG and _begins_line(text, at)
        if close < 0 and (is_tag or at > _INDENT):
            if not text[:at].strip():
                yield at, len(text)
            return
        if is_tag:
            yield at, close + len(closing)
        at = text.find(opening, close if is_tag else behind)
        if 0 <= close < at:
            close = text.find(closing, at)


def _begins_line(text: str, at: int) -> bool:
    """Whether only blanks stand before a place in its line, or another tag."""
    _, newline, indent = text[max(0, at - _INDENT - 1) : at].rpartition("\n")
    if indent.rstrip().endswith(">"):
        return _AFTER_TAG.search(text, max(0, at - _LONGEST_TAG), at) is not None
    return not indent.strip() and (bool(newline) or at <= _INDENT)


def _between(text: str, found: list[Piece], rest: Origin) -> list[Piece]:
    """The found pieces and what stands between them.

    One that begins inside another is part of it; blank gaps are nobody's.
    """
    covered: list[Piece] = []
    at = 0
    for start, end, origin in found:
        if start >= at:
            covered += [(at, start, rest), (start, end, origin)]
            at = end
    covered.append((at, len(text), rest))
    return _merged([piece for piece in covered if text[piece[0] : piece[1]].strip()]) or [(0, len(text), rest)]


def _merged(pieces: list[Piece]) -> list[Piece]:
    changes = [0, *(n for n, (a, b) in enumerate(pairwise(pieces), start=1) if a[2] is not b[2]), len(pieces)]
    return [(pieces[a][0], pieces[b - 1][1], pieces[a][2]) for a, b in pairwise(changes) if b > a]
