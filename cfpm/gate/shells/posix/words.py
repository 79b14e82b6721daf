"""One word of a POSIX shell command, taken apart into quotes, text and expansions; and the probe it starts with."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cfpm.gate.decision import Reason
from cfpm.gate.probe import How
from cfpm.gate.shells.posix import quoting
from cfpm.gate.shells.posix.detection import QUESTION, Spot
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

_STARTS = frozenset(" \t\n;|&<>()`=")
_ENDS = frozenset(" \t\n;|&<>()`")
"""What may stand before and after a word. `=` is the one of an assignment."""
_ASSIGNING = lazy_pattern(r"""["']?(?P<option>[A-Za-z0-9_.-]+)=["']?""")
_HOST = lazy_pattern(r"""["']?[^/\s"']*:["']?""")
_LONGEST_PREFIX = 300
"""Characters. What stands behind a longer one is a part of a longer text anyway."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word: quotation mark, literal text or expansion, with the quotes that it stands in."""

    kind: Literal["mark", "text", "expansion"]
    start: int
    end: int
    quote: Literal["", "'", '"']
    node: Node | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """A word of `command`, as the grammar found it."""

    command: str
    pieces: tuple[Piece, ...]
    starts: tuple[int, ...]
    last_colon: int

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    @property
    def value(self) -> str | None:
        """What a program receives for it, None when the shell has to expand something or strip a backslash."""
        if any(piece.kind == "expansion" for piece in self.pieces):
            return None
        text = "".join(self.command[piece.start : piece.end] for piece in self.pieces if piece.kind == "text")
        return None if "\\" in text else text

    @property
    def stands_alone(self) -> bool:
        """Whether the shell, too, takes what the grammar found for one word: not so at a Unicode space, say."""
        before = self.command[self.start - 1 : self.start] if self.start else ""
        after = self.command[self.end : self.end + 1]
        return (not before or before in _STARTS) and (not after or after in _ENDS)

    def piece_at(self, position: int) -> int:
        return bisect_right(self.starts, position) - 1


@dataclass(frozen=True, slots=True)
class Match:
    """A probe in a word: the span to replace, how to write a path there, and what comes behind it.

    `reopened` is a quotation mark that the span swallows and that has to be written again. `bare` says that an
    expansion stands there without quotes, whose value the shell may split and take for a pattern.
    """

    start: int
    end: int
    quoted: bool
    reopened: str
    before_colon: bool
    assigned_to: str
    bare: bool

    def write(self, path: str, *, history: bool, splits: bool = True) -> str | None:
        """`path` for this place, None when it cannot be written so that the command means the same.

        `history`: a double-quoted string stands around it. `splits`: the shell makes words of an expansion there.
        """
        if (":" in path and self.before_colon) or ("!" in path and history):
            return None
        if self.bare and splits and not quoting.stays_whole(path):
            return None
        if self.quoted:
            return quoting.double_quoted(path)
        text = quoting.bare(path)
        return None if text is None else text + self.reopened


def word_of(node: Node, command: str) -> Word:
    """The word that `node` is."""
    pieces = tuple(_pieces(node, ""))
    end = pieces[-1].end
    return Word(command, pieces, tuple(piece.start for piece in pieces), command.rfind(":", pieces[0].start, end))


def _pieces(node: Node, quote: Literal["", '"']) -> list[Piece]:
    start, end = node.start_byte, node.end_byte
    match node.type:
        case "word" | "number" | "string_content" | "variable_name":
            return [Piece("text", start, end, quote)]
        case "raw_string":
            marks = Piece("mark", start, start + 1, "'"), Piece("mark", end - 1, end, "'")
            return [marks[0], Piece("text", start + 1, end - 1, "'"), marks[1]]
        case "concatenation":
            return [piece for child in node.children for piece in _pieces(child, quote)]
        case "unary_expression":  # how the grammar reads `~/x` between brackets
            return [
                Piece("text", start, start + 1, ""),
                *(p for child in node.children[1:] for p in _pieces(child, "")),
            ]
        case "string" if not quote:
            return _string_pieces(node)
        case _:
            return [Piece("expansion", start, end, quote, node)]


def _string_pieces(node: Node) -> list[Piece]:
    """Text between the expansions is taken by its place: the grammar drops white space at the edges."""
    pieces = [Piece("mark", node.start_byte, node.start_byte + 1, '"')]
    position, close = node.start_byte + 1, node.end_byte - 1
    for child in node.children[1:-1]:
        if child.type == "string_content" or not child.is_named:
            continue
        start = _after_space(child)
        if start > position:
            pieces.append(Piece("text", position, start, '"'))
        pieces.append(Piece("expansion", start, child.end_byte, '"', child))
        position = child.end_byte
    if close > position:
        pieces.append(Piece("text", position, close, '"'))
    return [*pieces, Piece("mark", close, close + 1, '"')]


def _after_space(expansion: Node) -> int:
    """Where an expansion really begins: the grammar counts white space before its `$` in."""
    opening = expansion.children[0].text if expansion.children else None
    return expansion.start_byte + (len(opening) - len(opening.lstrip()) if opening else 0)


def match_probe(word: Word, spot: Spot, *, assignment: bool, tilde: bool) -> Match | Reason:
    """The probe at `spot`, if the word starts with it. `tilde`: the shell expands one at the word's start."""
    index = word.piece_at(spot.start)
    piece = word.pieces[index]
    if piece.start != spot.start or not _is_probe(word, piece, spot, tilde=tilde):
        return _no_probe(word, piece, spot, assignment=assignment)
    prefix = word.command[word.start : spot.start] if spot.start - word.start <= _LONGEST_PREFIX else None
    assigned = _ASSIGNING.fullmatch(prefix) if prefix else None
    if prefix is None or (prefix not in ("", '"') and assigned is None):
        return _no_probe(word, piece, spot, assignment=assignment)
    return _bounded(word, index, spot, prefix, assigned["option"] if assigned else "")


def _is_probe(word: Word, piece: Piece, spot: Spot, *, tilde: bool) -> bool:
    if piece.kind == "text":
        at_start = spot.start == word.start and piece.quote == ""
        return tilde and at_start and spot.how is How.HOME and word.command.startswith("~", spot.start)
    if piece.kind == "mark" or piece.node is None or not spot.plain:
        return False
    if spot.how is How.SYSTEM:
        is_question = QUESTION.fullmatch(word.command, spot.start, piece.end)
        return piece.node.type == "command_substitution" and is_question is not None
    named = word.command[spot.start : piece.end].strip("${}")
    return piece.node.type in ("simple_expansion", "expansion") and named == spot.variables[0]


def _no_probe(word: Word, piece: Piece, spot: Spot, *, assignment: bool) -> Reason:
    """Why what looks like a probe is none here."""
    if piece.kind == "expansion" and not _is_probe(word, piece, spot, tilde=True):
        return Reason.UNSUPPORTED_PLACE
    if piece.quote == "'":
        return Reason.STRING_LITERAL
    prefix = word.command[word.start : spot.start] if spot.start - word.start <= _LONGEST_PREFIX else ""
    if _HOST.fullmatch(prefix) and not assignment:
        return Reason.REMOTE_HOST
    if piece.quote == '"' or (piece.kind == "text" and "=" not in prefix and prefix and not assignment):
        return Reason.STRING_LITERAL
    return Reason.UNSUPPORTED_PLACE


def _bounded(word: Word, index: int, spot: Spot, prefix: str, option: str) -> Match | Reason:
    """The match, when the folder's name ends where a path segment ends."""
    piece = word.pieces[index]
    last, position = index, piece.end
    if spot.how is How.HOME:
        tilde = piece.kind == "text"
        if tilde and word.command[spot.start + 1 : spot.start + 2] != "/":
            return Reason.STRING_LITERAL
        reached = _reach(word, index, spot.start + 1 if tilde else piece.end, "/" + spot.name)
        if reached is None:
            return Reason.UNSUPPORTED_PLACE
        last, position = reached
    follows = _what_follows(word, last, position)
    if follows is None:
        return Reason.LONGER_NAME
    colon = word.last_colon >= position
    bare = piece.kind == "expansion" and piece.quote == ""
    return _spanned(word, index, last, position, prefix, (colon, option, bare))


def _spanned(
    word: Word, index: int, last: int, position: int, prefix: str, known: tuple[bool, str, bool]
) -> Match | Reason:
    first, final = word.pieces[index], word.pieces[last]
    start = first.start
    crosses = any(word.pieces[at].kind == "mark" for at in range(index + 1, last))
    if not crosses:
        return Match(start, position, first.quote == '"', "", *known)
    if first.quote == '"':
        if not prefix.endswith('"'):
            return Reason.UNSUPPORTED_PLACE
        start -= 1
    if final.quote and position == final.end:
        return Match(start, position + 1, False, "", *known)
    return Match(start, position, False, final.quote, *known)


def _reach(word: Word, index: int, position: int, wanted: str) -> tuple[int, int] | None:
    """Where `wanted` ends, written from `position` on with quotation marks in between or none."""
    for at in range(index, len(word.pieces)):
        piece = word.pieces[at]
        if piece.kind == "text" or at == index:
            begin = max(position, piece.start)
            chunk = word.command[begin : min(piece.end, begin + len(wanted))]
            if not wanted.startswith(chunk):
                return None
            wanted = wanted[len(chunk) :]
            if not wanted:
                return at, begin + len(chunk)
        elif piece.kind == "expansion":
            return None
    return None


def _what_follows(word: Word, last: int, position: int) -> str | None:
    """`/` or `:` behind the name, "" at the end of the word, None when the name goes on."""
    if position < word.pieces[last].end:
        following = word.command[position]
        return following if following in "/:" else None
    for at in range(last + 1, len(word.pieces)):
        piece = word.pieces[at]
        if piece.kind == "expansion":
            return None
        if piece.kind == "text" and piece.start < piece.end:
            following = word.command[piece.start]
            return following if following in "/:" else None
    return ""
