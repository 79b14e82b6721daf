"""The fixed texts by which this package recognises what it wrote itself, and what switches it off. Imported by rooms
on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

BLOCK_OPEN = "<<<CFPM_MEMORY_V1"
"""Begins the first line of a recalled block."""

BLOCK_CLOSE = "CFPM_MEMORY_V1>>>"
"""Ends the last line of a recalled block."""

EARLIER_BLOCKS = ("[CFPM_MEMORY_V1]", "[CFPM_MEMORY_V2]", "[CFPM_RUNTIME_MEMORY_V1]")
"""Begin the blocks of earlier memories of this family; nothing ends them."""

RUNTIME_PREFIX = "[CFPM_RUNTIME_V1] "
"""Begins the message that shows a turn's work to the user."""

GATE_PREFIX = "[CFPM_TOOL_GATE_V1] "
"""Begins the message that shows a decision of the pre-tool gate."""

BRIEF_OPEN = "<!-- cfpm:brief begin"
"""Begins the comment above the brief in a Markdown file."""

BRIEF_CLOSE = "<!-- cfpm:brief end"
"""Begins the comment below it."""

CHECKPOINT_OPEN = "<<<CFPM_CHECKPOINT_V1"
"""Begins the message that stands for compacted turns."""

CHECKPOINT_CLOSE = "CFPM_CHECKPOINT_V1>>>"
"""Ends it."""

STATE_OPEN = "<<<CFPM_STATE_V1"
"""Begins what a compaction puts before the model again: answers of the user, and where the work stands."""

STATE_CLOSE = "CFPM_STATE_V1>>>"
"""Ends it."""

CONTINUATION_PREFIX = "[CFPM_CONTINUATION_V1] "
"""Begins the message after a checkpoint that tells the model to go on."""

FAILURE_PREFIX = "[CFPM_COMPACTION_FAILED_V1] "
"""Begins the message that stands where a summary could not be made."""

TRIMMED_OPEN = "[CFPM_TRIMMED_V1 "
"""Begins the note that stands where a trim cut something or left it out."""

COMPACTION_PREFIX = "[CFPM_COMPACTION_V1] "
"""Begins the message of the log that tells of a compaction."""

_OFF = frozenset({"off", "disable", "disabled", "0", "false", "no", "none", "never"})
_ON = frozenset({"on", "enable", "enabled", "1", "true", "yes", "default"})
_MOST = frozenset({"verbose", "full", "all", "2", "trace"})


def is_off(value: object) -> bool:
    """True for what a user writes to switch a part off: `off`, `disabled`, `0`, False."""
    return _plain(value) in _OFF


def switched(value: object, choices: Collection[object], default: object) -> object:
    """The one of these words that a user means: in any case, `none` or False for `off`, `on` for the default,
    `verbose` for `debug`. What is none of them comes back as it is."""
    plain = _plain(value)
    named = {_plain(choice): choice for choice in choices}
    if plain in named:
        return named[plain]
    for words, meant in ((_OFF, ("off", "none", "false")), (_MOST, ("debug", "full", "all"))):
        if plain in words:
            return next((named[word] for word in meant if word in named), value)
    return default if plain in _ON and default in named.values() else value


def _plain(value: object) -> str:
    return str(value).strip().lower()
