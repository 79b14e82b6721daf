"""Runs shapes of secrets through every place of a memory, and texts without one through redaction.

A shape is a line of JSON: `{"shape": name, "group": "plain|glued|wrapped", "text": what holds the secret, "secret":
what must not survive, "places": those to try, all when absent}`. A text without one is `{"text": ...}`.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm import Memory, Settings
from cfpm.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

_Messages = list[dict[str, object]]


def _text(text: str) -> _Messages:
    return [{"role": "user", "content": text}]


def _arguments(text: str) -> _Messages:
    return [*_asked(), _call({"command": text, "timeout": 60})]


def _result(text: str) -> _Messages:
    return [*_asked(), _call({"command": "cat notes"}), {"role": "tool", "tool_call_id": "c1", "content": text}]


def _error(text: str) -> _Messages:
    block = {"type": "tool_result", "tool_use_id": "c1", "is_error": True, "content": f"Error: exit status 1\n{text}"}
    return [*_asked(), _call({"command": "make"}), {"role": "user", "content": [block]}]


def _path(text: str) -> _Messages:
    path = f"/srv/exports/{text}/notes.txt"
    saved: dict[str, object] = {
        "role": "tool",
        "tool_call_id": "c1",
        "content": f"File created at: {path}",
    }
    return [*_asked(), _call({"file_path": path, "content": "see above"}, "Write"), saved]


def _parts(text: str) -> _Messages:
    first = {"type": "text", "text": "Look at this, please."}
    return [{"role": "user", "content": [first, {"type": "text", "text": text}]}]


def _asked() -> _Messages:
    return [{"role": "user", "content": "Please go on."}]


def _call(arguments: Mapping[str, object], name: str = "Bash") -> dict[str, object]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


PLACES: dict[str, Callable[[str], _Messages]] = {
    "text": _text,
    "arguments": _arguments,
    "result": _result,
    "error": _error,
    "path": _path,
    "parts": _parts,
}
"""How a text gets into a memory: said, as an argument, a result, an error, in a path, as a part of a message."""


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    group: str
    text: str
    secret: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Surviving:
    """Of one group: shapes times places, those whose secret is in a byte of the database, and shapes that leak."""

    group: str
    tried: int
    survived: int
    shapes: int
    leaking: tuple[str, ...]
    by_place: dict[str, int]


@dataclass(frozen=True, slots=True)
class Innocent:
    """Texts without a secret, and those that lost a word."""

    texts: int
    words: int
    changed: tuple[str, ...]


def shapes(path: Path) -> list[Shape]:
    """Those of a file; lines without a secret are for `innocent`. Raises ValueError naming a line that is no text."""
    return [
        Shape(
            str(row.get("shape", number)),
            str(row.get("group", "plain")),
            str(row["text"]),
            str(row["secret"]),
            tuple(row.get("places") or PLACES),
        )
        for number, row in _rows(path)
        if row.get("secret")
    ]


def measure(path: Path) -> tuple[Surviving, ...]:
    """Each shape in each of its places, by group."""
    tried: dict[str, Counter[str]] = {}
    left: dict[str, Counter[str]] = {}
    names: dict[str, dict[str, list[str]]] = {}
    for shape in shapes(path):
        survived = set(_surviving(shape))
        tried.setdefault(shape.group, Counter()).update(shape.places)
        left.setdefault(shape.group, Counter()).update(survived)
        names.setdefault(shape.group, {})[shape.name] = sorted(survived)
    return tuple(
        Surviving(
            group,
            tried[group].total(),
            left[group].total(),
            len(names[group]),
            tuple(f"{name}: {', '.join(places)}" for name, places in names[group].items() if places),
            {place: left[group][place] for place in PLACES},
        )
        for group in tried
    )


def _surviving(shape: Shape) -> Iterator[str]:
    """The places in which the secret reaches the database; one memory for all of them first, as most reach none."""
    if _leaks(shape, shape.places):
        yield from (place for place in shape.places if _leaks(shape, (place,)))


def _leaks(shape: Shape, places: Sequence[str]) -> bool:
    stored = stored_bytes([PLACES[place](shape.text) for place in places])
    return any(written in stored for written in written_forms(shape.secret))


def stored_bytes(sessions: Sequence[_Messages]) -> bytes:
    """All bytes of all files of a memory that has seen these sessions, while it is open and after."""
    with tempfile.TemporaryDirectory(prefix="cfpm-bench-") as folder:
        settings = Settings(durability="normal", log_mode="full")
        with Memory.open(f"sqlite:///{Path(folder) / 'memory.db'}", settings=settings) as memory:
            for number, messages in enumerate(sessions):
                memory.observe(messages, session=f"s{number}")
            files = _bytes(folder)
        return files + _bytes(folder)


def _bytes(folder: str) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file())


def written_forms(secret: str) -> set[bytes]:
    """The secret as it is, and as JSON writes it."""
    forms = (secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    return {form.encode("utf-8", "surrogatepass") for form in forms}


def innocent(path: Path) -> Innocent:
    texts = [str(row["text"]) for _, row in _rows(path) if not row.get("secret")]
    changed = [found for text in texts if (found := redact(text).text) != text]
    return Innocent(len(texts), sum(len(text.split()) for text in texts), tuple(changed))


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            row = json.loads(line)
            if not isinstance(row, dict) or not row.get("text"):
                raise ValueError(f"{path}, line {number}: an object with text is needed")
            yield number, row


def lines(groups: Sequence[Surviving]) -> Iterator[str]:
    """The report on shapes for people."""
    for group in groups:
        share = 100 * group.survived / max(1, group.tried)
        yield f"{group.group}: {group.survived} of {group.tried} survive ({share:.1f} %), {len(group.leaking)} of " + (
            f"{group.shapes} shapes leak somewhere; by place: "
            + ", ".join(f"{place} {count}" for place, count in group.by_place.items())
        )
        yield from (f"    {leak}" for leak in group.leaking)


def innocent_lines(found: Innocent) -> Iterator[str]:
    """The report on innocent texts for people."""
    yield f"innocent texts that lost a word: {len(found.changed)} of {found.texts} ({found.words} words)"
    yield from (f"    {text}" for text in found.changed)
