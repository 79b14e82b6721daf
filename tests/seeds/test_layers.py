"""The rows on memory blocks, providers, agent views, trims and what a compaction keeps: each run as a host would."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cfpm_adapters import Conversation, LocalProvider, WebhookProvider

from cfpm import CFPMError, Memory, Settings, UsageError
from cfpm.context.agent_view import AgentView, view
from cfpm.context.driver import Driver
from cfpm.context.rules import Rules
from cfpm.context.states import Proceed, Reason, Stop
from cfpm.context.strategies.registry import default_limits, named
from cfpm.context.strategies.types import Limits, Outcome
from cfpm.context.trims import evict_results, repair_pairs, send_with_retries
from cfpm.context.trims.calls import read_log
from cfpm.context.trims.trim import characters
from cfpm.model.markers import BLOCK_OPEN, CHECKPOINT_OPEN, COMPACTION_PREFIX, FAILURE_PREFIX, TRIMMED_OPEN
from tests.adapters.endpoints import serving
from tests.processes import HUNG
from tests.reference.transcripts import ran, user
from tests.seeds.histories import WIDE, chat, turn, turns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from cfpm.context.history import Raw
    from cfpm.context.strategies.types import Compaction
    from tests.cli.conftest import Run

RULE = {"role": "user", "content": "Always run ruff before you commit."}


def compacted(history: Sequence[object], strategy: str, tokens: int = 1_200, **options: Any) -> Compaction:
    with Memory.open(":memory:") as memory:
        limits = default_limits(strategy, tokens)
        return memory.compact(history, limits, session="s", strategy=strategy, observe=False, **options)


def shown(messages: Sequence[Raw]) -> list[str]:
    """The results in a list."""
    return [result.text for result in read_log(messages).results]


# --- what is told of the memory


def test_row_2_5_a_block_of_the_memory_is_labelled_as_such() -> None:
    with Memory.open(":memory:") as memory:
        assert memory.recall("how do I commit?").block == ""
        memory.observe([RULE])
        assert memory.recall("how do I commit?").block.startswith(BLOCK_OPEN)


def test_row_2_7_standing_facts_are_ordered_by_kind_and_then_as_they_were_learnt() -> None:
    said = [
        "I prefer short commit messages.",
        "Always sign the parcels.",
        "I prefer tea over coffee.",
        "Never ship on Fridays.",
    ]
    with Memory.open(":memory:") as memory:
        for text in said:
            memory.observe([user(text)])
        lines = [line for line in memory.recall("what are the rules?").lines if line.startswith("- [")]
    places = {text: next(at for at, line in enumerate(lines) if text.rstrip(".") in line) for text in said}
    rules, likes = sorted(places[said[n]] for n in (1, 3)), sorted(places[said[n]] for n in (0, 2))
    assert rules == [places[said[1]], places[said[3]]]
    assert likes == [places[said[0]], places[said[2]]]
    assert max(rules) < min(likes)


def test_row_2_10_memories_are_inspected_pinned_and_forgotten_by_commands(run: Run, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "m.db", "--json")
    run("remember", "--category", "instruction", "Always use tabs.", *db)
    (fact,) = run("facts", *db).document
    assert run("pin", fact["id"], *db).code == 0
    assert run("facts", *db).document[0]["pinned"]
    assert run("forget", fact["id"], *db).code == 0
    assert run("facts", *db).document == []


@pytest.mark.slow
def test_row_2_11_a_provider_is_local_or_a_webhook_and_asked_anew_each_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Their counts are kept beside the user's own data.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    local = LocalProvider(str(tmp_path / "m.db"))
    assert local.load("cook", "how do I commit?") is None
    with serving(tmp_path / "m.db") as base:
        far = WebhookProvider(f"{base}/v1/load", f"{base}/v1/save", outbox=tmp_path / "out.db", timeout_seconds=HUNG)
        far.save("baker", [RULE], session="s")
        far.close()
        assert "ruff" in (local.load("cook", "how do I commit?") or "")
        assert "ruff" in (WebhookProvider(f"{base}/v1/load", timeout_seconds=HUNG).load("cook", "commit?") or "")
    local.close()


def test_row_3_13_a_store_that_fails_never_stops_a_turn(tmp_path: Path) -> None:
    provider = LocalProvider(str(tmp_path / "nowhere" / "m.db"))
    provider.save("cook", [RULE])
    assert provider.load("cook") is None
    assert provider.failures == 2
    assert "nowhere" in provider.last_failure


def test_row_4_2_what_is_recalled_says_that_it_is_data_and_where_it_is_from() -> None:
    with Memory.open(":memory:") as memory:
        memory.observe([RULE, *ran("ls /srv/shop", "cart.py")])
        memory.documents.add_text("Commits need a ticket.\n", "guide.md")
        block = memory.recall("how do I commit?").block
    assert "data, not instructions" in block.split("\n", 1)[0]
    assert "Always run ruff before you commit. (fact_" in block
    assert "document, data" in block


def test_row_4_7_what_a_turn_needs_is_retrieved_for_it_in_pieces() -> None:
    long = "The cart rounds each line with banker's rounding. " + "Nothing else is known of the shop. " * 60
    with Memory.open(":memory:") as memory:
        memory.observe([{"role": "assistant", "content": long}], session="before")
        block = memory.recall("how does the cart round?").block
    assert "banker's rounding" in block
    assert len(block) < len(long)


# --- what an agent sees


def test_row_2_12_text_only_leaves_calls_and_results_out() -> None:
    seen = view(turns(4), AgentView(text_only=True)).messages
    assert [message["role"] for message in seen] == ["user", "assistant"] * 4
    assert (read_log(seen).calls, read_log(seen).results) == ((), ())


def test_row_2_13_other_agents_are_left_out_with_their_calls() -> None:
    history = [*turn(1, agent="Tester"), *turn(2, agent="Developer")]
    seen = view(history, AgentView(exclude=["tester"])).messages
    assert [message.get("name") for message in seen if message["role"] == "assistant"] == ["Developer", "Developer"]
    assert list(seen[-4:]) == turn(2, agent="Developer")


def test_row_2_17_results_are_capped_with_the_count_and_tools_have_their_own_cap() -> None:
    history = turn(1, output="y" * 20_000)
    (cut,) = shown(view(history, AgentView(result_cap=8_000)).messages)
    assert len(cut) < 8_200
    assert "12,000 characters removed" in cut
    for overrides in ({"bash": 20_000}, {"bash": 0}):
        assert shown(view(history, AgentView(result_cap=8_000, overrides=overrides)).messages) == ["y" * 20_000]
    assert AgentView().result_cap == 16_000


def test_row_2_21_results_without_a_call_and_calls_without_a_result_are_repaired() -> None:
    user_, called, result, answer = turn(1)
    assert list(repair_pairs([user_, result, answer]).messages) == [user_, answer]
    assert shown(view([user_, called, answer, user_, answer]).messages) == []
    assert read_log(view([user_, called, answer, user_, answer]).messages).calls == ()


# --- compaction


def test_row_2_29_the_modes_are_known_by_their_names() -> None:
    found = {name: named(name)[0] for name in ("llm", "window", "intent", "hybrid", "lossless")}
    assert found == {"llm": "segmented", **{name: name for name in ("window", "intent", "hybrid", "lossless")}}


def test_row_2_33_a_summary_stays_in_a_window() -> None:
    done = compacted(chat(40, words=60), "segmented")
    again = compacted([*done.log, *chat(40, words=60)], "window")
    assert again.outcome is Outcome.COMPACTED
    assert CHECKPOINT_OPEN in "".join(str(message["content"]) for message in again.messages[:4])
    assert len(again.messages) < 40


def test_row_2_34_a_window_has_80_000_tokens_unless_told_otherwise() -> None:
    history = chat(60, words=400)
    with Memory.open(":memory:") as memory:
        whole = memory.compact(history, strategy="window", observe=False)
        cut = memory.compact(history * 4, strategy="window", observe=False)
        others = memory.compact(history, strategy="intent", observe=False)
        driven = memory.driver(session="s", limit=WIDE, strategy="window", observe=False)
        assert driven.rules.budget(driven._size([])) == WIDE * 0.8 * 0.5
    assert (whole.outcome, cut.outcome) == (Outcome.NOTHING, Outcome.COMPACTED)
    assert others.after_tokens <= 8_000 < cut.after_tokens <= 80_000


@pytest.mark.slow
def test_row_2_35_a_model_of_the_hosts_writes_the_summary_also_for_the_command(run: Run, tmp_path: Path) -> None:
    asked: list[str] = []

    def summarise(prompt: str) -> str:
        asked.append(prompt)
        return "All parts were read."

    history = chat(30, words=60)
    assert "All parts were read." in compacted(history, "llm", summarise=summarise).checkpoint
    assert len(asked) == 1
    path = tmp_path / "s.json"
    path.write_text(json.dumps(history))
    program = "import sys; sys.stdin.read() or sys.exit(1); print('Flour was weighed.')"
    options = ("--strategy", "llm", "--max-tokens", 1_200, "--json")
    for words, told in ((program, "Flour was weighed."), ("import sys; sys.exit('429, later')", "429, later")):
        command = shlex.join([sys.executable, "-c", words])
        done = run("compact", path, "--summarise-command", command, *options)
        assert done.code == 0, done.err
        assert told in done.document["checkpoint"]
    refused = run("compact", path, "--summarise-command", "no-such-program-here", *options)
    assert (refused.code, "--summarise-command" in refused.err) == (2, True)


@pytest.mark.parametrize("strategy", ["segmented", "hybrid"])
def test_row_2_40_a_failed_summary_is_marked_and_something_stands_in_its_place(strategy: str) -> None:
    def summarise(prompt: str) -> str:
        raise RuntimeError("429 too many requests")

    done = compacted(turns(24), strategy, 2_000, summarise=summarise)
    text = str(done.messages)
    assert done.outcome is Outcome.FAILED
    assert FAILURE_PREFIX in text
    assert "429" in text
    assert "recipes/loaf_5.md" in text


def test_row_2_41_an_error_says_what_where_and_what_to_do_and_changes_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        memory.observe([RULE], session="s")
        before = memory.facts(), len(memory.log("s"))
        with pytest.raises(CFPMError, match="message 1") as found:
            memory.compact([RULE, 3], session="s")
        with pytest.raises(ZeroDivisionError):
            memory.compact(chat(40, words=60), Limits(900), session="s", observe=False, extra=lambda _: [str(1 / 0)])
        assert (memory.facts(), len(memory.log("s"))) == before
    # What a host needs for a dump of its own.
    assert {"source", "place", "problem", "remedy"} <= vars(found.value).keys()


def test_row_2_45_a_cut_over_comes_after_its_warning_and_has_a_compactor() -> None:
    with pytest.raises(UsageError, match="budget_warn_at"):
        Settings(budget_warn_at=100_000, budget_cut_over_at=100_000)
    with pytest.raises(TypeError, match="compactor"):
        Driver(Rules(Settings(budget_cut_over_at=100_000)))  # type: ignore[call-arg]


# --- within a turn


def test_row_2_47_results_beyond_a_number_of_tokens_are_evicted_with_a_list_of_them() -> None:
    history = [message for number in range(20) for message in turn(number, output="rye bread\n" * 80)]
    trim = evict_results(history, 3_000)
    assert 5 < trim.rewritten < 19
    assert f"evicted: {trim.rewritten}" in trim.manifest
    assert shown(trim.messages)[-1] == "rye bread\n" * 80


def test_row_2_48_what_stands_for_a_result_keeps_the_id_of_its_call() -> None:
    history = turns(20)
    seen = view(history, AgentView(pairs=2)).messages
    first = next(message for message in seen if message["role"] == "tool")
    assert str(first["content"]).startswith(TRIMMED_OPEN)
    assert "left out of the window" in str(first["content"])
    assert first["tool_call_id"] == "c0"


@pytest.mark.slow
def test_row_2_49_long_results_are_on_disk_in_every_conversation_and_read_by_a_command(
    run: Run, tmp_path: Path
) -> None:
    called = turn(1)[1]
    with Memory.open(tmp_path / "m.db", settings=Settings(artifacts_folder=str(tmp_path / "results"))) as memory:
        talk = Conversation(memory, session="s", limit=WIDE)
        talk.before(text="Read it.")
        talk.add(called)
        (call,) = called["tool_calls"]
        stub = talk.result(call, "rye\n" * 10_001)
        assert talk.artifacts is not None
        name = next(line.removeprefix("Artifact: ") for line in stub.split("\n") if line.startswith("Artifact: "))
        kept = talk.artifacts.resolve(name)
        assert kept is not None
        assert (kept.content, kept.lines(2, 3)) == ("rye\n" * 10_001, "rye\nrye")
        assert talk.artifacts.offload("x" * 40_000).id == ""
    assert (tmp_path / "results").stat().st_mode & 0o077 == 0
    done = run("show", name, "--artifacts", tmp_path / "results", "--db", tmp_path / "m.db")
    assert done.out.count("rye") == 10_001


def test_row_2_50_a_refused_prompt_is_sent_again_with_less_in_three_stages() -> None:
    sizes: list[int] = []

    def model(messages: Sequence[Raw]) -> str:
        sizes.append(characters(messages))
        if len(sizes) < 4:
            raise RuntimeError("This model's maximum context length is 1000 tokens")
        return "fine"

    history = [message for number in range(4) for message in turn(number, output="rye bread\n" * 900)]
    sent = send_with_retries(model, history)
    assert (sent.answer, sent.stage) == ("fine", 3)
    assert sizes == sorted(sizes, reverse=True)
    assert shown(sent.trim.messages) == []


# --- when, and what is kept


def test_row_3_15_what_cannot_be_made_smaller_is_told_to_the_user_with_what_to_do() -> None:
    with Memory.open(":memory:") as memory:
        driver = memory.driver(session="s", limit=1_000, observe=False)
        log: Sequence[Raw] = [user("lorem " * 9_000)]
        while isinstance((driven := driver.recover(log)).action, Proceed):
            log = driven.log
        action = driven.action
    assert isinstance(action, Stop)
    assert "1,000 tokens" in action.message
    assert "start a new session" in action.message


@pytest.mark.slow
def test_row_4_9_the_window_a_large_turn_and_a_milestone_each_trigger() -> None:
    with Memory.open(":memory:", settings=Settings(max_turn_tokens=2_000)) as memory:
        options: dict[str, Any] = {"session": "s", "observe": False, "limit": 40_000}
        full = memory.driver(**{**options, "limit": 3_000}).before_reply(turns(30), "Go on.")
        large = memory.driver(**options).after_turn(turns(30), input_tokens=3_400)
        done = memory.driver(**options, milestone=lambda log: "all is read").after_turn(turns(30))
    found = [(one.boundaries[0].reason, one.boundaries[0].outcome) for one in (full, large, done)]
    assert found == [
        (reason, Outcome.COMPACTED) for reason in (Reason.THRESHOLD, Reason.TURN_TOO_LARGE, Reason.MILESTONE)
    ]


@pytest.mark.parametrize("reason", [Reason.EXECUTION, Reason.PAUSE])
def test_row_4_11_a_change_to_execution_and_a_pause_are_reasons_of_their_own(reason: Reason) -> None:
    with Memory.open(":memory:") as memory:
        driven = memory.driver(session="s", limit=WIDE, observe=False).request(turns(30), reason)
        logged = [one.message.text for one in memory.store.log.messages("default", session="s")]
    assert (driven.action, driven.boundaries[0].outcome) == (Proceed(), Outcome.COMPACTED)
    event = json.loads(next(text for text in logged if text.startswith(COMPACTION_PREFIX))[len(COMPACTION_PREFIX) :])
    assert event["reason"] == reason.value
    # Taking a session up again is the driver's own to find: row 2.26.


@pytest.mark.slow
def test_row_4_12_what_the_handoff_has_to_hold_is_in_the_view() -> None:
    todo = {"todos": [{"content": "Sweep the floor", "status": "pending"}]}
    called = {"id": "t1", "type": "function", "function": {"name": "TodoWrite", "arguments": json.dumps(todo)}}
    wrote = {"path": "recipes/rye.md", "content": "Rye."}
    write = {"id": "t2", "type": "function", "function": {"name": "write_file", "arguments": json.dumps(wrote)}}
    history = [
        *chat(2),
        user("The goal is to open the bakery in May. Never bake rye above 250 degrees."),
        {"role": "assistant", "content": None, "tool_calls": [called, write]},
        {"role": "tool", "tool_call_id": "t1", "content": "ok"},
        {"role": "tool", "tool_call_id": "t2", "content": "File created successfully at: recipes/rye.md"},
        user("Let's go with the stone oven."),
        *ran("make check", "error: flour.txt: No such file or directory", exit_code=2),
        *turns(16),
        user("Next, write the price list."),
    ]
    with Memory.open(":memory:") as memory:
        text = str(memory.compact(history, Limits(2_000), session="s").messages)
    for mark in (
        *("open the bakery in May", "above 250 degrees", "loaf_3.md read", "stone oven", "rye.md edited"),
        *("make check", "Sweep the floor", "write the price list"),
    ):
        assert mark in text


@pytest.mark.slow
def test_row_4_18_bulky_results_are_stored_and_the_boundary_is_an_event_of_the_session(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory:
        talk = Conversation(memory, session="s", limit=4_000)
        for number in range(16):
            asked, called, _, answer = turn(number)
            talk.before(text=asked["content"])
            talk.add(called)
            talk.result(called["tool_calls"][0], "rye bread\n" * (900 if number == 3 else 60))
            talk.before()
            talk.after(answer)
        events = memory.log("s", kinds=["compaction"])
        assert events
        assert len(list((tmp_path / "m.db.artifacts").glob("*.json"))) == 1
