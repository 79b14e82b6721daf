"""What the pruner reads in long talk of a user and an assistant: nearly nothing of it takes anything's place, and no
rule ends. The register that labelled pairs of short statements do not have."""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

from benchmarks.retrieval.sets import SETS
from cfpm import Memory
from cfpm.pruner import meaning
from cfpm.text.heads.replacement import LEAST, replaces, values
from cfpm.text.heads.rule_change import signals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cfpm.text.heads.relation import Judgement
    from cfpm.text.heads.rule_change import Signals

CONVERSATIONS = slice(1, 9)
"""Those of BEAM 100K that are read; some minutes each."""


class Talk(NamedTuple):
    """Of one conversation, what was known of each statement and a rule, and of each that seemed an update."""

    name: str
    rules: list[Signals]
    updates: list[dict[str, float]]


def read_in_talk(data: Path) -> list[Talk]:
    """Has a memory observe the conversations, in which no rule is ended; several at once."""
    places = range(*CONVERSATIONS.indices(CONVERSATIONS.stop))
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(partial(_read, data), places))
    for talk in found:
        print(f"{talk.name}: {len(talk.rules)} rules and {len(talk.updates)} likely updates read", flush=True)
    return found


def _read(data: Path, place: int) -> Talk:
    dialogue = list(SETS["beam-100k"](data))[place]
    talk = Talk(dialogue.name, [], [])

    def none_ended(newer: str, rules: Sequence[str]) -> list[tuple[int, int]]:
        talk.rules.extend(signals(newer, rules).values())
        return []

    def weighed(newer: str, older: str, told: Judgement) -> int:
        if told.update >= LEAST:
            talk.updates.append(values(newer, older, told))
        return replaces(newer, older, told)

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(meaning, "ended", none_ended),
        patch.object(meaning, "replaces", weighed),
        Memory.open(f"{folder}/memory.db") as memory,
    ):
        memory.observe(dialogue.messages)
    return talk
