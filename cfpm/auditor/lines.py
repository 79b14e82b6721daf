"""Which lines of a turn must not be learnt later from anybody but the user: system prompts, boot files, READMEs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from cfpm.extractor.tools import reads_boot_file
from cfpm.model import Message, Origin, ToolCall
from cfpm.model.ids import line_hash
from cfpm.model.patterns import lazy_pattern
from cfpm.text import sentences

BOILERPLATE = "boilerplate"
"""What a host or a tool showed: known from anybody but the user, who may well mean it."""

INJECTED = "injected"
"""A line that we wrote into a prompt ourselves, by its hash: an echo from everybody. Nothing that was only read,
whatever marks it bears, is one. (Older stores call such lines `echo`, but forged blocks made those, too: they are no
proof against the user.)"""

RECALLED = "recalled"
"""The bare content of a recalled fact: an echo from anybody but the user, who may well say it again."""

ECHOES = frozenset({INJECTED, RECALLED, "echo"})

_KINDS = {Origin.SYSTEM_PROMPT: BOILERPLATE, Origin.BOOT_FILE: BOILERPLATE}
_LINE_NUMBER = lazy_pattern(r"^\s*\d+\s?[→|:\t]", re.MULTILINE)
_MIN_CHARS = 12
"""Shorter lines ('Yes', '## Usage') are anybody's words."""


def lines_to_remember(messages: Iterable[Message], calls: dict[str, ToolCall]) -> dict[str, str]:
    """Hashes of the lines and sentences of such messages, with their kind."""
    kinds: dict[str, str] = {}
    for message in messages:
        kind = _KINDS.get(message.origin)
        text = message.text
        if kind is None and message.tool_result is not None and reads_boot_file(calls.get(message.tool_result.call_id)):
            kind, text = BOILERPLATE, _LINE_NUMBER.sub("", text)
        if kind is None:
            continue
        for name in _hashes(text):
            kinds.setdefault(name, kind)
    return kinds


@lru_cache(maxsize=64)
def _hashes(text: str) -> tuple[str, ...]:
    # Hosts repeat such a text word for word, in each session or each turn.
    return tuple(name for line in _units(text) if (name := line_hash(line)))


def _units(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        if len(sentence.text) >= _MIN_CHARS:
            yield sentence.text
    for line in text.splitlines():
        if len(line.strip()) >= _MIN_CHARS:
            yield line
