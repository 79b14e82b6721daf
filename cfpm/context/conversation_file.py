"""A conversation on disk, so that it goes on after its process was killed: one JSON line for each step, for its user
alone. What a step holds, and that no secret is in it, is the business of whoever writes it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from cfpm.context.history import Raw
from cfpm.errors import InputError, StoreError
from cfpm.model.ids import digest
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.private_files import make_folder, private_opener
from cfpm.transcript.fields import texts_in

NAME = lazy_pattern(r"session-[0-9a-f]{20}\.jsonl")
"""What the files are called; no name of a session gets into a path."""

_VERSION = 1
_KIND = "cfpm_conversation"

Step = Mapping[str, object]
"""`add` holds lists by their keys, which are added to; every other key replaces what stood under it."""


def conversation_file(folder: Path, namespace: str, session: str) -> Path:
    """The file of a session in a folder."""
    return folder / f"session-{digest(namespace, session)}.jsonl"


class ConversationFile:
    """The file of one conversation. `durable` makes each step survive a power cut too.

    One process writes it at a time: another one that has written in between is found before anything is lost.
    """

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self.path = path
        self._durable = durable
        self._size = 0

    def read(self) -> dict[str, object] | None:
        """All steps as one: lists with all that was added, and the last of every other key. None when there is no
        file.

        A step that was not written to its end never happened. Raises InputError for a file that is none of ours or is
        damaged, naming the line; StoreError when it cannot be read.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(str(self.path), error.strerror or str(error), "Check its rights") from error
        end = data.rfind(b"\n") + 1
        if end < len(data):
            os.truncate(self.path, end)
        self._size = end
        if not end:
            return None
        whole: dict[str, object] = {}
        for number, line in enumerate(data[:end].decode("utf-8", "replace").split("\n")[:-1], start=1):
            step = self._step(line, number)
            added = step.pop("add", {})
            whole |= step
            for key, more in added.items() if isinstance(added, dict) else ():
                known = whole.setdefault(key, [])
                if not isinstance(known, list) or not isinstance(more, list):
                    raise self._damaged(number, f"{key} is no list")
                known += more
        return whole

    def append(self, step: Step) -> None:
        """Adds a step. Raises StoreError when another process goes on with the session, and when it cannot be written;
        then the file is as it was."""
        data = _line(step)
        try:
            with self.path.open("r+b") as file:
                if file.seek(0, os.SEEK_END) != self._size:
                    raise self._taken()
                try:
                    file.write(data)
                    self._flush(file)
                except OSError:
                    file.truncate(self._size)
                    raise
        except OSError as error:
            raise StoreError(str(self.path), error.strerror or str(error), "Make room, or check its rights") from error
        self._size += len(data)

    def replace(self, step: Step) -> None:
        """Puts one step in place of all. Raises as `append`."""
        data = _line({_KIND: _VERSION}) + _line(step)
        written = self.path.with_suffix(f".{os.getpid()}.tmp")
        try:
            if self._size != (self.path.stat().st_size if self.path.exists() else 0):
                raise self._taken()
            make_folder(self.path.parent)
            with open(written, "wb", opener=private_opener) as file:
                file.write(data)
                self._flush(file)
            written.replace(self.path)
        except OSError as error:
            written.unlink(missing_ok=True)
            raise StoreError(str(self.path), error.strerror or str(error), "Make room, or check its rights") from error
        self._size = len(data)

    def _flush(self, file: BinaryIO) -> None:
        file.flush()
        if self._durable:
            os.fsync(file.fileno())

    def _step(self, line: str, number: int) -> dict[str, object]:
        try:
            step = json.loads(line)
        except (ValueError, RecursionError):
            raise self._damaged(number, "not JSON") from None
        if not isinstance(step, dict):
            raise self._damaged(number, "no step of a conversation")
        if number == 1 and step.get(_KIND) != _VERSION:
            raise self._damaged(number, "of another version, or no conversation")
        return step

    def _damaged(self, number: int, problem: str) -> InputError:
        remedy = "Remove the file to begin the conversation anew; the memory has what was said"
        return InputError(str(self.path), problem, remedy, place=f"line {number}")

    def _taken(self) -> StoreError:
        return StoreError(
            str(self.path), "another process goes on with this conversation", "End one of them, or name another session"
        )


def erase_conversations(folder: Path, holds: Callable[[str], bool]) -> int:
    """Removes the files of conversations that hold such a text; returns how many. A file that cannot be read goes too:
    nobody can tell what it holds. Raises OSError."""
    gone = 0
    for file in sorted(folder.glob("session-*.jsonl")) if folder.is_dir() else ():
        if NAME.fullmatch(file.name) and _holds(file, holds):
            file.unlink()
            gone += 1
    return gone


def _holds(file: Path, holds: Callable[[str], bool]) -> bool:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        return any(holds(text) for line in lines for text in texts_in(json.loads(line)))
    except (ValueError, RecursionError):
        return True


def _line(step: Step) -> bytes:
    kept = json.dumps(step, ensure_ascii=False, default=str, separators=(",", ":"))
    return kept.encode("utf-8", "surrogatepass") + b"\n"


def message_key(raw: Raw) -> str:
    """What tells a message, without its secrets, from others: all that it says but the text of results, which may be
    kept elsewhere, and the flags."""
    return digest(json.dumps(_keyed(raw), ensure_ascii=False, default=str, sort_keys=True))


def _keyed(raw: Raw) -> dict[str, object]:
    kept = {key: value for key, value in raw.items() if key not in ("user_visible", "agent_visible")}
    if kept.get("role") in ("tool", "function") or "call_id" in kept:
        return {key: kept[key] for key in ("role", "tool_call_id", "call_id") if key in kept}
    content = kept.get("content")
    if isinstance(content, list | tuple):
        kept["content"] = [
            {"result": block.get("tool_use_id")}
            if isinstance(block, Mapping) and block.get("type") == "tool_result"
            else block
            for block in content
        ]
    return kept
