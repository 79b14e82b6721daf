"""Artifacts: paths that exist and matter, because a tool made them, found them, or somebody says where something is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from cfpm.extractor.calls import made, taken_away
from cfpm.extractor.evidence import Evidence, Outcome
from cfpm.extractor.tools import Work
from cfpm.extractor.utterance import Utterance
from cfpm.model import Category, Draft, Mark, Role, Span
from cfpm.model.known_folders import BY_USER, NAMES, TOPIC, Folder, folder_named
from cfpm.model.patterns import lazy_pattern
from cfpm.paths.finder import FoundPath, find_paths
from cfpm.paths.predicates import is_clean_path_line
from cfpm.text import marks_around

_PLACED = lazy_pattern(
    r"\b(?:saved|written|wrote|stored|located|found|created|moved|renamed|exported|downloaded|installed|copied|generated|output|lives?|"
    r"resides?|placed)\b(?:\s+\S+){0,6}?\s+(?:to|at|in|into|as|under|is|on)\b|\b(?:path|file|folder|directory|"
    r"output) (?:is|are|:)|"
    r"(?:保存|写入|存放|位于|找到|生成|输出|导出|移动|下载|安装|创建)(?:到|在|于|至|为|文件)?|(?:路径|文件|目录|文件夹|桌面)(?:是|为|在|：|:)",
)
_MADE = lazy_pattern(
    r"\bi(?:['’]ve| have)?(?: now| just| also| successfully)? "
    r"(?:created|saved|wrote|written|generated|exported|moved|renamed|copied|stored|placed|put)\b|"
    r"\byou(?:['’]ll| can| will)? find the\b|我(?:已经|已|刚)?(?:创建|保存|写|生成|导出|移动)|^已将"
)
"""What an agent claims to have done itself, so that a tool of the turn must show it."""
_OWN_FOLDER = rf"(?:my|our)\s+({'|'.join(NAMES)})"
_NAMED_FOLDER_START = lazy_pattern(_OWN_FOLDER, re.IGNORECASE)
_NAMED_FOLDER = lazy_pattern(
    _OWN_FOLDER + r"(?:\s+(?:folder|directory))?\s+(?:is|lives|sits|lies)\b[\w\s:\"'`]{0,30}$",
    re.IGNORECASE,
)
"""`My Desktop folder is at`, from the start of a sentence to a path: `the desktop` may be another's."""
_MAX_PATH_LINE = 1_000
_NEAR = 30
"""Characters between 'saved to' and the path that is meant."""
_MAX_ANSWER_LINES = 3
"""An output with more lines of paths is a listing, not an answer to 'where is it?'."""
_MAX_REPORT = 5
"""Lines; a longer output that is mostly sentences is a text."""
_QUOTES = "`'\"*()[]<>.,;:。， "
_MAX_ANSWER_CHARS = 1_000


def from_sentence(unit: Utterance, evidence: Evidence | None = None) -> Iterator[Draft]:
    """Paths in 'saved to X' sentences, and sentences that are nothing but paths.

    Of what an agent says, `evidence` tells whether what it claims to have written was.
    """
    bare = len(unit.text) <= _MAX_PATH_LINE and is_clean_path_line(unit.text)
    if not bare and "/" not in unit.text and "\\" not in unit.text:
        return
    placed = _PLACED.search(unit.lower)
    names_folder = unit.message.role is Role.USER and _NAMED_FOLDER_START.match(unit.text) is not None
    if not placed and not bare and not names_folder:
        return
    at = placed.start() if placed and not bare else 0
    near = placed.end() + _NEAR if placed else 0
    marks = marks_around(unit.lower, at, placed.end() if placed else 0) - {Mark.TRANSIENT} if not bare else frozenset()
    rule = "artifact.bare" if bare else "artifact.placed"
    if evidence is not None and not bare and _MADE.search(unit.lower):
        marks |= evidence.judge(Work.EDIT)
    paths = find_paths(unit.text)
    if bare and not paths and (name := unit.text.lstrip(_QUOTES.replace(".", "")).rstrip(_QUOTES)):
        yield _said(unit, name, unit.text.index(name), rule, marks)
    for found in paths:
        folder = _folder_named_before(unit, found) if names_folder else None
        if not bare and not folder and not at <= found.start <= near:
            continue
        draft = _said(unit, found.path, found.start, rule, marks)
        yield replace(draft, topic=TOPIC + folder, value=BY_USER) if folder else draft


def _folder_named_before(unit: Utterance, found: FoundPath) -> Folder | None:
    """The folder of the path in `My Desktop is at PATH`, None for any other sentence."""
    named = _NAMED_FOLDER.match(unit.text, 0, found.start)
    return folder_named(named[1], windows=True) if named else None


def _said(unit: Utterance, path: str, at: int, rule: str, marks: frozenset[Mark]) -> Draft:
    span = Span(unit.message.id, unit.start + at, unit.start + at + len(path))
    return Draft(Category.ARTIFACT, path, span, unit.message.role, rule, 0.6, unit.text, marks)


def from_outcome(outcome: Outcome) -> Iterator[Draft]:
    """The files of an edit that succeeded, what a move made of another, short answers that are nothing but paths."""
    if outcome.work is Work.EDIT:
        yield from _edited(outcome)
    elif outcome.ok and outcome.call and (moved := made(outcome.call)):
        yield from (_draft(outcome, path, 0, 0, "artifact.edited", 0.85, frozenset()) for path in moved)
    elif len(outcome.message.text) <= _MAX_ANSWER_CHARS:
        yield from _answered(outcome)


def _edited(outcome: Outcome) -> Iterator[Draft]:
    marks = frozenset({Mark.CONTRADICTED}) if outcome.ok is False else frozenset()
    if outcome.ok is None:
        marks = frozenset({Mark.UNCONFIRMED})
    for path in edited_paths(outcome):
        at = outcome.message.text.find(path)
        start, end = (at, at + len(path)) if at >= 0 else (0, 0)
        yield _draft(outcome, path, start, end, "artifact.edited", 0.85, marks)


def edited_paths(outcome: Outcome) -> list[str]:
    """The files that an edit names: in its call, else in the line that reports its success; none that it removed."""
    if outcome.work is not Work.EDIT:
        return []
    call = outcome.call
    paths = made(call) if call else []
    if paths or (call is not None and taken_away(call)):
        return paths
    found = find_paths(outcome.message.text[: outcome.success.end]) if outcome.success else ()
    return [item.path for item in found[:1]]


def _answered(outcome: Outcome) -> Iterator[Draft]:
    text = outcome.message.text
    if "/" not in text and "\\" not in text:
        return
    lines = [line for line in text.splitlines() if line.strip()]
    if _is_document(lines):
        return
    paths = list(islice(filter(is_clean_path_line, lines), _MAX_ANSWER_LINES + 1))
    if not paths or len(paths) > _MAX_ANSWER_LINES:
        return
    marks = frozenset({Mark.CONTRADICTED}) if outcome.ok is False and len(paths) == len(lines) else frozenset()
    if outcome.work is Work.READ:
        marks |= {Mark.QUOTED}
    offset = 0
    for line in text.splitlines(keepends=True):
        if line.strip() and is_clean_path_line(line.strip()):
            for item in find_paths(line):
                yield _draft(outcome, item.path, offset + item.start, offset + item.end, "artifact.answer", 0.65, marks)
        offset += len(line)


def _is_document(lines: list[str]) -> bool:
    prose = sum(len(line.split()) > 6 for line in lines)
    return any(line.startswith("#") for line in lines) or (len(lines) > _MAX_REPORT and prose > len(lines) / 2)


def _draft(
    outcome: Outcome, path: str, start: int, end: int, rule: str, confidence: float, marks: frozenset[Mark]
) -> Draft:
    text = outcome.message.text
    line_end = text.find("\n", end)
    line = text[text.rfind("\n", 0, start) + 1 : line_end if line_end >= 0 else len(text)][:600] if end else path
    return outcome.draft(Category.ARTIFACT, path, (start, end), rule, confidence, line, marks)
