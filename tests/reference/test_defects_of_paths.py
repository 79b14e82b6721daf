"""The defects of the original in what it took for a path, good or broken: A4 to A7, A19.

Section 10.1 of the reference page: each test asserts the opposite of a row's examples.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cfpm import Memory
from cfpm.model import Category, Status
from tests.reference.transcripts import (
    GREETING,
    Row,
    agent,
    learnt,
    missing,
    output,
    ran,
    read,
    the_candidate,
    the_fact,
    user,
    wrote,
)

REPORT = "/srv/shop/out/report.pdf"
NOW = "2026-03-01T10:00:00Z"
LATER = "2026-03-02T10:00:00Z"


SPACED = [
    r"C:\Users\John Doe\Desktop",
    "/home/bob/My Docs",
    "/home/bob/price list/old offers",
    r"D:\team share\plan b\notes of may.txt",
]


@pytest.mark.parametrize("path", SPACED)
@pytest.mark.parametrize(
    "error", ["Cannot find path '{}' because it does not exist.", "ls: cannot access '{}': No such file or directory"]
)
def test_a4_a_failing_path_with_spaces_is_blamed_whole(memory: Memory, path: str, error: str) -> None:
    """A4: the whole path is invalid, and not the part before the space, which exists."""
    memory.observe(ran(f'dir "{path}"', error.format(path), exit_code=1))
    assert learnt(memory, Category.INVALID_PATH, None) == [path]


@pytest.mark.parametrize("path", SPACED)
def test_a4_an_unquoted_path_with_spaces_is_never_cut(memory: Memory, path: str) -> None:
    """A4: without quotes it may be missed, but nothing shorter is blamed."""
    memory.observe(ran("list", f"{path}: No such file or directory", exit_code=1))
    assert learnt(memory, Category.INVALID_PATH, None) in ([path], [])


@pytest.mark.parametrize("path", SPACED[1:])
@pytest.mark.parametrize("line", ["{}", "`{}`", 'The file is at "{}".', "Saved to `{}`"])
def test_a4_an_artifact_with_spaces_is_one_path(memory: Memory, path: str, line: str) -> None:
    """A4: it yields the whole path, or nothing where no quotes say how far it goes, and never two bogus ones."""
    memory.observe([GREETING, agent(line.format(path))])
    expected = ([path],) if line != "{}" else ([path], [])
    assert learnt(memory, Category.ARTIFACT, None) in expected


@pytest.mark.parametrize(
    ("command", "error", "blamed"),
    [
        ("cat notes.txt", "notes.txt not found in /srv/bob/project", ["/srv/bob/project/notes.txt"]),
        (
            "cd /srv/bob/project && cat notes.txt",
            "cat: notes.txt: No such file or directory",
            ["/srv/bob/project/notes.txt"],
        ),
        ("cd /srv/app/web && foo", "bash: foo: command not found", []),
        (
            "cp /srv/a/one.txt /srv/b/two.txt",
            "cp: cannot stat '/srv/a/one.txt': No such file or directory",
            ["/srv/a/one.txt"],
        ),
        ("cp /srv/a/one.txt /srv/b/two.txt", "No such file or directory", []),
        ("cat plan.md", "If /srv/app/cache does not exist, create it.", []),
    ],
)
def test_a5_only_what_the_error_names_is_blamed(memory: Memory, command: str, error: str, blamed: list[str]) -> None:
    """A5: the operand, not the folder it was looked for in, the folder of the command, or the other operand."""
    memory.observe(ran(command, error, exit_code=1))
    assert learnt(memory, Category.INVALID_PATH, None) == blamed


@pytest.mark.parametrize("said_by", [user, agent])
def test_a5_a_condition_blames_nothing(memory: Memory, said_by: Callable[[str], Row]) -> None:
    """A5: "If X does not exist, create it" says nothing of X."""
    memory.observe([GREETING, said_by("If /srv/app/cache does not exist, create it.")])
    assert learnt(memory, Category.INVALID_PATH, None) == []


def test_a5_what_may_not_be_entered_exists(memory: Memory) -> None:
    """A5: a denied path is recorded as denied, not as missing, and stays the artifact that it is."""
    memory.observe(wrote("/srv/shop/keys/public.txt", at=NOW))
    denied = "cat: /srv/shop/keys/public.txt: Permission denied"
    memory.observe(ran("cat /srv/shop/keys/public.txt", denied, at=LATER, exit_code=1))
    assert learnt(memory, Category.ARTIFACT) == ["/srv/shop/keys/public.txt"]
    kinds = {row.extractor for row in memory.candidates() if row.category is Category.INVALID_PATH}
    assert kinds == {"invalid_path.denied"}


@pytest.mark.parametrize(
    "line",
    [
        "404 not found: https://example.com/a/b",
        "https://example.com/a/b",
        "Saved to https://example.com/a/b",
        "See https://example.com/a/b, 1/2 of our UI/UX is there.",
        "UI/UX",
        "1/2",
    ],
)
@pytest.mark.parametrize("said_by", [user, agent, output])
def test_a6_addresses_and_fractions_are_no_paths(memory: Memory, line: str, said_by: Callable[[str], Row]) -> None:
    """A6: an address is never read as a path, broken or not."""
    memory.observe([GREETING, said_by(line)])
    assert learnt(memory, Category.INVALID_PATH, None) == []
    assert learnt(memory, Category.ARTIFACT, None) == []


@pytest.mark.parametrize(
    "success",
    [
        pytest.param(wrote(REPORT, at=LATER), id="written"),
        pytest.param(ran(f"ls {REPORT}", REPORT, at=LATER, exit_code=0), id="listed"),
        pytest.param(read(REPORT, "Sales of February", at=LATER, is_error=False), id="read by a tool"),
        pytest.param(ran(f"cat {REPORT}", "Sales of February", at=LATER, exit_code=0), id="read by a command"),
    ],
)
def test_a7_a_later_success_retracts_an_invalid_path(memory: Memory, success: list[Row]) -> None:
    """A7: a path that is created or found later is not held to be broken any more."""
    memory.observe(missing(REPORT, at=NOW))
    memory.observe(success)
    assert learnt(memory, Category.INVALID_PATH) == []


def test_a7_also_within_one_turn(memory: Memory) -> None:
    """A7: of a failure and a later success in one turn the success wins."""
    memory.observe([GREETING, *missing(REPORT, at=NOW), *wrote(REPORT, at=LATER)])
    assert learnt(memory, Category.ARTIFACT) == [REPORT]
    assert learnt(memory, Category.INVALID_PATH) == []


def test_a7_an_invalid_path_expires(memory: Memory) -> None:
    """A7: after its time it goes stale, in a turn that brings nothing new, and stands in no block."""
    memory.observe(missing(REPORT, at=NOW))
    stale_at = the_fact(memory, REPORT).stale_at
    assert stale_at is not None
    report = memory.observe([user("Thanks!", at=stale_at.isoformat())])
    assert (report.candidates, report.pruned) == (0, 1)
    assert the_fact(memory, REPORT).status is Status.STALE
    assert "do not use" not in memory.recall("report").block
    memory.observe([agent(f"Saved to {REPORT}.", at="2027-01-01T10:00:00Z")])
    assert learnt(memory, Category.ARTIFACT) == [REPORT]


def at(day: int) -> str:
    return f"2026-03-{day:02}T10:00:00Z"


def denied(path: str, *, at: str = "") -> list[Row]:
    """A file that may not be read, but is there."""
    return ran(f"cat {path}", f"cat: {path}: Permission denied", at=at, exit_code=1)


def shown(path: str, *, at: str = "") -> list[Row]:
    """A file that a tool reads without an error."""
    return read(path, "Sales of February", at=at, is_error=False)


LATEST = [
    pytest.param([wrote, missing], Category.INVALID_PATH, id="written, missing"),
    pytest.param([missing, wrote], Category.ARTIFACT, id="missing, written"),
    pytest.param([wrote, missing, wrote], Category.ARTIFACT, id="written, missing, written"),
    pytest.param([missing, wrote, missing], Category.INVALID_PATH, id="missing, written, missing"),
    pytest.param([missing, shown, missing], Category.INVALID_PATH, id="missing, read, missing"),
    pytest.param([missing, shown, wrote, missing], Category.INVALID_PATH, id="missing, read, written, missing"),
    pytest.param([missing, wrote, missing, wrote], Category.ARTIFACT, id="missing, written, missing, written"),
    pytest.param([wrote, missing, shown], Category.ARTIFACT, id="written, missing, read"),
    pytest.param([denied, wrote], Category.ARTIFACT, id="denied, written"),
]


@pytest.mark.parametrize(("steps", "winner"), LATEST)
@pytest.mark.parametrize("in_one_turn", [False, True], ids=["turns", "one turn"])
def test_a7_the_latest_evidence_wins(
    memory: Memory, steps: list[Callable[..., list[Row]]], winner: Category, *, in_one_turn: bool
) -> None:
    """A7: however often a path comes and goes, what was seen last is believed, and only that."""
    turns = [step(REPORT, at=at(day)) for day, step in enumerate(steps, 1)]
    if in_one_turn:
        turns = [[GREETING, *(row for turn in turns for row in turn)]]
    for turn in turns:
        memory.observe(turn)
    believed = [fact.category for fact in memory.facts(status=Status.ACTIVE) if fact.content == REPORT]
    assert believed == [winner]


@pytest.mark.parametrize("in_one_turn", [False, True], ids=["turns", "one turn"])
def test_a5_a_denial_after_a_success_leaves_the_artifact(memory: Memory, *, in_one_turn: bool) -> None:
    """A5: also when the path had been missing before it was written."""
    turns = [missing(REPORT, at=at(1)), wrote(REPORT, at=at(2)), denied(REPORT, at=at(3))]
    for turn in [[GREETING, *turns[0], *turns[1], *turns[2]]] if in_one_turn else turns:
        memory.observe(turn)
    assert learnt(memory, Category.ARTIFACT) == [REPORT]


def test_a7_a_word_does_not_outweigh_a_newer_failure(memory: Memory) -> None:
    """A7: an artifact that went stale does not come back by a mere sentence while its path is known to be broken."""
    memory.observe(wrote(REPORT, at="2019-01-01T10:00:00Z"))
    memory.observe([user("Hello again!", at="2025-01-02T10:00:00Z")])
    assert learnt(memory, Category.ARTIFACT, Status.STALE) == [REPORT]
    memory.observe(missing(REPORT, at=at(1)))
    memory.observe([agent(f"Saved to {REPORT}.", at=at(2))])
    assert learnt(memory, Category.ARTIFACT) == []
    assert the_candidate(memory, REPORT).reason == "artifact_marked_invalid"


@pytest.mark.parametrize(
    "line",
    [
        "Saved to /srv/shop/out/report.pdf.",
        "The summary was written to /srv/shop/out/report.pdf",
        "- /srv/shop/out/report.pdf",
        "1. `/srv/shop/out/report.pdf`",
        "**`/srv/shop/out/report.pdf`**",
        "The report is located at **`/srv/shop/out/report.pdf`**.",
        "报告已保存到 /srv/shop/out/report.pdf。",
    ],
)
def test_a19_said_bulleted_and_bold_paths_are_artifacts(memory: Memory, line: str) -> None:
    """A19: wherever the line puts the path, it is found."""
    memory.observe([GREETING, agent(line)])
    assert learnt(memory, Category.ARTIFACT) == [REPORT]


@pytest.mark.parametrize("path", ["README.md", "/tmp", "packages/core/index"])
def test_a19_bare_names_of_real_places_are_artifacts(memory: Memory, path: str) -> None:
    """A19: a well-known file, a folder of the root and one of a project are paths."""
    memory.observe([GREETING, agent(path)])
    assert learnt(memory, Category.ARTIFACT) == [path]


@pytest.mark.parametrize("words", ["UI/UX", "client/server", "Node.js/Express.js", "v1.3/v2.4"])
@pytest.mark.parametrize("line", ["{}", "- {}", "The design is saved as {}."])
def test_a19_pairs_of_words_are_no_artifacts(memory: Memory, words: str, line: str) -> None:
    """A19: two words with a slash between them are no path."""
    memory.observe([GREETING, agent(line.format(words))])
    assert learnt(memory, Category.ARTIFACT, None) == []
