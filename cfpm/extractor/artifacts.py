"""Artifacts: paths that exist and matter, because a tool made them, found them, or somebody says where something is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from cfpm.extractor.evidence import Evidence, Outcome
from cfpm.extractor.tools import Work
from cfpm.extractor.utterance import Heard
from cfpm.model import Category, Draft, Mark, Role, Span
from cfpm.model.known_folders import NAMES, TOPIC, folder_named
from cfpm.paths.finder import FoundPath, find_paths
from cfpm.paths.predicates import is_clean_path_line
from cfpm.text import marks_around

_PLACED = re.compile(
    r"\b(?:saved|written|wrote|stored|located|found|created|moved|renamed|exported|downloaded|installed|copied|generated|output|lives?|"
    r"resides?|placed)\b(?:\s+\S+){0,6}?\s+(?:to|at|in|into|as|under|is|on)\b|\b(?:path|file|folder|directory|"
    r"output) (?:is|are|:)|"
    r"(?:保存|写入|存放|位于|找到|生成|输出|导出|移动|下载|安装|创建)(?:到|在|于|至|为|文件)?|(?:路径|文件|目录|文件夹|桌面)(?:是|为|在|：|:)",
)
_MADE = re.compile(
    r"\bi(?:['’]ve| have)?(?: now| just| also| successfully)? "
    r"(?:created|saved|wrote|written|generated|exported|moved|renamed|copied|stored|placed|put)\b|"
    r"\byou(?:['’]ll| can| will)? find the\b|我(?:已经|已|刚)?(?:创建|保存|写|生成|导出|移动)|^已将"
)
"""What an agent claims to have done itself, so that a tool of the turn must show it."""
_NAMED_FOLDER = re.compile(
    rf"\b(?:my|the|our)\s+({'|'.join(NAMES)})(?:\s+(?:folder|directory))?\s+(?:is|lives|sits|lies)\b[\w\s:\"'`]{{0,30}}$",
    re.IGNORECASE,
)
"""`my Desktop folder is at`, right before a path."""
_MAX_PATH_LINE = 1_000
_NEAR = 30
"""Characters between 'saved to' and the path that is meant."""
_MAX_ANSWER_LINES = 3
"""An output with more lines of paths is a listing, not an answer to 'where is it?'."""
_MAX_REPORT = 5
"""Lines; a longer output that is mostly sentences is a text."""
_QUOTES = "`'\"*()[]<>.,;:。， "
_MAX_ANSWER_CHARS = 1_000


def from_sentence(heard: Heard, evidence: Evidence | None = None) -> Iterator[Draft]:
    """Paths in 'saved to X' sentences, and sentences that are nothing but paths.

    Of what an agent says, `evidence` tells whether what it claims to have written was.
    """
    bare = len(heard.text) <= _MAX_PATH_LINE and is_clean_path_line(heard.text)
    if not bare and "/" not in heard.text and "\\" not in heard.text:
        return
    placed = _PLACED.search(heard.lower)
    if not placed and not bare:
        return
    at = placed.start() if placed and not bare else 0
    near = placed.end() + _NEAR if placed else 0
    marks = marks_around(heard.lower, at, placed.end() if placed else 0) - {Mark.TRANSIENT} if not bare else frozenset()
    rule = "artifact.bare" if bare else "artifact.placed"
    if evidence is not None and not bare and _MADE.search(heard.lower):
        marks |= evidence.judge(Work.EDIT)
    paths = find_paths(heard.text)
    if bare and not paths and (name := heard.text.lstrip(_QUOTES.replace(".", "")).rstrip(_QUOTES)):
        yield _said(heard, name, heard.text.index(name), rule, marks)
    for found in paths:
        if not bare and not at <= found.start <= near:
            continue
        draft = _said(heard, found.path, found.start, rule, marks)
        yield replace(draft, topic=_folder_named_before(heard, found)) if draft.role is Role.USER else draft


def _folder_named_before(heard: Heard, found: FoundPath) -> str:
    """`folder:desktop` for the path in `my Desktop is at PATH`, else nothing."""
    named = _NAMED_FOLDER.search(heard.text, 0, found.start)
    folder = folder_named(named[1], windows=True) if named else None
    return TOPIC + folder if folder else ""


def _said(heard: Heard, path: str, at: int, rule: str, marks: frozenset[Mark]) -> Draft:
    span = Span(heard.message.id, heard.start + at, heard.start + at + len(path))
    return Draft(Category.ARTIFACT, path, span, heard.message.role, rule, 0.6, heard.text, marks)


def from_outcome(outcome: Outcome) -> Iterator[Draft]:
    """The file of an edit that succeeded, and short answers that are nothing but paths."""
    if outcome.work is Work.EDIT:
        yield from _edited(outcome)
    elif len(outcome.message.text) <= _MAX_ANSWER_CHARS:
        yield from _answered(outcome)


def _edited(outcome: Outcome) -> Iterator[Draft]:
    text, call = outcome.message.text, outcome.call
    marks = frozenset({Mark.CONTRADICTED}) if outcome.ok is False else frozenset()
    if outcome.ok is None:
        marks = frozenset({Mark.UNCONFIRMED})
    path = call.path if call else None
    if path is None:
        head = text[: outcome.success.end] if outcome.success else ""
        found = find_paths(head)
        for item in found[:1]:
            yield _draft(outcome, item.path, item.start, item.end, "artifact.edited", 0.85, marks)
        return
    at = text.find(path)
    start, end = (at, at + len(path)) if at >= 0 else (0, 0)
    yield _draft(outcome, path, start, end, "artifact.edited", 0.85, marks)


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
    message, call = outcome.message, outcome.call
    line_start = message.text.rfind("\n", 0, start) + 1
    line_end = message.text.find("\n", end)
    line = message.text[line_start : line_end if line_end >= 0 else len(message.text)][:600] if end else path
    return Draft(
        Category.ARTIFACT,
        path,
        Span(message.id, start, end),
        Role.TOOL,
        rule,
        confidence,
        line,
        marks,
        validation_command=call.command if call else None,
    )
