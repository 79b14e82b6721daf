"""Tool results that are too long for a history, written to a file each, with a stub in their place that tells how to
read them. Deletes nothing: how long artifacts live is the host's business."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from cfpm.context.conversation_file import erase_conversations
from cfpm.context.history import Raw
from cfpm.context.trims.calls import read_log
from cfpm.context.trims.placeholders import is_note, note, sized, with_exit_code
from cfpm.context.trims.tools import Tools, known_tools
from cfpm.context.trims.trim import Rewrite, Trim, rewrite_result, rewritten
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.private_files import keep_folder_private, make_folder
from cfpm.secrets import redact
from cfpm.store.location import MEMORY, database_path

OFFLOAD_OVER = 40_000
"""Characters beyond which a result is offloaded, about 10,000 tokens; the figure of the reference."""

HOW_TO_READ = "ask for this artifact by its id, whole or some of its lines, or repeat the call for a smaller part"

_ID = lazy_pattern(r"[0-9a-f]{32}")
_FILE = lazy_pattern(r"[0-9a-f]{32}\.json|\.\w+\.tmp|session-[0-9a-f]{20}\.(?:jsonl|\d+\.tmp)")
_SHOWN_LINES = 8
_SHOWN_LINE = 160
_MAX_NAME = 200


@dataclass(frozen=True, slots=True)
class Artifact:
    """A result as it stands on disk, without secrets. `chars` is its length as the tool gave it; `hint` names the call
    in a few words."""

    id: str
    tool: str
    hint: str
    chars: int
    content: str

    def lines(self, first: int, last: int) -> str:
        """Some of its lines, counted from 1, both ends included."""
        return "\n".join(self.content.split("\n")[max(first, 1) - 1 : max(last, 0)])


@dataclass(frozen=True, slots=True)
class Offloaded:
    """What became of a text: `text` is the stub, or the very text that was given when it was short or could not be
    written. `id` is empty then, and `problem` says what failed."""

    text: str
    id: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The artifacts of a directory that the host chose, made when the first is written, for its user alone.

    `how_to_read` is what a stub tells the model: name the tool that calls `resolve`. `over` is in characters.
    """

    directory: Path
    how_to_read: str = HOW_TO_READ
    over: int = OFFLOAD_OVER

    def offload(self, text: str, *, tool: str = "", hint: str = "") -> Offloaded:
        """Writes a text of more than `over` characters and gives a stub for it; secrets are taken out before.

        The id is derived from what is written, so that the same result is one artifact.
        """
        if len(text) <= self.over or is_note(text):
            return Offloaded(text)
        content = redact(text).text
        artifact = Artifact(_id_of(content), _named(tool), _named(hint), len(text), content)
        stub = _stub(artifact, self.how_to_read)
        if len(stub) >= len(text):
            return Offloaded(text)
        try:
            self._write(artifact)
        except OSError as error:
            return Offloaded(text, problem=f"{self.directory}: {error.strerror or error}")
        return Offloaded(stub, artifact.id)

    def resolve(self, artifact_id: str) -> Artifact | None:
        """The artifact of an id; None when there is none, when the id is none of ours, and when the file is damaged or
        was changed. An id never names a file outside the directory."""
        if not isinstance(artifact_id, str) or not _ID.fullmatch(artifact_id):
            return None
        try:
            found = json.loads(self._file(artifact_id).read_text(encoding="utf-8"))
            values = [found[name] for name in ("tool", "hint", "chars", "content")]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        tool, hint, chars, content = values
        if not (all(isinstance(text, str) for text in (tool, hint, content)) and isinstance(chars, int)):
            return None
        return Artifact(artifact_id, tool, hint, chars, content) if _id_of(content) == artifact_id else None

    def erase(self, holds: Callable[[str], bool]) -> int:
        """Removes the artifacts whose tool, hint or content is such a text, and the conversations that say one; returns
        how many.

        Also files that are damaged: nobody can tell what they hold. Raises OSError.
        """
        gone = erase_conversations(self.directory, holds)
        for file in sorted(self.directory.glob("*.json")) if self.directory.is_dir() else ():
            if not _ID.fullmatch(file.stem):
                continue
            found = self.resolve(file.stem)
            if found is None or any(map(holds, (found.tool, found.hint, found.content))):
                file.unlink()
                gone += 1
        return gone

    def _file(self, artifact_id: str) -> Path:
        return self.directory / f"{artifact_id}.json"

    def _write(self, artifact: Artifact) -> None:
        """Whole or not at all, also for readers and for other processes that write the same."""
        import tempfile

        if self.resolve(artifact.id) is not None:
            return
        make_folder(self.directory)
        # Once for a folder: to look at every artifact at each write would take longer with each of them.
        if self.directory.stat().st_mode & 0o077:
            keep_folder_private(self.directory, lambda name: bool(_FILE.fullmatch(name)))
        handle, name = tempfile.mkstemp(dir=self.directory, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(asdict(artifact), file)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._file(artifact.id))
        except BaseException:
            # Also when interrupted or cancelled: half a file must not stay behind. Raised again as it came.
            with suppress(OSError):
                Path(name).unlink()
            raise


def artifacts_folder(url: str, setting: str) -> Path | None:
    """Where a memory keeps artifacts: the folder of the setting, else the one beside its database; None for a database
    without a file."""
    if setting:
        return Path(setting).expanduser()
    path = database_path(url)
    return None if path == MEMORY else Path(f"{path}.artifacts")


def offload_results(messages: Sequence[Raw], artifacts: Artifacts, *, tools: Tools | None = None) -> Trim:
    """Offloads the results of a list that are too long. `problem` names what could not be written; those results stay
    as they are."""
    tools = tools or known_tools()
    rewrites: list[Rewrite] = []
    problems: dict[str, None] = {}
    for result in read_log(messages).results:
        called = result.call.tool if result.call else None
        tool, hint = (called.name, tools.label_of(called)) if called else ("", "")
        done = artifacts.offload(result.text, tool=tool, hint=hint)
        if done.id:
            rewrites.append(rewrite_result(result, with_exit_code(done.text, result.exit_code)))
        elif done.problem:
            problems[done.problem] = None
    trim = rewritten(messages, rewrites)
    return Trim(trim.messages, trim.rewritten, saved=trim.saved, media=trim.media, problem="; ".join(problems))


def _stub(artifact: Artifact, how_to_read: str) -> str:
    lines = artifact.content.split("\n")
    first, last = lines[:_SHOWN_LINES], lines[_SHOWN_LINES:][-_SHOWN_LINES:]
    between = len(lines) - len(first) - len(last)
    parts = [
        note(f"result of {sized(artifact.chars)} was stored as an artifact"),
        f"Artifact: {artifact.id}",
        f"Tool: {artifact.tool}" + (f" | {artifact.hint}" if artifact.hint else ""),
        f"To read it: {how_to_read}",
        "First lines:",
        *map(_line, first),
    ]
    if last:
        parts += [f"Last lines, after {between:,} more:", *map(_line, last)]
    return "\n".join(parts)


def _line(line: str) -> str:
    return line if len(line) <= _SHOWN_LINE else f"{line[:_SHOWN_LINE]}…"


def _named(text: str) -> str:
    """The name of a tool or a call on one line, without secrets."""
    return redact(" ".join(text.split())).text[:_MAX_NAME]


def _id_of(content: str) -> str:
    """128 bits of the hash of what is written: as good as unique, and no hash of a secret."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:32]
