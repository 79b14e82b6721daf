"""Changes a JSON text, comments and trailing commas allowed, at single places: all else stays as it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]
"""The keys and positions that lead to a value."""

_TRIVIA = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE = re.compile(r"[ \t]*(?:/\*[^\n]*?\*/[ \t]*)*(?://[^\n\r]*)?")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]\}/\"\[\{:]+")
_DEEPEST = 200


class JsonTextError(ValueError):
    """What is no JSON, with its line."""


@dataclass(slots=True)
class Node:
    """A value and where it stands. Members and items are nodes too; a member has its key and where that begins."""

    start: int
    end: int
    value: Any
    key: str = ""
    key_start: int = 0
    children: list[Node] = field(default_factory=list)

    @property
    def begin(self) -> int:
        """Where it begins, with its key."""
        return self.key_start if self.key else self.start

    def at(self, *path: str | int) -> Node | None:
        """The value behind these keys and positions; None where there is none."""
        node: Node | None = self
        for step in path:
            if node is None:
                return None
            if isinstance(step, str):
                node = next((child for child in reversed(node.children) if child.key == step), None)
            else:
                node = node.children[step] if step < len(node.children) else None
        return node


def parse(text: str) -> Node:
    """The value of a text; an empty object for a blank one. Raises JsonTextError."""
    if not _skip_bom(text).strip():
        return Node(len(text), len(text), {})
    reader = _Reader(text)
    node = reader.value(reader.trivia(len(text) - len(_skip_bom(text))), 0)
    if reader.trivia(node.end) != len(text):
        raise reader.error(node.end, "more than one value")
    return node


@dataclass(slots=True)
class Text:
    """A text while it is changed. `inserts` are its changes in their order: each the place and what was put there."""

    text: str
    inserts: list[tuple[int, str]] = field(default_factory=list)

    def put(self, path: Path, value: object) -> None:
        """Puts a value under a key that is not there yet, or at the end of a list, with the containers on its way."""
        node = parse(self.text)
        if not _skip_bom(self.text).strip():
            self._insert(len(self.text), "{}" + self._newline)
            node = parse(self.text)
        *containers, last = path
        for depth, step in enumerate(containers):
            found = node.at(step)
            if found is None:
                inner: object = value
                for key in reversed(path[depth + 1 :]):
                    inner = [inner] if isinstance(key, int) else {key: inner}
                self._add(node, str(step), inner)
                return
            node = found
        self._add(node, "" if isinstance(last, int) else last, value)

    def take(self, path: Path) -> None:
        """Takes a member or an item out, with its line and its comma; comments stay."""
        node = parse(self.text)
        parent = node.at(*path[:-1])
        child = node.at(*path)
        if parent is None or child is None:
            return
        at = parent.children.index(child)
        start, end = child.begin, child.end
        before = self.text[:start]
        blank = len(before) - len(before.rstrip(" \t"))
        line_start = start - blank
        if before[:line_start].endswith("\n"):
            start = line_start - (2 if before[:line_start].endswith("\r\n") else 1)
        elif at:
            start = line_start
        comma = self._comma(child.end)
        cut = [(start, end)]
        if at:
            previous = self._comma(parent.children[at - 1].end)
            cut.append((previous, previous + 1) if previous is not None else (start, start))
        elif comma is not None:
            # The space behind it goes too, where what follows stands on the same line.
            after = comma + 1
            while self.text[comma + 1 : after + 1].isspace() and self.text[after] in " \t":
                after += 1
            cut.append((comma, after))
        for begin, stop in sorted(cut, reverse=True):
            self.text = self.text[:begin] + self.text[stop:]

    def undo(self, inserts: list[tuple[int, str]]) -> bool:
        """Takes out what was put there by these changes, if it all still stands at its place."""
        text = self.text
        for place, part in reversed(inserts):
            if text[place : place + len(part)] != part:
                return False
            text = text[:place] + text[place + len(part) :]
        self.text = text
        return True

    def _add(self, parent: Node, key: str, value: object) -> None:
        opening = self.text[parent.start]
        if opening not in "{[":
            raise JsonTextError("a value where an object or a list is needed")
        inline = bool(parent.children) and "\n" not in self.text[parent.start : parent.children[0].begin]
        prefix = f"{json.dumps(key, ensure_ascii=False)}: " if key else ""
        if inline:
            self._insert(parent.children[-1].end, f", {prefix}{json.dumps(value, ensure_ascii=False)}")
            return
        outer = self._indent(parent.start)
        inner = self._indent(parent.children[-1].begin) if parent.children else outer + self._unit
        rendered = json.dumps(value, ensure_ascii=False, indent=self._unit).replace("\n", f"\n{inner}")
        member = f"\n{inner}{prefix}{rendered}"
        if parent.children:
            last = parent.children[-1].end
            comma = self._comma(last)
            if comma is None:
                self._insert(last, ",")
            place = (last if comma is None else comma) + 1
        else:
            comma, place = None, parent.start + 1
        place = self._line_end(place)
        closed = self.text[place : place + 1] in ("}", "]")
        trailing = "," if comma is not None else ""
        self._insert(place, (member + trailing + (f"\n{outer}" if closed else "")).replace("\n", self._newline))

    def _insert(self, place: int, part: str) -> None:
        self.text = self.text[:place] + part + self.text[place:]
        if self.inserts and sum(map(len, self.inserts[-1][1:])) + self.inserts[-1][0] == place:
            at, before = self.inserts[-1]
            self.inserts[-1] = (at, before + part)
        else:
            self.inserts.append((place, part))

    def _comma(self, place: int) -> int | None:
        at = _TRIVIA.match(self.text, place)
        end = at.end() if at else place
        return end if self.text[end : end + 1] == "," else None

    def _line_end(self, place: int) -> int:
        """Behind the comment at the end of the line, if nothing else stands there; else the place itself."""
        found = _REST_OF_LINE.match(self.text, place)
        end = found.end() if found else place
        return end if self.text[end : end + 1] in ("\n", "\r", "") and end > place else place

    def _indent(self, place: int) -> str:
        line = self.text[self.text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip(" \t\ufeff"))]

    @property
    def _unit(self) -> str:
        root = parse(self.text)
        found = self._indent(root.children[0].begin) if root.children else ""
        return found or "  "

    @property
    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"


class _Reader:
    """Reads values with their places. A duplicate key is the last one's."""

    def __init__(self, text: str) -> None:
        self.text = text

    def error(self, place: int, problem: str) -> JsonTextError:
        return JsonTextError(f"{problem} (line {self.text.count(chr(10), 0, place) + 1})")

    def trivia(self, place: int) -> int:
        found = _TRIVIA.match(self.text, place)
        return found.end() if found else place

    def value(self, place: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.error(place, "too deep")
        match self.text[place : place + 1]:
            case "{":
                return self._container(place, "}", depth)
            case "[":
                return self._container(place, "]", depth)
            case '"':
                text, end = self._string(place)
                return Node(place, end, text)
        found = _PLAIN.match(self.text, place)
        if found is None:
            raise self.error(place, "a value is missing")
        try:
            return Node(place, found.end(), json.loads(found[0]))
        except ValueError:
            raise self.error(place, f"{found[0][:20]!r} is no value") from None

    def _string(self, place: int) -> tuple[str, int]:
        found = _STRING.match(self.text, place)
        if found is None:
            raise self.error(place, "a text does not end")
        try:
            return str(json.loads(found[0], strict=False)), found.end()
        except ValueError:
            raise self.error(place, "a text with a wrong escape") from None

    def _container(self, start: int, closing: str, depth: int) -> Node:
        children: list[Node] = []
        place = self.trivia(start + 1)
        while (sign := self.text[place : place + 1]) != closing:
            key, key_start = "", place
            if closing == "}":
                if sign != '"':
                    raise self.error(place, "a key is missing")
                key, place = self._string(place)
                place = self.trivia(place)
                if self.text[place : place + 1] != ":":
                    raise self.error(place, "a colon is missing")
                place = self.trivia(place + 1)
            child = self.value(place, depth + 1)
            child.key, child.key_start = key, key_start
            children.append(child)
            place = self.trivia(child.end)
            if self.text[place : place + 1] == ",":
                place = self.trivia(place + 1)
            elif self.text[place : place + 1] != closing:
                raise self.error(place, f"{closing!r} or a comma is missing")
        value: Any = {c.key: c.value for c in children} if closing == "}" else [c.value for c in children]
        return Node(start, place + 1, value, children=children)


def _skip_bom(text: str) -> str:
    return text.removeprefix("\ufeff")
