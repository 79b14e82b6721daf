"""What is erased is in no row and no byte; what stays is whole; a record without words stays."""

from __future__ import annotations

import io
import os
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from cfpm import Category, Decision, Memory, Status, UsageError
from cfpm.context.artifacts import OFFLOAD_OVER
from cfpm.pruner.candidates import fact_keys
from cfpm.settings import Settings
from tests.reference.transcripts import GREETING, Row, agent, ran, user

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADDRESS = "I live at 12 Zorblat Street in Quimperle."
RULE = "Always use tabs in the shop project."
TELLING = (b"zorblat", b"quimperle")
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "store" / "memory.db"


@pytest.fixture
def memory(file: Path) -> Iterator[Memory]:
    file.parent.mkdir()
    with Memory.open(f"sqlite:///{file}", namespace="project:shop") as memory:
        yield memory


def left(file: Path, words: tuple[bytes, ...] = TELLING) -> list[str]:
    """The files of the store in which any of the words stands."""
    forms = [form for word in words for form in (word, word.decode().encode("utf-16-le"))]
    return [
        path.name for path in sorted(file.parent.iterdir()) if any(form in path.read_bytes().lower() for form in forms)
    ]


def told(memory: Memory, session: str = "home", **more: object) -> None:
    """A session in which the address is told, echoed, asked for and used in a command."""
    rows: list[Row] = [GREETING, {**user(ADDRESS), **more}, agent("Noted: you live at 12 Zorblat Street in Quimperle.")]
    memory.observe([*rows, user(RULE)], session=session)
    memory.recall("where is Zorblat Street?")
    memory.gate("bash", "ls /srv/zorblat", session=session)


def the_id(memory: Memory) -> str:
    return next(fact.id for fact in memory.facts() if "Zorblat" in fact.content)


def the_message(memory: Memory) -> str:
    return memory.fact(the_id(memory)).message_id


def sound(memory: Memory) -> bool:
    return [check for check in memory.doctor() if not check.ok] == []


@pytest.mark.parametrize("by", ["fact", "message", "candidate", "query", "session", "speaker", "time", "everything"])
def test_every_selector_leaves_no_byte(memory: Memory, file: Path, by: str) -> None:
    told(memory, name="Zorblat Holder", created_at="2026-03-01T09:00:00Z")
    candidate = memory.candidates(decision=Decision.ACCEPTED)[-1].id
    match by:
        case "fact":
            record = memory.erase(the_id(memory))
        case "message":
            record = memory.erase(the_message(memory))
        case "candidate":
            record = memory.erase(next(row.id for row in memory.candidates() if "Zorblat" in row.content))
        case "query":
            record = memory.erase(query="zorblat  STREET")
        case "session":
            record = memory.erase(session="home")
        case "speaker":
            record = memory.erase(speaker="zorblat holder")
        case "time":
            record = memory.erase(since=START, until=START + timedelta(hours=1))
        case _:
            record = memory.erase(everything=True)
    assert candidate
    assert record.finished
    assert record.counts["memory_turns"] >= 1
    assert left(file) == []
    assert sound(memory)


def test_of_a_whole_namespace_not_even_the_name_is_left(memory: Memory, file: Path) -> None:
    told(memory, session="home of shop")
    memory.remember("The kiosk opens at nine.", category=Category.NOTE)
    memory.erase(everything=True)
    assert left(file, (b"project:shop", b"home of shop", b"kiosk", b"tabs")) == []
    assert sound(memory)


def test_the_rest_stays(memory: Memory) -> None:
    told(memory)
    memory.erase(the_id(memory))
    assert [fact.content for fact in memory.facts()] == [RULE]
    assert "tabs" in memory.recall("which indentation? tabs").block


def test_the_trail_keeps_its_rows_without_words(memory: Memory) -> None:
    told(memory)
    before = {row.id: row for row in memory.candidates()}
    memory.erase(the_id(memory))
    after = {row.id: row for row in memory.candidates()}
    assert after.keys() == before.keys()
    (gone,) = [row for row in after.values() if row.marks == ("erased",)]
    assert (gone.content, gone.line, gone.detail, gone.speaker, gone.span.message_id) == ("", "", "", "", "")
    was = before[gone.id]
    assert (gone.decision, gone.reason, gone.rule, gone.confidence) == (
        was.decision,
        was.reason,
        was.rule,
        was.confidence,
    )
    stats = memory.stats()
    assert sum(stats.by_decision.values()) == len(before)


def test_a_verdict_on_what_was_erased_is_explained_and_not_reversed(memory: Memory) -> None:
    memory.observe([GREETING, user("Should we use zorblat for the shop project?"), user(ADDRESS)], session="home")
    asked = next(row.id for row in memory.candidates(decision=Decision.REJECTED) if "zorblat" in row.content)
    learnt = next(row.id for row in memory.candidates(decision=Decision.ACCEPTED))
    memory.erase(query="zorblat")
    story = memory.explain(asked)
    assert (story.message, story.quoted, story.reason.code) == (None, "", "question")
    for reverse in (memory.accept, memory.reject):
        for name in (asked, learnt):
            with pytest.raises(UsageError, match="it was erased"):
                reverse(name)


def test_a_record_says_when_by_whom_and_how_many_and_no_word(memory: Memory) -> None:
    told(memory)
    memory.clock = lambda: START
    memory.erase(query="Zorblat", by="ann")
    (record,) = memory.erasures()
    assert (record.selector, record.erased_by, record.at, record.finished) == ("query", "ann", START, True)
    assert record.counts["memory_facts"] == 1
    assert "orblat" not in repr(record)


def test_a_fact_with_another_source_stays_by_it(memory: Memory, file: Path) -> None:
    memory.observe([GREETING, user(RULE)], session="one")
    memory.observe([GREETING, user("Always use tabs in the shop project!")], session="zorblat run")
    (fact,) = memory.facts()
    memory.erase(session="one")
    (kept,) = memory.facts()
    assert (kept.id, kept.session, kept.evidence_count) == (fact.id, "zorblat run", fact.evidence_count - 1)
    memory.erase(session="zorblat run")
    assert memory.facts() == []
    assert left(file) == []


def test_a_fact_goes_on_in_the_words_of_its_other_source(memory: Memory, file: Path) -> None:
    memory.observe([GREETING, user("Always use wide zorblat tabs in the shop project.")], session="one")
    memory.observe([GREETING, user("Always use wide zorblat tabs in the shop projects.")], session="two")
    (fact,) = memory.facts()
    memory.erase(session="one")
    (kept,) = memory.facts()
    assert (fact.content, kept.content) == (
        "Always use wide zorblat tabs in the shop project.",
        "Always use wide zorblat tabs in the shop projects.",
    )
    assert (kept.session, kept.status) == ("two", Status.ACTIVE)
    assert sound(memory)
    memory.observe([GREETING, user("Always use wide zorblat tabs in the shop projects.")], session="three")
    assert [one.id for one in memory.facts()] == [kept.id]


def test_the_hosts_history_does_not_bring_it_back(memory: Memory, file: Path) -> None:
    told(memory)
    memory.erase(session="home")
    told(memory)
    assert memory.facts() == []
    assert left(file, (b"quimperle",)) == []


def test_said_anew_it_is_learnt_again_unless_it_is_to_be_forgotten(memory: Memory) -> None:
    told(memory, session="one")
    memory.erase(the_id(memory))
    memory.observe([GREETING, user(ADDRESS)], session="two")
    assert the_id(memory)
    memory.erase(the_id(memory), and_forget=True)
    memory.observe([GREETING, user(ADDRESS), agent("So you live at 12 Zorblat Street, Quimperle.")], session="three")
    assert not [fact for fact in memory.facts() if "Zorblat" in fact.content]
    assert memory.candidates(reason="forgotten")


def test_a_block_that_came_back_goes_too(memory: Memory, file: Path) -> None:
    told(memory)
    block = memory.recall("where do I live?").block
    memory.observe([{"role": "system", "content": block}, GREETING], session="next")
    memory.erase(session="home")
    assert left(file) == []


def test_arguments_results_and_paths_go(memory: Memory, file: Path) -> None:
    memory.observe([GREETING, *ran("grep Zorblat /srv/quimperle/notes.txt", "/srv/quimperle/notes.txt: zorblat")])
    memory.erase(query="zorblat")
    assert left(file) == []
    assert sound(memory)


def test_exports_made_later_hold_nothing_and_can_be_imported(memory: Memory) -> None:
    told(memory)
    memory.erase(the_id(memory))
    out = io.StringIO()
    memory.export(out)
    assert "orblat" not in out.getvalue()
    with Memory.open("sqlite://", namespace="project:shop") as other:
        other.import_lines(out.getvalue().splitlines(), "export.jsonl")
        assert [fact.content for fact in other.facts()] == [RULE]
        assert len(other.candidates()) == len(memory.candidates())


def test_another_connection_sees_no_row_that_is_gone(memory: Memory, file: Path) -> None:
    told(memory)
    with Memory.open(f"sqlite:///{file}", namespace="project:shop") as other:
        assert "Zorblat" in other.recall("where is Zorblat Street?").block
        memory.erase(query="zorblat")
        assert "orblat" not in other.recall("where do I live? which street?").block
        other.observe([GREETING, user("I prefer tea over coffee.")], session="other")
        assert "tea" in other.recall("tea or coffee?").block
    assert left(file) == []


def test_numbers_of_messages_are_not_given_away_again(memory: Memory) -> None:
    told(memory)
    last = memory.store.connection.number("SELECT max(seq) FROM memory_turns")
    memory.erase(everything=True)
    memory.observe([user("I prefer tea over coffee.")], session="new")
    assert memory.store.connection.number("SELECT min(seq) FROM memory_turns") == last + 1


def test_nothing_is_erased_by_a_dry_run_or_an_empty_selector(memory: Memory) -> None:
    told(memory)
    plan = memory.erasure_plan(query="zorblat")
    assert len(plan.facts) == 1
    assert {"memory_turns", "memory_facts", "memory_candidates", "recall_events", "gate_events"} <= plan.counts.keys()
    with pytest.raises(UsageError):
        memory.erase()
    with pytest.raises(UsageError):
        memory.erase(everything=True, session="home")
    assert memory.erase(query="no such words").counts == {}
    assert (len(memory.facts()), memory.erasures()) == (2, [])


def test_artifacts_that_hold_it_go(memory: Memory, file: Path, tmp_path: Path) -> None:
    told(memory)
    artifacts = memory.artifacts(tmp_path / "artifacts")
    gone = artifacts.offload("zorblat " + "line\n" * OFFLOAD_OVER)
    kept = artifacts.offload("other " + "line\n" * OFFLOAD_OVER)
    memory.erase(query="zorblat", artifacts=tmp_path / "artifacts")
    assert artifacts.resolve(gone.id) is None
    assert artifacts.resolve(kept.id) is not None


def test_killed_before_the_file_was_clean_it_is_finished_when_it_is_opened(file: Path) -> None:
    file.parent.mkdir()
    url = f"sqlite:///{file}"
    with Memory.open(url, namespace="project:shop") as memory:
        told(memory)
    child = os.fork()
    if child == 0:
        from cfpm.model.erasures import Selector

        half = Memory.open(url, namespace="project:shop")
        half.store.erasure.erase("project:shop", Selector(query="zorblat"), by="", at=None, block_keys=fact_keys)
        os._exit(0)  # no close, no cleaning
    os.waitpid(child, 0)
    assert left(file) != []
    with Memory.open(url, namespace="project:shop", read_only=True) as reader:
        (check,) = [check for check in reader.doctor() if not check.ok]
        assert check.name == "erasures"
    with Memory.open(url, namespace="project:shop") as memory:
        assert sound(memory)
        assert left(file) == []


def test_while_another_reads_it_is_not_called_finished(memory: Memory, file: Path) -> None:
    told(memory)
    memory.store.connection.timeout = 0.05
    reader = sqlite3.connect(file)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memory_turns").fetchall()
    assert not memory.erase(query="zorblat").finished
    reader.close()
    assert memory.store.erasure.finish()
    assert left(file) == []


def test_what_has_had_its_time_goes_stale_and_is_erased(file: Path) -> None:
    file.parent.mkdir()
    settings = Settings(keep_days={Category.PROFILE: 10}, keep_days_by_namespace={"project:shop": 100})
    day = START
    url = f"sqlite:///{file}"
    with Memory.open(url, namespace="project:shop", settings=settings, clock=lambda: day) as memory:
        told(memory)
        day = START + timedelta(days=11)
        memory.observe([user("I prefer tea over coffee.")], session="later")
        assert memory.fact(the_id(memory)).status is Status.STALE
        assert [record.selector for record in memory.expire()] == ["id+age"]
        assert left(file) == []
        assert {fact.content for fact in memory.facts()} == {RULE, "I prefer tea over coffee."}
        day = START + timedelta(days=105)
        assert [record.selector for record in memory.expire()] == ["time+age"]
        assert [fact.content for fact in memory.facts()] == ["I prefer tea over coffee."]
        assert memory.expire() == []
