"""What one agent sees of a shared history."""

from __future__ import annotations

import pytest

from cfpm.context.agent_view import AgentView, view
from cfpm.errors import UsageError
from cfpm.model.markers import CHECKPOINT_CLOSE, CHECKPOINT_OPEN

LONG = "The report goes on. " * 200


def call(number: int, name: str = "read_file", **arguments: object) -> dict[str, object]:
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": _json(arguments)}}


def _json(value: object) -> str:
    import json

    return json.dumps(value)


def turns(count: int) -> list[dict[str, object]]:
    """One request, then so many turns of an agent: a call, its result, a reply."""
    history: list[dict[str, object]] = [{"role": "user", "content": "Build the shop."}]
    for number in range(count):
        history.append({"role": "assistant", "content": None, "tool_calls": [call(number, path=f"a{number}.py")]})
        history.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"text {number}"})
        history.append({"role": "assistant", "content": f"Done with part {number}."})
    return history


def test_turn_age_counts_what_agents_did_and_keeps_the_request() -> None:
    left = view(turns(6), AgentView(max_turns=2)).messages
    assert [message.get("content") for message in left if message["role"] != "tool"] == [
        "Build the shop.",
        None,
        "Done with part 4.",
        None,
        "Done with part 5.",
    ]


def test_turn_age_may_count_what_users_say() -> None:
    history = turns(6)
    assert view(history, AgentView(max_turns=2, turn="user", pairs=0)).messages is history


def test_the_last_two_of_three_questions_open_with_a_user() -> None:
    history = [{"role": role, "content": f"{role} {n}"} for n in range(3) for role in ("user", "assistant")]
    assert list(view(history, AgentView(max_turns=2)).messages) == history[2:]


def test_two_agents_without_users_between_them_take_turns() -> None:
    history: list[dict[str, object]] = [{"role": "user", "content": "Go."}]
    history += [{"role": "assistant", "name": name, "content": f"{name} says"} for name in ("Ann", "Bob", "Ann")]
    left = view(history, AgentView(max_turns=1)).messages
    assert [message.get("name") for message in left] == [None, "Ann"]


def test_a_tail_is_no_longer_than_its_cap_and_opens_with_a_user() -> None:
    history: list[dict[str, object]] = [{"role": "system", "content": "Be kind."}, *turns(6)]
    left = view(history, AgentView(max_messages=4)).messages
    assert len([message for message in left if message["role"] != "system"]) <= 4
    assert [message["role"] for message in left[:2]] == ["system", "user"]
    assert left[-1]["content"] == "Done with part 5."


def test_near_the_cap_there_is_a_warning_and_nothing_else() -> None:
    history = [{"role": "user", "content": f"Word {n}"} for n in range(9)]
    assert "80%" in view(history, AgentView(max_messages=10)).warning
    assert view(history, AgentView(max_messages=10)).messages is history
    assert not view(history[:8], AgentView(max_messages=10)).warning
    assert not view(history, AgentView(max_messages=10, warn_at=0)).warning


def test_pinned_messages_stay_beyond_the_cap() -> None:
    history = [{"role": "user", "content": f"Word {n}"} for n in range(9)]
    left = view(history, AgentView(max_messages=2), pinned=lambda message: message["content"] == "Word 0").messages
    assert [message["content"] for message in left] == ["Word 0", "Word 7", "Word 8"]


def test_old_replies_are_cut_but_the_newest_and_summaries_are_not() -> None:
    summary = f"{CHECKPOINT_OPEN} {LONG}{CHECKPOINT_CLOSE}"
    history = [
        {"role": "user", "content": "Report."},
        {"role": "assistant", "content": summary},
        {"role": "assistant", "content": LONG},
        {"role": "user", "content": LONG},
        {"role": "assistant", "content": LONG},
    ]
    texts = [str(message["content"]) for message in view(history).messages]
    assert texts[1] == summary
    assert 2_000 <= len(texts[2]) < 2_200
    assert "characters removed" in texts[2]
    assert texts[3:] == [LONG, LONG]


def test_pairs_in_one_message_count_one_by_one() -> None:
    text = "line of the file\n" * 40
    history: list[dict[str, object]] = [
        {"role": "user", "content": "Read them."},
        {"role": "assistant", "content": None, "tool_calls": [call(n, path=f"a{n}.py") for n in range(20)]},
    ]
    history += [{"role": "tool", "tool_call_id": f"c{n}", "content": text} for n in range(20)]
    left = view(history, AgentView(pairs=12)).messages
    assert [message["content"] == text for message in left[2:]] == [False] * 8 + [True] * 12


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** End Patch"}),
        ("bash", {"command": "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: src/a.py\n*** End Patch\nEOF"}),
        ("bash", {"command": "sed -i 's/a/b/' src/a.py"}),
        ("bash", {"command": "cd /srv/shop && sed -i.bak -e 's/a/b/' ./src/a.py"}),
        ("bash", {"command": "git mv src/a.py src/b.py"}),
    ],
)
@pytest.mark.parametrize("read_as", ["src/a.py", "/srv/shop/src/a.py"])
def test_a_patch_and_a_stream_editor_consume_a_read(name: str, arguments: dict[str, object], read_as: str) -> None:
    history: list[dict[str, object]] = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": None, "tool_calls": [call(1, path=read_as)]},
        {"role": "tool", "tool_call_id": "c1", "content": "a line of code\n" * 200},
        {"role": "assistant", "content": None, "tool_calls": [call(2, name, **arguments)]},
        {"role": "tool", "tool_call_id": "c2", "content": "ok"},
    ]
    left = view(history).messages
    assert len(str(left[2]["content"])) < 700
    assert "the file was changed later" in str(left[2]["content"])


def test_a_stream_editor_that_only_prints_consumes_nothing() -> None:
    history: list[dict[str, object]] = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": None, "tool_calls": [call(1, path="src/a.py")]},
        {"role": "tool", "tool_call_id": "c1", "content": "a line of code\n" * 200},
        {"role": "assistant", "content": None, "tool_calls": [call(2, "bash", command="sed -n 1,5p src/a.py")]},
        {"role": "tool", "tool_call_id": "c2", "content": "ok"},
    ]
    assert view(history).messages is history


@pytest.mark.parametrize(
    ("table", "named"),
    [({"max_turn": 3}, "max_turn"), ({"turn": "day"}, "turn"), ({"max_messages": -1}, "max_messages")],
)
def test_what_cannot_be_is_named(table: dict[str, object], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        AgentView.of(table)
