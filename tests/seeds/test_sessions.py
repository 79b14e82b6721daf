"""The rows of the design documents about sessions, one test each, on a real file."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cfpm_adapters.tools import session_tools

from cfpm import Memory, NotFoundError, Settings, Status, UsageError
from cfpm.context.strategies.types import Limits, Spend, Summary
from cfpm.model.state import Held

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def minute(number: int) -> str:
    return f"2026-03-01T09:{number:02d}:00Z"


def user(text: str, at: int, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "created_at": minute(at), **more}


def agent(text: str, at: int, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "created_at": minute(at), **more}


PORT = "The oven port is 8080."
NEW_PORT = "The oven port is 8081 now."


def baking() -> list[dict[str, Any]]:
    """Three turns behind a system prompt: a rule, a call with its result, a correction."""
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls ovens"}'}}
    return [
        {"role": "system", "content": "You bake.", "created_at": minute(0)},
        user(f"Always preheat the oven in this bakery. {PORT}", 1, cwd="/no/such/bakery"),
        agent("I will.", 2, usage={"prompt_tokens": 100, "completion_tokens": 10}, model="model-a"),
        user("Which ovens are there?", 3),
        agent("", 4, tool_calls=[call], usage={"prompt_tokens": 200, "completion_tokens": 20}, model="model-a"),
        {"role": "tool", "tool_call_id": "c1", "content": "north\nsouth", "created_at": minute(5)},
        agent("North and south.", 6, usage={"prompt_tokens": 300, "completion_tokens": 30, "cost": 0.5}),
        user(NEW_PORT, 7),
        agent("Noted.", 8),
    ]


def long_day(turns: int = 24) -> list[dict[str, Any]]:
    return [
        message
        for number in range(turns)
        for message in (
            {"role": "user", "content": f"Loaf {number}?"},
            {"role": "assistant", "content": f"{number}: " + "1 0 " * 60},
        )
    ]


def seen(messages: Any) -> list[tuple[str, str]]:
    return [(raw["role"], raw.get("content") or "") for raw in messages]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(file: Path) -> Iterator[Memory]:
    with Memory.open(file, agent="Baker") as memory:
        memory.observe(baking(), session="monday")
        yield memory


def believed(memory: Memory) -> set[str]:
    return {fact.content for fact in memory.facts(status=Status.ACTIVE)}


def held_by(memory: Memory, session: str) -> set[str]:
    """What a session's compactions have to choose from."""
    return {fact.content for fact in memory.store.facts.of_session("default", session, 99)}


def test_row_3_1_every_turn_is_kept_with_its_session(memory: Memory, file: Path) -> None:
    with Memory.open(file, read_only=True) as other:
        assert [(one.name, one.turns, one.messages) for one in other.sessions()] == [("monday", 3, 9)]


def test_row_3_2_sessions_are_listed_the_last_first(memory: Memory) -> None:
    memory.observe([user("Mend the door.", 30)], session="tuesday")
    assert [(one.name, one.title) for one in memory.sessions()] == [
        ("tuesday", "Mend the door."),
        ("monday", f"Always preheat the oven in this bakery. {PORT}"),
    ]
    assert [one.name for one in memory.sessions(limit=1)] == ["tuesday"]


def test_row_3_3_a_resumed_session_has_its_whole_history(memory: Memory) -> None:
    found = memory.resume("monday")
    sent = seen({"role": raw["role"], "content": raw["content"]} for raw in baking())
    assert seen(found.messages) == sent
    assert found.messages[4]["tool_calls"][0]["id"] == found.messages[5]["tool_call_id"] == "c1"  # type: ignore[index]
    assert {key for raw in found.messages for key in raw} <= {"role", "content", "tool_calls", "tool_call_id"}
    assert found.log[2]["usage"] == {"input": 100, "output": 10}
    assert (found.waiting, found.told) == ((), "")
    assert memory.observe(found.log, session="monday").messages == 0


def test_row_3_3_flags_and_thoughts_come_back(memory: Memory) -> None:
    thought = {"type": "thinking", "thinking": "The dough rests.", "signature": "seal"}
    memory.observe(
        [
            user("Is it ready?", 1),
            {"role": "assistant", "content": [thought, {"type": "text", "text": "Soon."}], "id": "a1"},
            user("Only for the model.", 2, user_visible=False),
            user("Only for people.", 3, agent_visible=False),
        ],
        session="flags",
    )
    found = memory.resume("flags", style="anthropic")
    assert found.messages[1]["content"] == [thought, {"type": "text", "text": "Soon."}]
    assert [raw["content"] for raw in found.log if raw.get("agent_visible") is False] == ["Only for people."]
    assert "Only for people." not in json.dumps(found.messages)
    assert "Only for the model." not in memory.transcript("flags")
    assert memory.observe(found.log, session="flags").messages == 0


def test_row_3_3_the_view_after_compactions_is_the_same_when_resumed(memory: Memory) -> None:
    done = memory.compact(long_day(), Limits(1_000), session="long")
    assert done.changed
    assert seen(memory.resume("long").messages) == seen(done.messages)
    more = memory.compact([*done.log, *long_day(40)[48:]], Limits(700), session="long")
    assert more.changed
    assert seen(memory.resume("long").messages) == seen(more.messages)


def test_row_3_4_a_fork_goes_its_way_and_its_origin_does_not_notice(memory: Memory) -> None:
    before = memory.resume("monday"), memory.usage("monday"), held_by(memory, "monday")
    made = memory.fork("monday", at=1, name="other")
    assert (made.parent, made.shared, made.turns) == ("monday", 1, 1)
    history = [*memory.resume("other").log, user("Never bake on Sundays in this bakery.", 20), agent("Never.", 21)]
    assert memory.observe(history, session="other").messages == 2
    assert [raw["content"] for raw in memory.resume("other").messages[-3:]] == [
        "I will.",
        history[-2]["content"],
        "Never.",
    ]
    assert memory.sessions()[0].turns == 2
    assert "Always preheat the oven in this bakery." in believed(memory)
    assert (
        memory.resume("monday"),
        memory.usage("monday"),
        held_by(memory, "monday"),
    ) == before
    learnt = [fact for fact in memory.facts() if "Sundays" in fact.content]
    assert [fact.session for fact in learnt] == ["other"]
    # What was learnt before the fork is the fork's, too; what its origin learnt afterwards is not.
    held = held_by(memory, "other")
    assert "Always preheat the oven in this bakery." in held
    assert not any("8081" in content for content in held)


@pytest.mark.parametrize(("turn", "left"), [(2, 2), (-1, 2), (0, 0), (99, 3), (-99, 0), (3, 3)])
def test_row_3_4_rewinding_counts_from_both_ends_and_is_clamped(memory: Memory, turn: int, left: int) -> None:
    done = memory.rewind("monday", turn)
    assert done.turns == left
    asked = [raw for raw in memory.resume("monday").messages if raw["role"] == "user"]
    assert len(asked) == memory.sessions()[0].turns == left
    assert memory.resume("monday").messages[0]["content"] == "You bake."


def test_row_3_4_facts_of_rewound_turns_do_not_survive(memory: Memory) -> None:
    assert NEW_PORT in believed(memory)
    assert PORT not in believed(memory)
    done = memory.rewind("monday", -1)
    assert PORT in believed(memory)
    assert NEW_PORT not in believed(memory)
    assert [fact.content for fact in done.withdrawn] == [NEW_PORT]
    assert [fact.content for fact in done.restored] == [PORT]
    assert [memory.history(fact.id)[-1].cause for fact in done.withdrawn] == ["rewind monday~1"]
    assert NEW_PORT not in memory.recall("Which port has the oven?").block
    assert [one for one in memory.doctor() if not one.ok] == []
    assert memory.verify() == []
    # Said again it is learnt again.
    memory.observe([user(NEW_PORT, 7), agent("Noted.", 8)], session="monday")
    assert NEW_PORT in believed(memory)
    assert [raw["content"] for raw in memory.resume("monday").messages[-2:]] == [NEW_PORT, "Noted."]


def test_row_3_4_facts_survive_when_told_so_and_what_another_session_said(memory: Memory) -> None:
    memory.observe([user("Always preheat the oven in this bakery.", 40)], session="tuesday")
    memory.rewind("monday", 0, keep_facts=True)
    assert NEW_PORT in believed(memory)
    memory.observe([user("The yeast is in the blue jar.", 41)], session="monday")
    memory.rewind("tuesday", 0)
    assert "Always preheat the oven in this bakery." in believed(memory)


def test_row_3_4_turns_that_were_taken_back_can_be_taken_up_again(memory: Memory) -> None:
    whole = seen(memory.resume("monday").messages)
    fork = memory.fork("monday", name="whole")
    done = memory.rewind("monday", 1)
    assert seen(memory.resume(done.kept_in).messages) == whole
    assert seen(memory.resume(fork.name).messages) == whole
    assert [one.name for one in memory.sessions()] == ["monday", "whole"]
    assert done.kept_in in [one.name for one in memory.sessions(rewound=True)]


def test_row_3_4_a_rewind_across_a_compaction_shows_again_what_it_hid(memory: Memory) -> None:
    memory.compact(long_day(), Limits(1_000), session="long")
    memory.observe([user("And then?", 50), agent("Then tea.", 51)], session="long")
    memory.rewind("long", 10)
    assert seen(memory.resume("long").messages) == seen(long_day(10))


def test_row_3_5_a_deleted_session_leaves_no_byte(memory: Memory, file: Path) -> None:
    memory.observe([user("My safe stands behind the quince tree.", 30)], session="secret")
    memory.rewind("secret", 0)
    memory.observe([user("My safe stands below the quince stair.", 31)], session="secret")
    records = memory.delete_session("secret")
    assert all(record.finished for record in records)
    assert [one.name for one in memory.sessions(rewound=True)] == ["monday"]
    assert b"quince" not in b"".join(path.read_bytes() for path in file.parent.iterdir())
    with pytest.raises(NotFoundError, match="monday"):
        memory.resume("secret")


def test_row_3_5_a_session_is_not_deleted_below_its_forks(memory: Memory) -> None:
    memory.fork("monday", name="other")
    with pytest.raises(UsageError, match="other"):
        memory.delete_session("monday")
    assert len(memory.sessions()) == 2
    memory.delete_session("monday", with_forks=True)
    assert memory.sessions() == []
    assert memory.usage().spent == ()


def test_row_3_5_orphans_are_pruned_and_nothing_else(memory: Memory, tmp_path: Path) -> None:
    for name in ("gone", "kept"):
        (tmp_path / "projects" / name).mkdir(parents=True)
        memory.observe([user(f"Mend {name}.", 30, cwd=str(tmp_path / "projects" / name))], session=name)
    memory.observe([user("Mend far.", 30, cwd=str(tmp_path / "drive" / "far"))], session="unmounted")
    (tmp_path / "projects" / "gone").rmdir()
    assert [one.session.name for one in memory.orphaned_sessions()] == ["gone"]
    assert [one.name for one in memory.prune_sessions()] == ["gone"]
    assert {one.name for one in memory.sessions()} == {"monday", "kept", "unmounted"}


def test_row_3_6_the_file_is_for_its_user_alone(memory: Memory, file: Path) -> None:
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_row_3_7_what_a_session_is_stands_in_its_row(memory: Memory) -> None:
    memory.set_session("monday", title="Ovens", model="model-b", done=True)
    one = memory.sessions()[0]
    assert (one.title, one.cwd, one.project, one.model, one.agent) == (
        "Ovens",
        "/no/such/bakery",
        "/no/such/bakery",
        "model-b",
        "Baker",
    )
    assert (one.turns, one.messages, one.done, one.parent) == (3, 9, True, "")
    assert (str(one.started), str(one.updated)) == ("2026-03-01 09:00:00+00:00", "2026-03-01 09:08:00+00:00")


def test_row_3_8_messages_name_agent_time_turn_and_role(memory: Memory) -> None:
    said = memory.store.log.messages("default", session="monday")[1]
    assert (said.agent, said.turn, said.message.role) == ("Baker", 1, "user")
    assert str(said.message.created_at) == "2026-03-01 09:01:00+00:00"


def test_row_3_9_usage_is_exact_across_compaction_and_fork(memory: Memory) -> None:
    total = memory.usage().total
    assert (total.input, total.output, total.cost) == (600, 60, 0.5)
    assert [(one.turn, one.usage.input) for one in memory.usage("monday").spent] == [(1, 100), (2, 200), (2, 300)]
    memory.fork("monday", name="other")
    memory.observe([*memory.resume("other").log, agent("More.", 20, usage={"input_tokens": 7})], session="other")
    memory.compact(memory.resume("monday").log, Limits(60, manual=True, minimum=0), session="monday")
    memory.rewind("monday", 1)
    assert memory.usage("monday").total == total
    assert memory.usage().total.input == total.input + 7
    assert memory.usage().by_agent["Baker"].output == 60


def test_row_3_10_what_a_human_puts_in_is_logged_with_their_name(memory: Memory) -> None:
    memory.observe([user("Stop here.", 20, name="Human")], session="monday")
    assert memory.store.log.messages("default", session="monday")[-1].message.name == "Human"


def test_row_3_11_an_agent_looks_at_its_own_sessions(memory: Memory) -> None:
    tools = {tool.name: tool for tool in session_tools(memory, "monday")}
    assert sorted(tools) == ["current_session", "list_sessions", "session_events"]
    assert json.loads(tools["current_session"].call())["turns"] == 3
    assert json.loads(tools["list_sessions"].call('{"limit": 1}'))["sessions"][0]["current"] is True
    events = json.loads(tools["session_events"].call({"kinds": ["fact"]}))["events"]
    assert any(event["text"] == NEW_PORT for event in events)
    assert "error" in json.loads(tools["session_events"].call("{"))
    assert "error" in json.loads(tools["session_events"].call({"session": "../../etc/passwd"}))
    assert tools["list_sessions"].openai()["function"]["parameters"]["additionalProperties"] is False
    assert tools["list_sessions"].anthropic()["input_schema"]["type"] == "object"


def test_row_3_12_one_time_line_tells_what_happened_in_a_session(memory: Memory) -> None:
    memory.gate("bash", "ls ~/Desktop", session="monday")
    memory.compact(long_day(), Limits(1_000), session="monday")
    kinds = {entry.kind for entry in memory.log("monday")}
    assert {"message", "fact", "gate", "compaction"} <= kinds
    times = [entry.at for entry in memory.log("monday", kinds=["message"]) if entry.at]
    assert times == sorted(times)
    memory.observe([user("Elsewhere.", 30)], session="tuesday")
    assert {entry.session for entry in memory.log("tuesday")} == {"tuesday"}
    with pytest.raises(UsageError, match="no such kind"):
        memory.log(kinds=["noise"])


def test_row_3_16_a_transcript_is_markdown_or_json(memory: Memory, tmp_path: Path) -> None:
    text = memory.transcript("monday")
    assert text.startswith(f"# Always preheat the oven in this bakery. {PORT}\n")
    assert "## User · 2026-03-01T09:03:00.000000Z\n\nWhich ovens are there?" in text
    assert "300 + 30 tokens, 0.5000" in text
    path = tmp_path / "monday.json"
    path.write_text(memory.transcript("monday", "json"), encoding="utf-8")
    with Memory.open(tmp_path / "copy.db") as copy:
        copy.observe_file(path)
        name = copy.sessions()[0].name
        assert seen(copy.resume(name).messages) == seen(memory.resume("monday").messages)
        assert copy.usage().total == memory.usage().total
    with pytest.raises(UsageError, match="xml"):
        memory.transcript("monday", "xml")


def test_row_4_3_a_compaction_is_logged_with_reason_positions_and_time(memory: Memory) -> None:
    history = [{**message, "created_at": minute(at // 2)} for at, message in enumerate(long_day())]
    memory.compact(history, Limits(1_000, reason="milestone"), session="long")
    entry = memory.log("long", kinds=["compaction"])[0]
    assert (entry.what, str(entry.at)) == ("milestone", "2026-03-01 09:23:00+00:00")
    record = memory.store.log.get("default", entry.id, "long")
    assert record is not None
    told = json.loads(record.message.text.partition(" ")[2])
    assert told["compacted"] == told["last"] - told["first"] + 1 > 0


def test_row_2_43_what_a_summary_took_counts_as_usage(memory: Memory) -> None:
    before = memory.usage().total.input
    done = memory.compact(
        long_day(),
        Limits(1_000, manual=True),
        session="long",
        strategy="llm",
        summarise=lambda prompt: Summary("Loaves were baked.", Spend(900, 30, 0.25)),
    )
    assert done.changed
    assert memory.usage().total.input == before + 900
    assert memory.usage("long").total.cost == 0.25


@pytest.mark.parametrize("name", ["../../etc/passwd", "a'; DROP TABLE sessions; --", 'x"\n\ty', "日本 ☃", " "])
def test_any_name_is_a_name_and_no_path(memory: Memory, tmp_path: Path, name: str) -> None:
    memory.observe([user("Mend the door.", 30), agent("Mended.", 31)], session=name)
    assert memory.sessions()[0].name == name
    fork = memory.fork(name, at=1)
    memory.rewind(name, 0)
    assert seen(memory.resume(fork.name).messages) == [("user", "Mend the door."), ("assistant", "Mended.")]
    memory.delete_session(name, with_forks=True)
    assert [one.name for one in memory.sessions(rewound=True)] == ["monday"]
    assert {path.name.partition("-")[0] for path in tmp_path.iterdir()} == {"memory.db"}


def test_a_session_that_was_cut_off_in_a_call_can_be_sent(memory: Memory) -> None:
    memory.observe(baking()[:5], session="cut")
    found = memory.resume("cut")
    assert found.waiting == ("c1",)
    assert "no result" in found.told
    assert found.messages[-1]["role"] == "tool"
    assert found.messages[-1]["tool_call_id"] == "c1"


def test_calls_with_the_same_id_are_told_apart(memory: Memory) -> None:
    memory.observe(
        [*baking()[3:6], *[{**raw, "id": f"again{n}"} for n, raw in enumerate(baking()[3:6])]], session="ids"
    )
    answered = [raw["tool_call_id"] for raw in memory.resume("ids").messages if raw["role"] == "tool"]
    assert len(answered) == len(set(answered)) == 2


@pytest.mark.slow
def test_a_session_is_read_whole_while_another_process_writes_it(memory: Memory, file: Path) -> None:
    code = (
        "import sys; from cfpm import Memory\n"
        "with Memory.open(sys.argv[1]) as memory:\n"
        "    for n in range(60):\n"
        "        memory.observe([{'role': 'user', 'content': f'Loaf {n}?'},\n"
        "            {'role': 'assistant', 'content': f'Baked {n}.'}], session='busy')\n"
        "        if n == 0: print('begun', flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "begun\n"
        lengths = []
        while writer.poll() is None:
            found = seen(memory.resume("busy").messages)
            lengths.append(len(found))
            turns = len(found) // 2
            assert found == [
                part for n in range(turns) for part in (("user", f"Loaf {n}?"), ("assistant", f"Baked {n}."))
            ]
        assert writer.returncode == 0
    assert lengths == sorted(lengths)
    assert len(memory.resume("busy").messages) == 120


def test_an_export_holds_the_sessions(memory: Memory, tmp_path: Path) -> None:
    memory.set_session("monday", title="Ovens")
    memory.fork("monday", at=2, name="other")
    memory.rewind("monday", -1)
    path = tmp_path / "export.jsonl"
    with path.open("w", encoding="utf-8") as out:
        memory.export(out)
    with Memory.open(tmp_path / "copy.db") as copy, path.open(encoding="utf-8") as lines:
        copy.import_lines(lines, "export")
        assert copy.sessions(rewound=True) == memory.sessions(rewound=True)
        assert copy.resume("other") == memory.resume("other")
        assert copy.resume("monday~1").log == memory.resume("monday~1").log
        assert copy.usage() == memory.usage()


def test_secrets_are_taken_out_of_what_is_told_of_a_session(memory: Memory, file: Path) -> None:
    key = "sk-" + "proj-" + "9fKq2LmX7vBt4RzW8nYc3HdJ6pGs1TaE"
    memory.observe([user("Hello.", 30, cwd=f"/srv/{key}")], session="s")
    memory.set_session("s", title=f"with {key}")
    assert key.encode() not in b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert memory.sessions()[0].cwd.startswith("/srv/")


def test_results_that_were_offloaded_come_back_whole(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "artifacts"
    long = "\n".join(f"oven {n} is warm" for n in range(4_000))
    stub = memory.artifacts(folder).offload(long, tool="Bash").text
    rows = [{**raw, "content": stub} if raw["role"] == "tool" else raw for raw in baking()[3:7]]
    memory.observe(rows, session="big")
    assert memory.resume("big").messages[2]["content"] == stub
    assert memory.resume("big", artifacts=folder).messages[2]["content"] == long


def test_settings_of_a_full_log_keep_results_whole(tmp_path: Path) -> None:
    long = "warm " * 10_000
    with Memory.open(tmp_path / "full.db", settings=Settings(log_mode="full")) as memory:
        memory.observe([{**raw, "content": long} if raw["role"] == "tool" else raw for raw in baking()], session="s")
        assert [raw["content"] for raw in memory.resume("s").messages if raw["role"] == "tool"] == [long]


def test_row_3_4_answers_and_state_of_turns_that_are_taken_back_go_with_them(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        for turn, tool in enumerate(("git push", "drop table users")):
            call = {"id": f"c{turn}", "name": "request_approval", "arguments": {"action": tool}}
            memory.observe(
                [
                    {"role": "user", "content": f"Go on with step {turn}."},
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": f"c{turn}", "content": "Approved by the user."},
                ],
                session="s",
            )
        assert len(memory.approvals("s")) == 2
        memory.rewind("s", 1)
        (left,) = memory.approvals("s")
        assert "git push" in left.subject
        assert "drop table" not in memory.reattach("s").text
        assert memory.verify() == []


def planned(number: int, *steps: str) -> list[dict[str, Any]]:
    plan = [{"step": step, "status": "pending"} for step in steps]
    call = {"id": f"p{number}", "name": "update_plan", "arguments": {"plan": plan}}
    return [
        user(f"Make plan {number}.", number),
        agent("", number, tool_calls=[call]),
        {"role": "tool", "tool_call_id": f"p{number}", "content": "Plan updated", "created_at": minute(number)},
    ]


def plan_of(memory: Memory, session: str) -> list[str]:
    return [entry.text for entry in memory.state(session) if entry.kind is Held.PLAN]


def test_row_3_4_the_earlier_plan_holds_again_after_a_rewind(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.observe(planned(1, "heat the oven", "bake rye"), session="s")
        memory.put_state("host", "round", "3", session="s")
        memory.observe(planned(2, "sell the oven"), session="s")
        assert plan_of(memory, "s") == ["sell the oven"]
        memory.rewind("s", 1)
        assert plan_of(memory, "s") == ["heat the oven", "bake rye"]
        assert any(entry.kind is Held.HOST for entry in memory.state("s"))
        assert memory.verify() == []


def test_row_3_4_a_fork_knows_the_plan_and_the_answers_of_the_turns_that_it_shares(tmp_path: Path) -> None:
    asked = {"id": "a1", "name": "request_approval", "arguments": {"action": "sell the zorblat"}}
    answered = [
        agent("", 2, tool_calls=[asked]),
        {"role": "tool", "tool_call_id": "a1", "content": "Denied by the user", "created_at": minute(2)},
    ]
    with Memory.open(tmp_path / "memory.db") as memory:
        memory.observe([*planned(1, "heat the oven"), *answered], session="s")
        memory.observe(planned(3, "bake rye"), session="s")
        memory.fork("s", at=1, name="other")
        memory.observe(planned(4, "sweep the floor"), session="other")
        assert (plan_of(memory, "other"), plan_of(memory, "s")) == (["sweep the floor"], ["bake rye"])
        assert [(one.subject, one.granted) for one in memory.approvals("other")] == [("sell the zorblat", False)]
        memory.rewind("other", -1)
        assert plan_of(memory, "other") == ["heat the oven"]
        memory.erase(query="zorblat")
        assert memory.approvals("other") == memory.approvals("s") == []
        assert memory.verify() == []


def test_two_agents_see_their_own_of_one_history_hand_over_and_go_different_ways(tmp_path: Path) -> None:
    settings = Settings(agents={"Baker": {"exclude": ["Clerk"]}, "Clerk": {"text_only": True, "max_turns": 1}})
    history = [{**raw, **({"name": "Baker"} if raw["role"] == "assistant" else {})} for raw in baking()[1:]]
    history += [user("What does rye cost?", 9), agent("Four crowns.", 10, name="Clerk")]
    with Memory.open(tmp_path / "memory.db", settings=settings, agent="Baker") as memory:
        memory.observe(history, session="s")
        baker, clerk = (memory.view(history, agent=name).messages for name in ("Baker", "Clerk"))
        assert "Four crowns." not in str(baker)
        assert any(raw["role"] == "tool" for raw in baker)
        assert not any(raw["role"] == "tool" or raw.get("tool_calls") for raw in clerk)
        assert "north" not in str(clerk)
        handed = memory.handoff("Clerk", ["session_context"], session="s", root=tmp_path)
        assert handed is not None
        assert "Always preheat the oven" in str(handed["content"])
        before = believed(memory)
        memory.fork("s", name="clerk")
        memory.observe([user("Never sell rye on Sundays.", 11)], session="clerk")
        assert "Sundays" not in str(memory.resume("s").messages)
        assert "Sundays" in str(memory.resume("clerk").messages)
        memory.rewind("clerk", -1)
        assert believed(memory) == before
        memory.observe([user("Never sell rye on Mondays.", 12)], session="clerk")
        memory.rewind("clerk", -1, keep_facts=True)
        assert any("Mondays" in content for content in believed(memory))
