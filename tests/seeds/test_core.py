"""The rows of the original page: compaction at the threshold and after an error, learning, the gate. Nothing stands in
for anything: real compactions, a real file, real commands."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cfpm import Memory, Settings
from cfpm.context.states import EndTurn, Proceed, Reason, Stop
from cfpm.context.strategies.registry import default_limits
from cfpm.context.strategies.types import ContextTooLong, Limits, Outcome
from cfpm.context.tokens import total_tokens
from cfpm.context.views import for_agent, for_user
from cfpm.gate.decision import Reason as GateReason
from cfpm.gate.event import gate_message
from cfpm.model import Category, Status
from cfpm.model.markers import CONTINUATION_PREFIX, FAILURE_PREFIX, GATE_PREFIX, RUNTIME_PREFIX
from cfpm.recall.runtime import parse_runtime_message
from cfpm.recall.tokens import estimated
from tests.gate.situations import windows
from tests.reference.transcripts import ran, user, wrote
from tests.seeds.histories import WIDE, chat, turns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cfpm.context.strategies.types import Compaction

DESKTOP = "C:\\Users\\ida\\OneDrive\\Desktop"
HOST = windows(DESKTOP)
RULE = {"role": "user", "content": "Always run ruff before you commit."}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m.db") as opened:
        yield opened


@pytest.fixture
def knowing(memory: Memory) -> Memory:
    """A memory whose agent asked the system where the desktop is."""
    asked = "[Environment]::GetFolderPath('Desktop')"
    memory.observe([user("What is on my desktop?"), *ran(asked, f"{DESKTOP}\r\n")], session="s")
    return memory


def segmented(history: list[Any], limits: Limits | None = None, **options: Any) -> Compaction:
    with Memory.open(":memory:") as memory:
        return memory.compact(history, limits, session="s", strategy="legacy_segmented", observe=False, **options)


def rows(tmp_path: Path, query: str) -> list[Any]:
    with sqlite3.connect(tmp_path / "m.db") as database:
        return database.execute(query).fetchall()


# --- compaction


@pytest.mark.parametrize(("reported", "reasons"), [(800, []), (801, [Reason.THRESHOLD])])
def test_row_1_1_the_size_is_looked_at_before_a_reply(reported: int, reasons: list[Reason]) -> None:
    with Memory.open(":memory:") as memory:
        driven = memory.driver(session="s", limit=1_000).before_reply(turns(20), "Go on.", reported=reported)
    assert [one.reason for one in driven.boundaries] == reasons
    assert driven.action == Proceed()


def test_row_1_2_after_a_context_error_the_history_is_compacted_and_sent_again(memory: Memory) -> None:
    log: Any = chat(200)
    driver = memory.driver(session="s", limit=8_000, observe=False)
    sizes = [total_tokens(for_agent(log), estimated)]
    while sizes[-1] > 1_000:  # what this provider takes
        driven = driver.recover(log)
        assert driven.action == Proceed()
        assert all(one.reason is Reason.RECOVERY for one in driven.boundaries)
        log = driven.log
        sizes.append(total_tokens(driven.view, estimated))
    assert len(sizes) > 2
    assert sizes == sorted(sizes, reverse=True)


def test_row_1_3_the_threshold_is_four_fifths_unless_a_key_says_otherwise(tmp_path: Path) -> None:
    assert Settings().auto_compact_threshold == 0.8
    settings = Settings.load(env={"CFPM_AUTO_COMPACT_THRESHOLD": "0.6"}, directory=tmp_path)
    with Memory.open(":memory:", settings=settings) as memory:
        driver = memory.driver(session="s", limit=1_000)
        assert driver.before_reply(turns(20), "Go on.", reported=601).boundaries


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.0, 1.5])
def test_row_1_4_beyond_its_ends_the_threshold_is_off(threshold: float) -> None:
    with Memory.open(":memory:", settings=Settings(auto_compact_threshold=threshold)) as memory:
        driver = memory.driver(session="s", limit=1_000)
        assert driver.before_reply(turns(20), "Go on.", reported=5_000).boundaries == ()


@pytest.mark.parametrize("said", ["Please compact this conversation", "/compact", "/summarize", "/compact the ovens"])
def test_row_1_5_a_user_compacts_by_a_phrase(memory: Memory, said: str) -> None:
    driven = memory.driver(session="s", limit=WIDE).before_reply(turns(20), said)
    assert driven.action == EndTurn()
    assert [(one.reason, one.outcome) for one in driven.boundaries] == [(Reason.MANUAL, Outcome.COMPACTED)]


@pytest.mark.parametrize("said", ["please compact this conversation", "What does /compact do?", "/compactor"])
def test_row_1_5_other_words_are_for_the_model(memory: Memory, said: str) -> None:
    driven = memory.driver(session="s", limit=WIDE).before_reply(turns(20), said)
    assert (driven.action, driven.boundaries) == (Proceed(), ())


def test_row_1_6_three_first_and_ten_last_stay_of_twenty_at_least() -> None:
    wide = replace(default_limits("legacy_segmented", 3_000), forced=True)
    assert (wide.keep_first, wide.keep_last, wide.minimum) == (3, 10, 20)
    history = chat(200)
    view = segmented(history, wide).messages
    assert list(view[:3]) == history[:3]
    assert list(view[-10:]) == history[-10:]
    assert len(view) - 13 in (1, 2)  # the note, with the continuation
    few = segmented(chat(17), replace(wide, max_tokens=200))
    assert (few.outcome, few.problem) == (Outcome.NOTHING, "17 messages, fewer than 20")


@pytest.mark.parametrize("strategy", ["segmented", "cfpm"])
def test_row_1_7_the_middle_is_for_the_user_and_the_summary_for_the_agent(memory: Memory, strategy: str) -> None:
    history = chat(60)
    done = memory.compact(history, Limits(900), session="s", strategy=strategy, observe=False)
    flags = [(raw["user_visible"], raw["agent_visible"]) for raw in done.log]
    assert flags.count((True, False)) == done.compacted > 30
    assert flags.count((False, True)) == len(done.messages) - (60 - done.compacted)
    assert flags.count((False, False)) == 0


def test_row_1_8_the_agent_is_told_to_go_on_in_a_message_for_it_alone() -> None:
    limits = Limits(3_000, 3, 10, 20, forced=True)
    before_user = segmented(chat(200), limits)
    (told,) = [raw for raw in before_user.log if CONTINUATION_PREFIX in str(raw["content"])]
    assert (told["role"], told["user_visible"], told["agent_visible"]) == ("assistant", False, True)
    before_agent = segmented(chat(201), limits)
    assert "go on with the work" in before_agent.checkpoint


def test_row_1_9_results_are_taken_out_of_the_summarisers_prompt_step_by_step() -> None:
    found: list[int] = []

    def summarise(prompt: str) -> str:
        found.append(prompt.count("Bake it for") // 8)
        raise ContextTooLong

    segmented(turns(24), Limits(2_000, 3, 10, 20), summarise=summarise)
    whole = found[0]
    assert whole > 10
    assert found == [whole - (max(1, whole * share // 100) if share else 0) for share in (0, 10, 20, 50, 100)]


def test_row_1_10_a_summary_that_fails_leaves_a_marker_and_what_is_known_without_it() -> None:
    def summarise(prompt: str) -> str:
        raise RuntimeError("429 too many requests")

    done = segmented(turns(24), Limits(2_000, 3, 10, 20), summarise=summarise)
    assert done.outcome is Outcome.FAILED
    assert "429" in done.problem
    assert FAILURE_PREFIX in str(done.messages)
    assert "recipes/loaf_4.md" in done.checkpoint
    assert len(for_user(done.log)) == 24 * 4


def test_row_1_12_after_the_last_attempt_a_new_session_is_asked_for_in_two_languages() -> None:
    log: Any = [{"role": "user", "content": "lorem " * 400}, *turns(20)]
    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=2_000, strategy="segmented")
        while isinstance((driven := driver.recover(log)).action, Proceed):
            log = driven.log
    assert isinstance(driven.action, Stop)
    assert "Please start a new session" in driven.action.message
    assert "请开启新会话" in driven.action.message


def test_row_1_13_both_strategies_are_known_by_the_names_of_the_page(memory: Memory) -> None:
    names = {"legacy_segmented": "segmented", "cfpm_memory_v1": "cfpm", "": "cfpm"}
    for name, strategy in names.items():
        assert memory.compact(chat(40), Limits(900), strategy=name or None, observe=False).strategy == strategy


def test_row_1_14_a_checkpoint_tells_goals_what_was_done_well_and_key_paths(memory: Memory) -> None:
    history = [
        *chat(2),
        user("The goal is to release the bakery on Friday."),
        *wrote("/srv/bakery/oven.py"),
        *ran("make test", "12 passed in 0.4s", exit_code=0),
        *chat(30, words=60),
    ]
    told = memory.compact(history, Limits(1_500), session="s").checkpoint
    for mark in ("release the bakery on Friday", "/srv/bakery/oven.py", "make test"):
        assert mark in told


def test_row_1_15_passing_errors_are_not_carried_on(memory: Memory) -> None:
    noise = ran("curl localhost:8080", "curl: (7) ECONNREFUSED\n" * 30, exit_code=7)
    again = ran("curl localhost:8080", "ok", exit_code=0)
    told = memory.compact(
        [user("Start the shop."), *noise, *again, *chat(30, words=60)], Limits(1_500), session="s"
    ).checkpoint
    assert "curl localhost:8080" in told
    assert told.count("ECONNREFUSED") <= 1


def test_row_1_16_what_left_the_view_is_still_in_the_log(memory: Memory) -> None:
    history = chat(24, words=60)
    done = memory.compact(history, Limits(900), session="s")
    assert for_agent(done.log) == done.messages
    assert list(for_user(done.log)) == history
    # And the store knows which messages those are.
    assert len(memory.resume("s").messages) == len(done.messages)


# --- learning


def test_row_1_17_each_turn_refreshes_the_facts_of_the_memory(memory: Memory, tmp_path: Path) -> None:
    memory.observe([RULE], session="s")
    assert rows(tmp_path, "SELECT source, status FROM memory_facts") == [("cfpm_auto", "active")]


def test_row_1_18_every_candidate_is_kept_with_its_decision_and_reason(memory: Memory, tmp_path: Path) -> None:
    memory.observe([RULE, user("If we had used Rust, I would always use clippy.")], session="s")
    found = dict(rows(tmp_path, "SELECT decision, reason FROM memory_candidates"))
    assert found.keys() == {"accepted", "rejected"}
    assert found["rejected"]


def test_row_1_20_the_same_is_one_fact_and_a_kind_has_a_cap() -> None:
    with Memory.open(":memory:", settings=Settings(capacity=3)) as memory:
        for _ in range(3):
            memory.observe([RULE], session="s")
            memory.observe([{**RULE, "id": "again", "content": "Always run ruff before you commit!"}], session="t")
        assert len(memory.facts(category=Category.INSTRUCTION)) == 1
        for rule in ("sweep the bakery", "answer in Danish", "water the ferns", "pin versions", "lock the gate"):
            memory.observe([user(f"Always {rule}.")], session=rule)
        assert len(memory.facts(category=Category.INSTRUCTION, status=Status.ACTIVE)) == 3
    assert Settings().capacity == 20_000


def test_row_1_21_only_what_is_believed_is_told(memory: Memory) -> None:
    memory.observe([RULE, user("Never push to main on Fridays.")], session="s")
    gone = next(fact for fact in memory.facts() if "main" in fact.content)
    memory.pin(next(fact.id for fact in memory.facts() if "ruff" in fact.content))
    memory.forget(gone.id)
    told = memory.recall("what are the rules?").block
    assert "ruff" in told
    assert "Fridays" not in told


def test_row_1_24_a_turn_is_told_as_one_line_of_json_with_the_names_of_the_page() -> None:
    told: list[str] = []
    with Memory.open(":memory:", notify=told.append) as memory:
        memory.observe([RULE])
    assert told[0].startswith(RUNTIME_PREFIX)
    names = {
        "version", "verbosity", "reason", "mode", "acceptedCount", "rejectedCount", "prunedCount", "factCount",
        "rejectedReasonBreakdown",
    }  # fmt: skip
    assert names <= json.loads(told[0].removeprefix(RUNTIME_PREFIX)).keys()


def test_row_1_25_that_line_teaches_nothing_when_it_comes_back() -> None:
    told: list[str] = []
    with Memory.open(":memory:", notify=told.append) as memory:
        memory.observe([RULE])
        before = memory.facts()
        report = memory.observe([user(told[0]), {"role": "assistant", "content": told[0]}], session="t")
        assert (report.accepted, memory.facts()) == (0, before)
    assert parse_runtime_message(told[0]) is not None


# --- the gate


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        *((value, GateReason.SWITCHED_OFF) for value in ("off", "false", "0")),
        *((value, GateReason.KNOWN_FOLDER) for value in ("on", "true")),
    ],
)
def test_row_1_27_the_gate_has_a_switch(knowing: Memory, tmp_path: Path, value: str, reason: GateReason) -> None:
    settings = Settings.load(env={"CFPM_PRE_TOOL_GATE": value}, directory=tmp_path)
    with Memory.open(tmp_path / "m.db", settings=settings) as memory:
        assert memory.gate("powershell", "dir $env:USERPROFILE\\Desktop", host=HOST).reason is reason


@pytest.mark.parametrize(
    ("dialect", "before", "after"),
    [
        ("powershell", "dir $env:USERPROFILE/Desktop", f"dir '{DESKTOP}'"),
        ("powershell", "[Environment]::GetFolderPath('Desktop')", f"'{DESKTOP}'"),
        ("cmd", "dir %USERPROFILE%\\Desktop", f"dir {DESKTOP}"),
    ],
)
def test_row_1_28_probes_of_known_folders_are_rewritten(knowing: Memory, dialect: str, before: str, after: str) -> None:
    decision = knowing.gate(dialect, before, host=HOST)
    assert decision.command == after


def test_row_1_29_a_rewrite_is_told_with_the_names_of_the_page(knowing: Memory) -> None:
    told = gate_message(knowing.gate("powershell", "dir $env:USERPROFILE\\Desktop", host=HOST), "powershell", "brief")
    assert told is not None
    assert told.startswith(GATE_PREFIX)
    document = json.loads(told.removeprefix(GATE_PREFIX))
    assert document["target"] == "desktop"
    assert {"tool", "path", "originalCommand", "rewrittenCommand"} <= document.keys()


def test_row_1_30_what_was_forgotten_rewrites_nothing(knowing: Memory) -> None:
    command = "dir $env:USERPROFILE\\Desktop"
    (fact,) = knowing.facts(category=Category.ARTIFACT)
    decision = knowing.gate("powershell", command, host=HOST)
    assert (decision.action, decision.reason) == ("rewrite", GateReason.KNOWN_FOLDER)
    knowing.forget(fact.id)
    assert knowing.gate("powershell", command, host=HOST).command == command


def test_row_1_32_asked_to_verify_or_not_there_the_command_stays(knowing: Memory) -> None:
    command = "dir $env:USERPROFILE\\Desktop"
    asked = knowing.gate("powershell", command, host=HOST, said="Please verify the desktop path again.")
    assert (asked.command, asked.reason) == (command, GateReason.REVERIFICATION_ASKED)
    gone = knowing.gate("powershell", command, host=windows())
    assert (gone.command, gone.reason) == (command, GateReason.FOLDER_MISSING)
    kept = knowing.store.activity.gate_events("default")
    assert {event["reason"] for event in kept} == {"reverification_asked", "folder_missing"}
