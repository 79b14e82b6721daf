"""What the pruner reads in long talk of a user and an assistant, where nearly nothing takes anything's place and no
rule ends, in stories, where readers said of what was taken for ended whether it is, and in dialogues of mentors, whose
authors said what ends. The register that labelled pairs of short statements do not have."""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from benchmarks.mentor.__main__ import alike
from benchmarks.retrieval.sets import SETS
from benchmarks.stories.stories import Story
from benchmarks.train.dialogues import dialogues_of
from benchmarks.train.labels import HERE, STORIES_APART
from benchmarks.train.pairs import Pair
from cfpm import Memory
from cfpm.pruner import meaning
from cfpm.settings import Settings
from cfpm.text.heads.relation import Relation, judge
from cfpm.text.heads.replacement import LEAST, replaces, values
from cfpm.text.heads.rule_change import ended, signals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from cfpm.text.heads.nearness import Closeness, Older
    from cfpm.text.heads.relation import Judgement
    from cfpm.text.heads.rule_change import Signals

CONVERSATIONS, LEARNT_BY_ENCODER = slice(7, 11), slice(1, 7)
"""Those of BEAM 100K that are read, some minutes each: by what weighs the encoder's answers, and by the encoder."""


OF_TALK = 0.7
"""How much a pair of a conversation counts."""

PAIRS = 8
"""Pairs that are read in a turn of a story: more than a memory reads, since of most that change something readers said
so."""

GONE = ("replaced", "partly")
"""What a reader said of an older statement that holds no longer, whole or in part."""


class Talk(NamedTuple):
    """Of one conversation, what was known of each statement and a rule, and of each that seemed an update."""

    name: str
    rules: list[Signals]
    updates: list[dict[str, float]]


def of_talk(data: Path) -> Iterator[Pair]:
    """Pairs that a memory reads in conversations, of which hardly any is a change; each counts a little less."""
    places = range(*LEARNT_BY_ENCODER.indices(LEARNT_BY_ENCODER.stop))
    with ProcessPoolExecutor() as pool:
        for found in pool.map(partial(_pairs, data), places):
            yield from (Pair(older, newer, Relation.DIFFERENT, OF_TALK) for newer, older in dict.fromkeys(found))


def _pairs(data: Path, place: int) -> list[tuple[str, str]]:
    dialogue = list(SETS["beam-100k"](data))[place]
    found: list[tuple[str, str]] = []

    def judged(newer: str, older: Sequence[str]) -> list[Judgement]:
        found.extend((newer, one) for one in older)
        return judge(newer, older)

    def none_ended(newer: str, rules: Sequence[Older]) -> list[tuple[int, int]]:
        found.extend((newer, rules[place].text) for place in signals(newer, rules))
        return []

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(meaning, "judge", judged),
        patch.object(meaning, "ended", none_ended),
        Memory.open(f"{folder}/memory.db") as memory,
    ):
        memory.observe(dialogue.messages)
    return found


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

    def none_ended(newer: str, rules: Sequence[Older]) -> list[tuple[int, int]]:
        talk.rules.extend(signals(newer, rules).values())
        return []

    def weighed(newer: str, older: str, told: Judgement, close: Closeness) -> int:
        if told.update >= LEAST:
            talk.updates.append(values(newer, older, told, close))
        return replaces(newer, older, told, close)

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(meaning, "ended", none_ended),
        patch.object(meaning, "replaces", weighed),
        Memory.open(f"{folder}/memory.db") as memory,
    ):
        memory.observe(dialogue.messages)
    return talk


class InStory(NamedTuple):
    """What a memory knows of each statement of a story beside the rules that stand, and beside what else it reads, and
    whether it ends that: of what was read before as readers said (`reads-*.jsonl`); of all else not."""

    rules: list[tuple[Signals, bool]]
    updates: list[tuple[dict[str, float], bool]]


def read_in_stories() -> dict[str, InStory]:
    """Of each story that the relation encoder has not learnt from, by its name."""
    gone = {(row["newer"], row["older"]) for row in reads() if row["is"] in GONE}
    paths = [path for path in sorted((HERE.parent / "stories").glob("*/*.json")) if path.stem in STORIES_APART]
    with ProcessPoolExecutor() as pool:
        return dict(zip((path.stem for path in paths), pool.map(partial(_told, frozenset(gone)), paths), strict=True))


class InDialogues(NamedTuple):
    """What is read of each statement beside the rules that stand and whether it ends one, and how many end in all."""

    rows: list[tuple[Signals, bool]]
    changes: int


def read_in_dialogues(paths: Sequence[Path]) -> list[InDialogues]:
    """Has a memory observe the dialogues of mentors of each file, message by message."""
    with ProcessPoolExecutor() as pool:
        return list(pool.map(_of_mentors, paths))


def _of_mentors(path: Path) -> InDialogues:
    dialogues = list(dialogues_of(path))
    found = [row for rows in dialogues for row in _of_a_mentor(rows)]
    return InDialogues(
        found, sum(bool(rule["replaces"]) for rows in dialogues for row in rows for rule in row["rules"])
    )


def _of_a_mentor(rows: Sequence[dict[str, Any]]) -> list[tuple[Signals, bool]]:
    found: list[tuple[Signals, bool]] = []
    words: dict[str, str] = {}
    ending: list[tuple[str, str]] = []

    def looked_at(newer: str, rules: Sequence[Older]) -> list[tuple[int, int]]:
        found.extend(
            (one, any(alike(said, newer) and alike(gone, rules[place].text) for said, gone in ending))
            for place, one in signals(newer, rules).items()
        )
        return ended(newer, rules)

    with patch.object(meaning, "ended", looked_at), Memory.open("sqlite://") as memory:
        for number, row in enumerate(rows):
            words.update((rule["id"], rule["words"]) for rule in row["rules"])
            ending[:] = [(rule["words"], words[rule["replaces"]]) for rule in row["rules"] if rule["replaces"]]
            told = {"role": row["role"], "content": row["text"], "id": f"m{number}"}
            memory.observe([told], session=f"s{row['session']}")
    return found


def reads() -> Iterator[dict[str, str]]:
    """The labels of what was read in stories."""
    for path in sorted(HERE.glob("reads-*.jsonl")):
        yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _told(gone: frozenset[tuple[str, str]], path: Path) -> InStory:
    found = InStory([], [])

    def looked_at(newer: str, rules: Sequence[Older]) -> list[tuple[int, int]]:
        found.rules.extend((one, (newer, rules[place].text) in gone) for place, one in signals(newer, rules).items())
        return ended(newer, rules)

    def weighed(newer: str, older: str, told: Judgement, close: Closeness) -> int:
        if told.update >= LEAST:
            found.updates.append((values(newer, older, told, close), (newer, older) in gone))
        return replaces(newer, older, told, close)

    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(meaning, "ended", looked_at),
        patch.object(meaning, "replaces", weighed),
        Memory.open(f"{folder}/memory.db", settings=Settings(max_pairs_per_turn=PAIRS)) as memory,
    ):
        Story.read(path).told(memory)
    return found
