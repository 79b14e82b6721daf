"""One conversation, from the first message to a session that is taken up again."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cfpm_adapters import AsyncConversation, Conversation
from cfpm_adapters.conversation import COMPACT_TOOL

from benchmarks.compaction.provider_rules import refused
from cfpm import AsyncMemory, InputError, Memory, Settings, StoreError
from cfpm.context.states import EndTurn, Reason, Stop
from cfpm.model.markers import STATE_OPEN

pytestmark = pytest.mark.slow

WINDOW = 8_000


@pytest.fixture
def memory(tmp_path: Path) -> Any:
    with Memory.open(tmp_path / "memory.db", settings=Settings(durability="normal")) as opened:
        yield opened


def call(number: int, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    given = arguments or {"command": f"cat recipes/{number}.md"}
    function = {"name": name, "arguments": json.dumps(given)}
    return {"id": f"c{number}", "type": "function", "function": function}


def take_turn(talk: Conversation, number: int, *, output: str = "Bake it well.\n" * 60) -> list[int]:
    """A turn with one call; the sizes of the prompts."""
    sizes = [talk.before(text=f"What does recipe {number} ask for?").tokens]
    asked = call(number)
    talk.add({"role": "assistant", "content": None, "tool_calls": [asked]})
    talk.result(asked, output)
    sizes.append(talk.before().tokens)
    talk.after({"role": "assistant", "content": f"Recipe {number} asks for patience."})
    return sizes


def test_the_prompt_never_outgrows_the_window_and_mostly_grows_at_its_end(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW, overhead=500)
    before: tuple[Any, ...] = ()
    changed = 0
    for number in range(40):
        assert max(take_turn(talk, number)) <= WINDOW
        changed += talk.messages[: len(before)] != before
        before = talk.messages
        assert refused(list(before)) == []
    assert 1 <= changed <= 6
    assert talk.given == 160


def test_what_the_user_answered_and_what_is_to_do_stands_in_the_prompt_after_each_compaction(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    talk.before(text="Plan the bakery. Never heat the oven above 250 degrees.")
    todos = call(900, "TodoWrite", todos=[{"content": "Clean the oven", "status": "pending"}])
    asked = call(901, "request_approval", action="throw the old flour away")
    talk.add({"role": "assistant", "content": None, "tool_calls": [todos, asked]})
    talk.result(todos, "ok")
    talk.result(asked, "Denied by the user")
    talk.after({"role": "assistant", "content": "The flour stays."})
    compactions = 0
    for number in range(40):
        take_turn(talk, number)
        shown = "\n".join(str(message["content"]) for message in talk.messages)
        compactions += shown.count(STATE_OPEN)
        if STATE_OPEN in shown:
            assert shown.count(STATE_OPEN) == 1
            assert "Clean the oven" in shown
            assert "throw the old flour away" in shown
            assert "250 degrees" in shown
    assert compactions > 0


def test_a_session_that_is_taken_up_again_has_the_same_prompt(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    for number in range(25):
        take_turn(talk, number)
    again = Conversation(memory, session="s", limit=WINDOW)
    assert again.messages == talk.messages
    assert again.log == talk.log
    assert list(again.snapshots) == list(talk.snapshots)
    assert again.driver.state == talk.driver.state
    take_turn(talk, 25)
    with pytest.raises(StoreError, match="another process"):
        take_turn(again, 25)


CHILD = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from cfpm import Memory
from cfpm_adapters import Conversation
from tests.adapters.test_conversation import WINDOW, take_turn
talk = Conversation(Memory.open({db!r}), session="s", limit=WINDOW)
for number in range(len(talk.snapshots), 1_000):
    take_turn(talk, number)
    print(number, flush=True)
"""


def test_a_killed_process_is_followed_by_one_that_sends_the_same(memory: Memory, tmp_path: Path) -> None:
    whole = Conversation(memory, session="s", limit=WINDOW, folder=tmp_path / "whole")
    script = CHILD.format(path=[str(Path.cwd()), str(Path.cwd() / "adapters")], db=str(tmp_path / "killed.db"))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for _ in range(20):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    with Memory.open(tmp_path / "killed.db") as killed:
        talk = Conversation(killed, session="s", limit=WINDOW)
        turns, given = len(talk.snapshots), talk.given
        assert turns >= 20
        for number in range(turns):
            take_turn(whole, number)
        # In the midst of a turn more may have come in than its beginning.
        assert 0 <= given - whole.given < 4
        if given == whole.given:
            assert talk.messages == whole.messages
        else:
            assert talk.messages[: len(whole.messages)] == whole.messages


def test_a_step_that_was_not_written_to_its_end_never_happened(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    take_turn(talk, 0)
    path = next(Path(f"{memory.store.url}.artifacts").glob("session-*.jsonl"))
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"add": {"log": [{"raw": {"role": "us')
    assert Conversation(memory, session="s", limit=WINDOW).log == talk.log
    assert path.read_bytes() == whole
    path.write_bytes(whole[:30] + b"\n" + whole[30:])
    with pytest.raises(InputError, match="line 2"):
        Conversation(memory, session="s", limit=WINDOW)


def test_nothing_secret_reaches_the_disk_and_what_is_erased_leaves_it(memory: Memory, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    talk = Conversation(memory, session="../../etc", limit=WINDOW, folder=tmp_path / "kept")
    talk.before(text=f"Use {secret} for the bakery's repository.")
    talk.after({"role": "assistant", "content": "I use it. The bakery is in Rye Street."})
    files = list((tmp_path / "kept").iterdir())
    assert [file.suffix for file in files] == [".jsonl"]
    assert not any(secret in file.read_text() for file in files)
    assert secret in str(talk.messages)
    assert Conversation(memory, session="../../etc", limit=WINDOW, folder=tmp_path / "kept").given == 2
    memory.erase(query="Rye Street", artifacts=tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


def test_a_long_result_becomes_a_stub_that_says_how_to_read_it(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    talk.before(text="Read all.")
    asked = call(1)
    talk.add({"role": "assistant", "content": None, "tool_calls": [asked]})
    stub = talk.result(asked, "rye\n" * 5_000)
    assert len(stub) < 2_000
    assert "cat recipes/1.md" in stub
    name = stub.partition("Artifact: ")[2][:32]
    artifacts = talk.artifacts
    assert artifacts is not None
    found = artifacts.resolve(name)
    assert found is not None
    assert found.lines(1, 2) == "rye\nrye"
    assert memory.artifacts().resolve(name) == found


def test_a_host_may_keep_its_own_list_whole_or_as_it_was_sent(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    own: list[Any] = []
    for number in range(20):
        own.append({"role": "user", "content": f"What does recipe {number} ask for?"})
        prompt = talk.before(own)
        assert prompt.messages[-1] == own[-1]
        own.append({"role": "assistant", "content": None, "tool_calls": [call(number)]})
        own.append({"role": "tool", "tool_call_id": f"c{number}", "content": "Bake it well.\n" * 100})
        talk.before(own)
        own.append({"role": "assistant", "content": f"Recipe {number} asks for patience."})
        talk.after(own)
    assert talk.given == 80
    assert len(talk.messages) < 80
    sent = [*talk.before(text="And now?").messages, {"role": "assistant", "content": "Nothing."}]
    talk.after(sent)
    assert talk.messages[-1] == sent[-1]
    with pytest.raises(InputError, match="message 1"):
        talk.before([own[0], *own[2:]])


def test_calls_in_anthropics_form_get_their_results_in_one_message(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    talk.before(text="Read two recipes.")
    calls = [{"type": "tool_use", "id": f"t{n}", "name": "read_file", "input": {"path": f"{n}.md"}} for n in (1, 2)]
    talk.add({"role": "assistant", "content": calls})
    assert [talk.result(one, f"text {one['id']}") for one in calls] == ["text t1", "text t2"]
    assert refused(list(talk.messages)) == []
    assert len(talk.messages) == 3
    again = Conversation(memory, session="s", limit=WINDOW)
    assert again.messages == talk.messages
    with pytest.raises(InputError, match="no id"):
        talk.result({"name": "bash"}, "text")


def test_an_agent_asks_for_a_compaction_by_its_tool(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=100_000)
    for number in range(15):
        take_turn(talk, number)
    talk.before(text="That is all.")
    asked = call(99, str(COMPACT_TOOL["name"]), focus="the oven")
    talk.add({"role": "assistant", "content": None, "tool_calls": [asked]})
    assert "when this turn ends" in talk.result(asked)
    prompt = talk.after({"role": "assistant", "content": "Good night."})
    assert [one.reason for one in prompt.boundaries] == [Reason.AGENT]
    assert talk.after().boundaries == ()


def test_a_command_of_the_user_compacts_and_is_no_message(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=100_000)
    for number in range(15):
        take_turn(talk, number)
    prompt = talk.before(text="/compact")
    assert prompt.action == EndTurn()
    assert prompt.boundaries
    assert "/compact" not in str(talk.log)


def test_a_refused_prompt_becomes_smaller_and_other_errors_are_raised(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=100_000)
    for number in range(20):
        take_turn(talk, number)
    whole = talk.before(text="Go on.").tokens
    with pytest.raises(TimeoutError):
        talk.recover(TimeoutError("slow"))
    prompt = talk.recover(RuntimeError("prompt is too long: 9000 tokens > 4000 maximum"))
    assert prompt.tokens < min(4_000, whole)
    assert prompt.notices
    while not isinstance(prompt.action, Stop):
        prompt = talk.recover(RuntimeError("context_length_exceeded"))
    assert "start a new session" in prompt.action.message


def test_superseded_reads_are_shortened_before_anything_is_compacted(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    for number in range(10):
        talk.before(text=f"Look again, {number}.")
        asked = call(number, "read_file", path="bread.md")
        talk.add({"role": "assistant", "content": None, "tool_calls": [asked]})
        talk.result(asked, f"Version {number} of the bread.\n" * 120)
        prompt = talk.before()
        assert prompt.boundaries == ()
        assert prompt.tokens < WINDOW
        talk.after({"role": "assistant", "content": "It is as it was."})
    assert "read again later" in str(talk.messages)
    assert Conversation(memory, session="s", limit=WINDOW).messages == talk.messages


def test_what_was_said_is_learnt_once_and_the_turns_are_drawn(memory: Memory) -> None:
    talk = Conversation(memory, session="s", limit=WINDOW)
    talk.before(text="We must keep the oven at 230 degrees.")
    talk.after({"role": "assistant", "content": "I will."}, agent="Ann", input_tokens=70, output_tokens=3)
    again = Conversation(memory, session="s", limit=WINDOW)
    again.before(text="Thanks.")
    again.after("Fine.", agent="Ann")
    assert again.messages[-1] == {"role": "assistant", "content": "Fine."}
    assert len(memory.store.log.messages("default", session="s")) == 4
    assert again.snapshots[0].tokens == 70
    assert "3 written" in again.chart()


def test_without_a_file_it_works_and_keeps_nothing() -> None:
    with Memory.open(":memory:") as memory:
        talk = Conversation(memory, session="s", limit=WINDOW)
        for number in range(15):
            assert max(take_turn(talk, number)) <= WINDOW
        assert talk.artifacts is None


def test_the_async_twin_does_the_same(tmp_path: Path) -> None:
    async def session() -> None:
        async with AsyncMemory.open(tmp_path / "memory.db") as memory:
            talk = await AsyncConversation.open(memory, session="s", limit=WINDOW)
            for number in range(12):
                prompt = await talk.before(text=f"What does recipe {number} ask for?")
                assert prompt.tokens <= WINDOW
                await talk.add({"role": "assistant", "content": None, "tool_calls": [call(number)]})
                await talk.result(call(number), "Bake it well.\n" * 100)
                await talk.before()
                await talk.after({"role": "assistant", "content": f"Recipe {number} asks for patience."})
            again = await AsyncConversation.open(memory, session="s", limit=WINDOW)
            assert again.messages == talk.messages
            assert again.given == 48
            assert len(again.snapshots) == 12

    asyncio.run(session())
