"""The defects of the original in what is read and what is kept: A1 to A3, A9 to A11, A15, A17.

Section 10.1 of the reference page: each test asserts the opposite of a row's examples. Rows A4 to A7 and A19 are in
`test_defects_of_paths.py`, A14, A18 and A20 in `test_defects_of_trust.py`. A8 and A16 belong to the compaction, A12
and A13 to the gate, which come with those parts.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cfpm import Memory
from cfpm.model import Action, Category, Decision, Status
from cfpm.settings import Settings
from tests.reference.transcripts import (
    GREETING,
    OpenMemory,
    Row,
    agent,
    everything,
    learnt,
    missing,
    output,
    ran,
    the_candidate,
    user,
    wrote,
)

REPORT = "/srv/shop/out/report.pdf"
RULE = "Always use tabs in the shop code."
NOW = "2026-03-01T10:00:00Z"
LATER = "2026-03-02T10:00:00Z"


def test_a1_an_empty_memory_injects_no_placeholder(memory: Memory) -> None:
    """A1: nothing known is an empty block, not a sentence that could be read back as a goal or an action."""
    recalled = memory.recall("what is the goal?")
    assert (recalled.block, recalled.tokens, recalled.items) == ("", 0, ())


CHECKPOINTS = [
    "[CFPM_MEMORY_V1] Snapshot of this conversation without errors",
    "[CFPM_RUNTIME_MEMORY_V1]",
    "[CFPM_MEMORY_V2]",
]
PLACEHOLDERS = ("We need to keep the task going", "Completed earlier work, all of it verified")
EMPTY_CHECKPOINT = f"User goals:\n- {PLACEHOLDERS[0]}\n\nVerified actions:\n- {PLACEHOLDERS[1]}"


@pytest.mark.parametrize("header", CHECKPOINTS)
@pytest.mark.parametrize("said_by", [user, agent])
def test_a1_the_placeholders_of_an_old_checkpoint_are_no_facts(
    memory: Memory, header: str, said_by: Callable[[str], Row]
) -> None:
    """A1: an empty checkpoint that the original wrote into a history yields no goal and no verified action."""
    tested = ran("pytest", "12 passed in 0.4s", exit_code=0)
    memory.observe([GREETING, *wrote("src/cart.py"), *tested, said_by(f"{header}\n{EMPTY_CHECKPOINT}")])
    assert set(PLACEHOLDERS).isdisjoint(everything(memory))


@pytest.mark.parametrize("said_by", [user, agent, output])
def test_a17_reading_our_own_block_again_adds_nothing(memory: Memory, said_by: Callable[[str], Row]) -> None:
    """A17: whoever brings the block back, nothing is learnt, doubled or lost."""
    memory.observe([user(RULE), *wrote("src/cart.py"), user("I prefer small commits.")])
    before = memory.facts()
    block = memory.recall("which rules and files are there?").block
    assert RULE in block
    for text in (block, f"Here is what I know:\n{block}\nShall we go on?", block.replace("\n", "\r\n")):
        report = memory.observe([said_by(text)], session="next")
        assert (report.accepted, report.merged, report.superseded) == (0, 0, 0)
    assert memory.facts() == before


def test_a17_single_lines_of_the_block_add_nothing(memory: Memory) -> None:
    """A17: nor does an agent or a tool that repeats a line of it without the frame."""
    memory.observe([user(RULE), user("We decided to use PostgreSQL 17 for the orders.")])
    before = memory.facts()
    lines = memory.recall("PostgreSQL tabs").lines
    assert len(lines) == 2
    memory.observe(
        [agent("\n".join(lines)), output("\n".join(lines)), agent("We decided to use PostgreSQL 17 for the orders.")]
    )
    assert memory.facts() == before


@pytest.mark.parametrize(
    "text",
    ["We need to fix the login error", "We need to handle failed payments", "keep the worker running on port 80"],
)
def test_a2_a_goal_may_speak_of_errors_and_logs(memory: Memory, text: str) -> None:
    """A2: what a goal is about does not make it noise."""
    memory.observe([GREETING, user(text)])
    assert learnt(memory, Category.GOAL) == [text]


@pytest.mark.parametrize("path", ["src/errors.rs", "src/exceptions.py", "tests/test_failure.py"])
@pytest.mark.parametrize("told", [wrote, lambda path: [agent(path)], lambda path: [agent(f"Saved to {path}.")]])
def test_a2_a_file_may_be_named_after_errors(memory: Memory, path: str, told: Callable[[str], list[Row]]) -> None:
    """A2: written by a tool, as a bare line and in a sentence, such a file is an artifact."""
    memory.observe([GREETING, *told(path)])
    assert learnt(memory, Category.ARTIFACT) == [path]


def test_a2_no_errors_is_a_success(memory: Memory) -> None:
    """A2: "0 errors, build done" after a build that succeeded is a verified action."""
    memory.observe([GREETING, *ran("make build", "0 errors, build done", exit_code=0), agent("0 errors, build done")])
    assert learnt(memory, Category.VERIFIED_ACTION) == ["0 errors, build done"]


@pytest.mark.parametrize(
    "text",
    [
        "The login bug is unresolved.",
        "The login bug is not fixed yet.",
        "The migration is unverified.",
        "The old branch was abandoned.",
        "All sessions were invalidated.",
    ],
)
def test_a3_what_denies_success_is_no_verified_action(memory: Memory, text: str) -> None:
    """A3: not even in a turn whose tools all succeeded."""
    memory.observe([GREETING, *wrote("src/login.py"), *ran("pytest", "12 passed in 0.4s", exit_code=0), agent(text)])
    assert text not in [fact.content for fact in memory.facts(category=Category.VERIFIED_ACTION)]


@pytest.mark.parametrize(
    "text",
    [
        "That was needless.",
        "The goalkeeper of the club called again.",
        "Such a popup is unwanted.",
        "The user is willing to wait because the planet has time.",
        "The Explanation of the planet names a willing user.",
    ],
)
@pytest.mark.parametrize("said_by", [user, agent])
def test_a3_a_word_within_a_word_is_no_cue(memory: Memory, text: str, said_by: Callable[[str], Row]) -> None:
    """A3: needless, goalkeeper and unwanted are no goals; use, will and plan within other words are no decisions."""
    memory.observe([GREETING, agent("Hello! What can I do?"), said_by(text)])
    found = set(learnt(memory, Category.GOAL, None)) | set(learnt(memory, Category.DECISION, None))
    assert text not in found


def test_a9_the_newest_value_wins(memory: Memory) -> None:
    """A9: a new value supersedes the old one and is what is recalled."""
    memory.observe([GREETING, user("I live in Berlin.", at=NOW)])
    memory.observe([user("I live in Madrid now.", at=LATER)])
    assert learnt(memory, Category.PROFILE) == ["I live in Madrid now."]
    assert [item.text for item in memory.recall("where do I live?").items if item.kind == "fact"] == [
        "I live in Madrid now."
    ]


@pytest.mark.slow
@pytest.mark.parametrize("dated", [True, False])
def test_a9_new_facts_surface_among_many_old_ones(memory: Memory, *, dated: bool) -> None:
    """A9: the newest of forty rules stands in the block, whatever is asked, and comes first in the listing."""
    subjects = [f"{kind} {part}" for kind in ("shop", "cart", "price", "stock", "order") for part in "ABCDEFGH"]
    for day, subject in enumerate(subjects):
        at = f"2026-03-01T{10 + day // 60:02}:{day % 60:02}:00Z" if dated else ""
        memory.observe([user(f"Never rename the {subject} module.", at=at)])
    newest = f"Never rename the {subjects[-1]} module."
    assert memory.facts(category=Category.INSTRUCTION)[0].content == newest
    assert newest in memory.recall("what about the weather?").block


@pytest.fixture
def crowded(open_memory: OpenMemory) -> Memory:
    """A memory that holds three goals, after five came in over three turns."""
    memory = open_memory(settings=Settings(capacity=3))
    names = ["Alpha", "Beta", "Gamma", "Delta", "Epsilon"]
    for day, name in enumerate(names, 1):
        memory.observe([user(f"We need to support the {name} wallet.", at=f"2026-03-0{day}T10:00:00Z")])
    return memory


def test_a10_accepted_means_stored(crowded: Memory) -> None:
    """A10: each accepted candidate has its fact, also when the category is full; the newest are the active ones."""
    accepted = crowded.candidates(decision=Decision.ACCEPTED)
    assert len(accepted) == 5
    assert [crowded.fact(row.fact_id).content for row in accepted] == [row.content for row in accepted]
    assert learnt(crowded, Category.GOAL) == [
        f"We need to support the {n} wallet." for n in ("Delta", "Epsilon", "Gamma")
    ]


def test_a10_each_eviction_is_recorded(crowded: Memory) -> None:
    """A10: what had to go is stale, and its history says why and when."""
    evicted = crowded.facts(status=Status.STALE)
    assert len(evicted) == 2
    for fact in evicted:
        last = crowded.history(fact.id)[-1]
        assert (last.action, last.cause) == (Action.EVICT, "over_capacity")
        assert last.at is not None


def test_a10_drafts_beyond_the_cap_of_a_turn_are_refused_on_record(open_memory: OpenMemory) -> None:
    """A10: what a turn has too much of is refused as over_capacity, not dropped."""
    memory = open_memory(settings=Settings(max_drafts_per_turn=2))
    report = memory.observe([user("- Always use tabs.\n- Never push to main.\n- Always run the linter.")])
    assert (report.accepted, report.rejected_by_reason) == (2, {"over_capacity": 1})
    assert the_candidate(memory, "Always run the linter.").reason == "over_capacity"


def test_a11_every_decision_is_in_the_audit_trail(memory: Memory) -> None:
    """A11: the trail has a row for each draft of the report, with its place, its reason and what it led to."""
    session = [
        user("Please fix the checkout. Always run the tests. Should we use tabs?"),
        *missing(REPORT),
        *missing(REPORT),
        *wrote("src/checkout.py"),
        agent("The checkout is fixed. It is not deployed yet. If the checks pass, it is done."),
        *ran("pytest", "2 failed, 10 passed in 1.2s", exit_code=1),
        agent("All tests pass now."),
        user("Always run the tests."),
        output("cat: a.txt: No such file or directory\ncat: a.txt: No such file or directory"),
    ]
    report = memory.observe(session)
    rows = memory.candidates()
    assert len(rows) == report.candidates
    for decision in Decision:
        assert len(memory.candidates(decision=decision)) == getattr(report, decision.value)
    messages = {row.message.id for row in memory.store.log.messages("project:shop", session="default")}
    assert {row.span.message_id for row in rows} <= messages
    assert all(row.rule and row.reason and row.extractor for row in rows)
    causes = {event.cause for fact in memory.facts() for event in memory.history(fact.id)}
    assert causes <= {row.id for row in rows}


def test_a11_two_errors_about_one_relative_file_are_two_rows(memory: Memory) -> None:
    """A11: also drafts whose words stand nowhere in their message have rows of their own."""
    error = "cat: a.txt: No such file or directory"
    report = memory.observe(ran("cd /srv/shop && cat a.txt; cat a.txt", f"{error}\n{error}", exit_code=1))
    assert report.candidates == len(memory.candidates()) > 0


@pytest.mark.parametrize(
    "history",
    [
        pytest.param([agent("The cart is next.   \n\n")], id="trailing white space"),
        pytest.param(
            [
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "The cart"}, {"type": "text", "text": "is next."}],
                }
            ],
            id="split text parts",
        ),
        pytest.param(
            [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "x", "function": {"name": "ls", "arguments": "{}"}}],
                }
            ],
            id="a call without a result",
        ),
        pytest.param([output("done")], id="a result without a call"),
        pytest.param([user("Hm."), user("Hm.")], id="two user messages in a row"),
    ],
)
def test_a15_harmless_repairs_do_not_disable_recall(memory: Memory, history: list[Row]) -> None:
    """A15: whatever the history looks like, the block is there."""
    memory.observe([user(RULE), *history])
    assert RULE in memory.recall("tabs").block
