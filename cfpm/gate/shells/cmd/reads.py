"""Whether a command of cmd only reads, from an open list of what does: whatever is not on it may do anything."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from cfpm.gate.probe import Effect
from cfpm.gate.shells.cmd.lines import Word, words_of
from cfpm.gate.tables import read_table
from cfpm.model.patterns import lazy_pattern

_SINK = lazy_pattern(r"[12]?>>?\s*nul\b|[12]?>&[12]", 2)
_EXPANSION = lazy_pattern(r"%(?:USERPROFILE|HOMEDRIVE|HOMEPATH|SystemDrive|CD|DATE|TIME)(?::~[-0-9,]+)?%", 2)
_NOT_SEEN_THROUGH = lazy_pattern(r"[%!^\r\x1a]")
"""What puts in a text that is not known here, or hides what follows."""
_SET = lazy_pattern(r'"?(\w+)=')


def effect_of(command: str) -> Effect:
    """What the command does at most, on any of its lines."""
    return max((_of_line(line.removesuffix("\r")) for line in command.split("\n")), default=Effect.READS)


def _of_line(line: str) -> Effect:
    known = _EXPANSION.sub("x", _SINK.sub(" ", line))
    words = words_of(known)
    if words is None or ">" in known or _NOT_SEEN_THROUGH.search(known) or known.lstrip("@ \t").startswith(":"):
        return Effect.ACTS
    parts = (list(part) for _, part in groupby(words, key=lambda word: word.command))
    return max((_of_command(part) for part in parts), default=Effect.READS)


def _of_command(words: Sequence[Word]) -> Effect:
    """What one command does; a test for a file is left out, and what it decides about looked at."""
    table = read_table("shells/cmd/commands")
    names = [word.text.lower().lstrip("@") for word in words]
    if names[0] == "else":
        names = names[1:]
    while names[:1] == ["if"]:
        at = 2 if names[1:2] == ["not"] else 1
        if names[at : at + 1] != ["exist"]:
            return Effect.ACTS
        names = names[at + 2 :]
    if not names or names[0] in table["reads"]:
        return Effect.READS
    if names[0] in table["moves"]:
        return Effect.OUTLASTS
    variable = _SET.match(names[1]) if names[0] == "set" and len(names) > 1 else None
    return Effect.OUTLASTS if variable and variable[1] not in table["steering"] else Effect.ACTS
