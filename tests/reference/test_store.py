"""Items 1 to 11 of the original's own tests: what the store keeps, merges, refuses and gives back.

Written against our verbs. The original's `create`, `merge` and `replace` are `remember` and `observe` here, a snapshot
with `rollback_to_snapshot` is `rollback` to an event or a moment, `prune` runs by itself in every turn. What has no
counterpart, and is not asserted:
- item 1, `rename_memory_paths`: the command line has no such verb; a moved file is learnt from the tool that moved it;
- item 1, the patch of a category to `artifact_path` and of a status to `stale`: categories are a closed set and part of
  a fact's identity, and only time or a full category make a fact stale; pinning, the third field, is asserted;
- item 2, the count of automatic facts after a second `replace`: nothing is ever replaced, so the count that V1 wanted,
  1, is asserted for what our verbs lead to;
- item 9, the parsing of a stored gate notification: gate events are rows of a table, so their listing is asserted;
- item 10, the re-auditing of stored facts: nothing gets into the store unaudited, so the date is refused before.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cfpm import Memory
from cfpm.errors import NotFoundError
from cfpm.model import Category, Decision, Source, Status
from cfpm.recall.runtime import mode, runtime_message
from cfpm.settings import Settings
from tests.reference.transcripts import (
    OpenMemory,
    agent,
    handing,
    learnt,
    ran,
    reasons,
    the_candidate,
    the_fact,
    user,
    wrote,
)

RESULT = r"C:\work\old\result.txt"
EXPORT = r"E:\data\export\summary.xlsx"


def test_01_what_a_user_creates_is_active_and_theirs(memory: Memory) -> None:
    """Reference 1: a user's artifact is active with source user, and pinning it works."""
    fact = memory.remember(f"saved at {RESULT}", category=Category.ARTIFACT)
    assert (fact.status, fact.source, fact.pinned) == (Status.ACTIVE, Source.USER, False)
    assert memory.pin(fact.id).pinned
    assert memory.fact(fact.id).pinned


def test_01_what_is_replaced_stays_listed_as_superseded(memory: Memory) -> None:
    """Reference 1: after a value changed the listing has two facts, the old one superseded and the new one active."""
    memory.observe([user("I live in Berlin.")])
    memory.observe([user("I live in Madrid now.")])
    assert learnt(memory, Category.PROFILE) == ["I live in Madrid now."]
    assert learnt(memory, Category.PROFILE, Status.SUPERSEDED) == ["I live in Berlin."]
    assert len(memory.facts()) == 2


def test_02_a_user_fact_survives_what_is_learnt_later(memory: Memory) -> None:
    """Reference 2: a manual goal and a learnt action and artifact are three facts, of which two are automatic."""
    memory.remember("Ship the cart page", category=Category.GOAL)
    memory.observe([*wrote(RESULT), *ran("pytest", "3 passed in 0.1s")])
    assert learnt(memory, Category.GOAL) == ["Ship the cart page"]
    assert sorted(fact.source for fact in memory.facts()) == [Source.AUTO, Source.AUTO, Source.USER]


def test_02_editing_an_automatic_fact_makes_it_the_users(memory: Memory) -> None:
    """Reference 2: an automatic fact that the user states is the user's, under the same id and with full confidence."""
    memory.observe(wrote(RESULT))
    before = the_fact(memory, RESULT)
    after = memory.remember(RESULT, category=Category.ARTIFACT)
    assert (before.source, after.source) == (Source.AUTO, Source.USER)
    assert (after.id, after.confidence) == (before.id, 1.0)


def test_02_a_later_turn_keeps_both_user_facts_and_refuses_a_plan_without_a_todo(open_memory: OpenMemory) -> None:
    """Reference 2, V1*: both user facts stay, and exactly one automatic fact; no word says that the item is open."""
    plan = "Implement memory panel UI"
    extractors, message = handing((Category.OPEN_ITEM, plan))
    memory = open_memory(extractors=extractors)
    memory.remember("Ship the cart page", category=Category.GOAL)
    memory.observe([*wrote(RESULT), *ran("pytest", "3 passed in 0.1s")])
    memory.remember(RESULT, category=Category.ARTIFACT)
    memory.observe([message])
    sources = [fact.source for fact in memory.facts(status=Status.ACTIVE)]
    assert sources.count(Source.USER) == 2
    assert sources.count(Source.AUTO) == 1
    assert reasons(memory)[plan] == "open_item_unconfirmed"


def test_02_a_rollback_restores_what_was_known(memory: Memory) -> None:
    """Reference 2: going back to before a change restores at least one fact."""
    memory.observe(wrote(RESULT))
    artifact = the_fact(memory, RESULT)
    then = memory.history(artifact.id)[-1].seq
    memory.forget(artifact.id)
    assert memory.rollback(then).reverted >= 1
    assert memory.fact(artifact.id) == artifact


def test_02_a_rollback_to_what_never_was_is_an_error(memory: Memory) -> None:
    """Reference 2 with section 1.8: a snapshot, here an event, that does not exist is an error, and nothing changes."""
    memory.observe(wrote(RESULT))
    before = memory.facts()
    for event in (-1, 10_000):
        with pytest.raises(NotFoundError):
            memory.rollback(event)
    assert memory.facts() == before
    assert memory.rollback(0).facts == 0


def test_03_a_listed_date_is_no_artifact(memory: Memory) -> None:
    """Reference 3: of a list with a date and a real path, only the path becomes an artifact."""
    memory.observe([user("整理导出结果"), agent(f"重要文件：\n- 2024/7/19\n- {EXPORT}")])
    assert learnt(memory, Category.ARTIFACT, None) == [EXPORT]


def test_04_a_merge_keeps_the_folder_and_records_both_refusals(
    open_memory: OpenMemory, existing_folder: Callable[[str], str]
) -> None:
    """Reference 4: of a date, a log line and an existing folder only the folder is a fact; refusals are on record."""
    folder = existing_folder(r"C:\Users\lin\OneDrive\Desktop")
    log = "[stdout] running the nightly export"
    extractors, message = handing(
        (Category.ARTIFACT, "2024/7/19"), (Category.VERIFIED_ACTION, log), (Category.ARTIFACT, folder)
    )
    memory = open_memory(extractors=extractors, settings=Settings(check_filesystem=True))
    report = memory.observe([message])
    assert mode(report) == "merge"
    assert (report.accepted, report.rejected) == (1, 2)
    assert report.rejected_by_reason == {"artifact_unhelpful": 1, "runtime_log_noise": 1}
    assert [row.content for row in memory.candidates(decision=Decision.ACCEPTED)] == [folder]
    assert {row.content for row in memory.candidates(decision=Decision.REJECTED)} == {"2024/7/19", log}
    assert [fact.content for fact in memory.facts()] == [folder]


def test_05_the_same_artifact_again_is_evidence(memory: Memory) -> None:
    """Reference 5: observed twice, an artifact has more evidence and no less confidence."""
    memory.observe(wrote(RESULT, at="2026-03-01T10:00:00Z"))
    once = the_fact(memory, RESULT)
    memory.observe(wrote(RESULT, at="2026-03-02T10:00:00Z"))
    twice = the_fact(memory, RESULT)
    assert twice.evidence_count == once.evidence_count + 1
    assert twice.confidence > once.confidence
    assert learnt(memory, Category.ARTIFACT, None) == [RESULT]


def test_06_a_failing_path_is_stored_with_high_confidence(memory: Memory) -> None:
    """Reference 6: an invalid path is stored with a confidence of at least 0.85."""
    memory.observe(ran("dir D:\\archive", r"Cannot find path 'D:\archive' because it does not exist.", exit_code=1))
    assert the_fact(memory, r"D:\archive").category is Category.INVALID_PATH
    assert the_fact(memory, r"D:\archive").confidence >= 0.85


def _missing(path: str) -> list[dict[str, object]]:
    return ran(f"type {path}", f"Cannot find path '{path}' because it does not exist.", exit_code=1)


@pytest.mark.parametrize("artifact_first", [True, False], ids=["artifact first", "invalid path first"])
def test_07_what_one_batch_calls_broken_is_no_artifact_of_it(memory: Memory, *, artifact_first: bool) -> None:
    """Reference 7: of an artifact and an invalid path for one file, the artifact is refused, whichever comes first."""
    said = agent(f"The result is saved at {RESULT}")
    turn = [said, *_missing(RESULT)] if artifact_first else [*_missing(RESULT), said]
    report = memory.observe([user("Where is the result?"), *turn], session="s")
    assert learnt(memory, Category.INVALID_PATH) == [RESULT]
    assert learnt(memory, Category.ARTIFACT, None) == []
    assert the_candidate(memory, RESULT).reason == "artifact_marked_invalid"
    message = runtime_message(report, "debug", "turn_checkpoint")
    assert message is not None
    assert '"artifact_marked_invalid=1"' in message


def test_08_the_audit_trail_can_be_asked_for_one_decision(memory: Memory) -> None:
    """Reference 8: listing by decision gives that decision only, and both kinds are there."""
    memory.observe([user("Never push to main."), agent("The fix is done and verified.")])
    for decision in (Decision.ACCEPTED, Decision.REJECTED):
        rows = memory.candidates(decision=decision)
        assert rows
        assert {row.decision for row in rows} == {decision}


def test_09_a_runtime_notice_is_no_gate_event(memory: Memory) -> None:
    """Reference 9: with a gate event and a runtime notice stored, the gate listing has the one event, as it was."""
    event: dict[str, object] = {
        "tool": "shell",
        "action": "rewrite",
        "changes": [{"target": "desktop", "path": r"C:\Users\lin\OneDrive\Desktop"}],
    }
    memory.store.activity.add_gate_event("project:shop", event, None)
    report = memory.observe([user("Please add a dark mode.")])
    notice = runtime_message(report, "debug", "turn_checkpoint")
    assert notice is not None
    assert memory.observe([agent(notice)]).candidates == 0
    (stored,) = memory.store.activity.gate_events("project:shop")
    assert {name: stored[name] for name in event} == event


def test_10_a_date_never_stands_beside_a_folder(open_memory: OpenMemory, existing_folder: Callable[[str], str]) -> None:
    """Reference 10: of a valid folder and a date the date goes and the folder stays, also in the turns after."""
    folder = existing_folder(r"C:\Users\lin\Documents")
    extractors, message = handing((Category.ARTIFACT, folder), (Category.ARTIFACT, "2024/7/19"))
    memory = open_memory(extractors=extractors, settings=Settings(check_filesystem=True))
    assert memory.observe([message]).rejected_by_reason == {"artifact_unhelpful": 1}
    memory.observe([user("Thank you, that was all.")])
    assert [fact.content for fact in memory.facts()] == [folder]


def test_11_an_artifact_goes_when_its_path_is_found_broken(memory: Memory) -> None:
    """Reference 11: of an artifact and a later invalid path of the same file, only the invalid path is believed."""
    memory.observe(wrote(RESULT, at="2026-03-01T10:00:00Z"))
    report = memory.observe(
        ran(f"type {RESULT}", f"Cannot find path '{RESULT}'.", at="2026-03-02T10:00:00Z", exit_code=1)
    )
    assert report.superseded == 1
    assert learnt(memory, Category.INVALID_PATH) == [RESULT]
    assert learnt(memory, Category.ARTIFACT) == []
    assert learnt(memory, Category.ARTIFACT, Status.SUPERSEDED) == [RESULT]
