"""A second, simple reading of SpecStory's Markdown for what its programs report: no reader of the memory is used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.extraction.measures.agent_logs import folded

_OPENING = re.compile(r'<tool-use data-tool-type="([a-z]+)" data-tool-name="([^"]+)">')
_CLOSING = "</tool-use>"
_OUTPUT_FENCES = ("```text", "```")
_USER = re.compile(r"_\*\*User \(")
_HEADER = re.compile(r"_\*\*(?:User|Agent)\b")
_META = re.compile(r"(?:<(?:command|local-command|bash-|system|task-notification|ide_)|\[Request interrupted|Caveat: )")

_CHANGED = re.compile(
    r"(?:The file (?P<changed>\S.*?) has been (?:updated|overwritten|created)\b|"
    r"File created successfully at: (?P<created>\S.*?)\s*$)"
)
_PASSED = re.compile(r"(ok\s+\S+)\s+(?:\(cached\)|[\d.]+s)(?:\s|$)|(0 issues)\.$")
_OTHER_REPORT = re.compile(
    r"^(?:=* ?\d+ passed\b|PASS$|OK$|\[\S+ (?:\(root-commit\) )?[0-9a-f]{7,12}\] |test result: ok|All checks passed|"
    r"(?:BUILD SUCCESS|Build succeeded|Compiled successfully|✓ built|Successfully \w+)|Tests:\s+\d+ passed)",
    re.MULTILINE,
)
"""What other programs print when they succeed; few sessions here run them, so only precision knows them."""
_FAILED_START = re.compile(
    r"<tool_use_error>|Error\b|The user doesn.t want to|File has (?:not been read|been (?:unexpectedly )?modified)|"
    r"\[Request interrupted|Exit code [1-9]|(?:.*\n){0,3}Process exited with code [1-9]"
)
_FAILED_LINE = re.compile(r"^(?:--- FAIL|\s+--- FAIL|FAIL\b)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reported:
    """What one tool block shows: its output, the file that it says to have changed, and how it ended."""

    output: str
    changed: str
    successes: tuple[str, ...]
    """What its native success lines say, without timings: the file written, `ok` with the package, `0 issues`."""
    failed: bool


def failed(output: str) -> bool:
    """True for an output that opens with an error or a non-zero status, or in which a test failed."""
    return bool(_FAILED_START.match(output) or _FAILED_LINE.search(output))


def changed_file(output: str) -> str:
    """The file that the first line of an editor's output reports as written, or nothing."""
    found = _CHANGED.match(output.partition("\n")[0])
    return (found["changed"] or found["created"]) if found else ""


def successes(output: str) -> tuple[str, ...]:
    """The native successes of an output: a file written, `ok` of a test run, a linter without issues; none beside a
    failure."""
    if failed(output):
        return ()
    if file := changed_file(output):
        return (file,)
    passed = (_PASSED.match(line) for line in output.split("\n"))
    return tuple(folded(found[1] or found[2]) for found in passed if found)


def reports_success(output: str) -> bool:
    """True for a native success or the line by which another program reports one, and no failure."""
    return bool(successes(output)) or (not failed(output) and _OTHER_REPORT.search(output) is not None)


def reports(path: Path) -> Iterator[Reported]:
    """What the tool blocks of a file show, in their order."""
    for kind, lines in _blocks(path.read_text(encoding="utf-8")):
        output = _output(kind, lines)
        if output is not None:
            file = changed_file(output) if kind == "write" else ""
            yield Reported(output, file, successes(output) if _counts(kind) else (), failed(output))


def _counts(kind: str) -> bool:
    """What a reading or searching tool shows is the content of files, not a report."""
    return kind in ("write", "shell")


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    kind, lines = "", list[str]()
    for line in text.split("\n"):
        if not kind:
            if found := _OPENING.match(line):
                kind, lines = found[1], []
        elif line.endswith(_CLOSING):
            yield kind, lines
            kind = ""
        else:
            lines.append(line)


def _output(kind: str, lines: list[str]) -> str | None:
    """From the fence that opens the output to the last fence. In front of an editor's may stand whatever it wrote."""
    start = _report_of_editor(lines) if kind == "write" else _opening_fence(lines)
    if start is None:
        return None
    end = max((n for n in range(start + 1, len(lines)) if lines[n] == "```"), default=len(lines))
    return "\n".join(lines[start + 1 : end])


def _report_of_editor(lines: list[str]) -> int | None:
    for n in range(len(lines) - 2, -1, -1):
        if lines[n] in _OUTPUT_FENCES and (changed_file(lines[n + 1]) or failed(lines[n + 1])):
            return n
    return None


def _opening_fence(lines: list[str]) -> int | None:
    inside = False
    for n, line in enumerate(lines):
        if inside:
            inside = line != "```"
        elif line in _OUTPUT_FENCES:
            return n
        else:
            inside = line.startswith("```")
    return None


def first_request(path: Path) -> str:
    """The first message of the user that starts a task, white space folded; empty without one.

    Left out are the host's notices and single words such as "proceed". What a command of the user puts into the
    conversation is their request: they chose it instead of typing it.
    """
    said: list[str] | None = None
    for line in [*path.read_text(encoding="utf-8").split("\n"), "_**User ("]:
        if _HEADER.match(line):
            text = folded(" ".join(said or ()).removesuffix("---"))
            if " " in text and not _META.match(text):
                return text
            said = [] if _USER.match(line) else None
        elif said is not None and line != "---":
            said.append(line)
    return ""
