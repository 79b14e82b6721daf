"""The benchmark of compaction: what counts as used again, what counts as kept, and what does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.compaction.__main__ import main
from benchmarks.compaction.gold import Gold, gold, hear
from benchmarks.compaction.names import Name, names
from benchmarks.compaction.requests import asked, content_words, decided, holds
from benchmarks.compaction.runs import BUDGETS, Case, Left, measure
from benchmarks.compaction.schemes import SCHEMES, tokens_of
from benchmarks.compaction.scoring import MOST_NAMES, Original, Score, score
from benchmarks.compaction.sessions import as_anthropic, as_openai, sessions
from cfpm import Memory
from cfpm.context.history import Kind, read_history
from cfpm.context.strategies.types import Limits, Request
from cfpm.model import Message, Role, ToolCall, ToolResult
from cfpm.recall.tokens import ESTIMATE, estimated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cfpm.context.history import Raw


def user(text: str) -> Raw:
    return {"role": "user", "content": text}


def assistant(text: str) -> Raw:
    return {"role": "assistant", "content": text}


def ran(number: int, command: str, output: str) -> list[Raw]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


BEFORE = [
    user("Add a lamp to the lighthouse. Never touch lamp_stock.csv."),
    *ran(1, "pytest tests/test_lamp.py -q", "1 failed: turn_lamp is missing in lighthouse.py"),
    assistant("I'll use a brass lamp with a timer, and no candle."),
]
REST = [
    *ran(2, "pytest tests/test_lamp.py -q", "1 passed, see wick_length"),
    assistant("turn_lamp stands in lighthouse.py, and fog_horn is new. The brass lamp has its timer."),
]


def gold_of(before: Sequence[Raw], rest: Sequence[Raw]) -> Gold:
    entries = read_history([*before, *rest], estimated).entries
    return gold([hear(entry) for entry in entries], len(before))


def score_of(view: Sequence[Raw] | None, before: Sequence[Raw] = BEFORE, rest: Sequence[Raw] = REST) -> Score:
    entries = None if view is None else list(read_history(view, estimated).entries)
    return score(entries, gold_of(before, rest), Original.of(read_history(before, estimated).entries))


def kept_of(line: str) -> tuple[int, int]:
    """How many of the gold's files and identifiers a written line holds, strictly and plainly."""
    found = score_of([user(line)])
    return tuple(sum(kinds[kind] for kind in ("path", "identifier")) for kinds in (found.strict, found.plain))  # type: ignore[return-value]


def test_names_are_files_identifiers_and_codes() -> None:
    found = names("see src/app/main_loop.py and setup.cfg: parseRow, MAX_ROWS, commit 4f1c2ab, flight HAT136; a word.")
    assert found == {
        Name("path", "main_loop.py"),
        Name("path", "setup.cfg"),
        Name("identifier", "parseRow"),
        Name("identifier", "MAX_ROWS"),
        Name("identifier", "4f1c2ab"),
        Name("identifier", "HAT136"),
    }


def test_gold_is_what_stood_before_and_is_used_again() -> None:
    assert gold_of(BEFORE, REST).names == {
        Name("path", "lighthouse.py"),
        Name("path", "test_lamp.py"),
        Name("identifier", "turn_lamp"),
        Name("command", "pytest tests/test_lamp.py -q"),
    }


def test_a_name_only_after_the_cut_is_no_gold() -> None:
    assert Name("identifier", "fog_horn") not in gold_of(BEFORE, REST).names


def test_a_name_only_in_a_later_result_is_not_used() -> None:
    before = [*BEFORE, assistant("wick_length is 3")]
    assert Name("identifier", "wick_length") not in gold_of(before, REST).names


def test_a_name_in_a_long_text_that_is_written_is_not_used() -> None:
    body = json.dumps({"file_path": "lighthouse.py", "content": "turn_lamp()\n" * 60})
    call = {"id": "w", "type": "function", "function": {"name": "write", "arguments": body}}
    rest: list[Raw] = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    assert gold_of(BEFORE, rest).names == {Name("path", "lighthouse.py")}


def test_a_command_is_its_first_three_words_without_a_change_of_folder() -> None:
    before = [user("go"), *ran(1, "cd /srv/lighthouse && git log --oneline -5", "")]
    rest = ran(2, "git log --oneline -20", "")
    assert Name("command", "git log --oneline") in gold_of(before, rest).names


def test_a_decision_is_gold_when_half_of_its_words_come_again() -> None:
    (decision,) = gold_of(BEFORE, REST).decisions
    assert decision.text == "I'll use a brass lamp with a timer, and no candle."
    assert gold_of(BEFORE, [assistant("The horn is loud.")]).decisions == ()


def test_verbatim_messages_count_as_they_are() -> None:
    found = score_of(BEFORE)
    assert found.share("strict") == found.share("plain") == 1.0


def test_a_bare_list_of_names_does_not_count() -> None:
    assert kept_of("lighthouse.py turn_lamp test_lamp.py") == (0, 3)


def test_a_line_that_says_what_happened_counts() -> None:
    assert kept_of("- lighthouse.py: turn_lamp is missing (test_lamp.py failed)") == (3, 3)


def test_a_line_that_says_what_it_is_counts() -> None:
    assert kept_of("- function turn_lamp") == (1, 1)


def test_a_word_within_a_name_says_nothing() -> None:
    assert kept_of("tests/failed/lighthouse.py run_failed") == (0, 1)


def test_a_word_within_a_command_says_nothing() -> None:
    before = [user("go"), *ran(1, "npm run build", "")]
    rest = ran(2, "npm run build", "")
    bare = score_of([user("- npm run build")], before, rest)
    told = score_of([user("- npm run build passed")], before, rest)
    assert (bare.plain["command"], bare.strict["command"], told.strict["command"]) == (1, 0, 1)


def test_a_line_with_too_many_names_is_a_list() -> None:
    others = " ".join(f"other_name_{n}" for n in range(MOST_NAMES))
    assert kept_of(f"edited turn_lamp {others}") == (0, 1)


def test_a_list_broken_over_lines_is_a_list() -> None:
    others = "\n".join(f"- edited other_name_{n}, further_name_{n}" for n in range(MOST_NAMES))
    assert kept_of(f"- edited turn_lamp, lighthouse.py\n{others}") == (0, 2)


def test_lines_of_one_name_are_no_list() -> None:
    others = "\n".join(f"- edited other_name_{n}" for n in range(MOST_NAMES))
    assert kept_of(f"- edited turn_lamp\n{others}") == (1, 1)


def test_lines_about_different_things_are_no_list() -> None:
    others = "\n".join(f"- other_{n}.py has further_name_{n}, and_one_{n}" for n in range(MOST_NAMES))
    assert kept_of(f"- lighthouse.py has turn_lamp, more_of_it\n{others}") == (2, 2)


def test_that_a_name_occurred_says_nothing_of_it() -> None:
    line = "- results showed turn_lamp, lighthouse.py"
    assert kept_of(line) == (0, 2)
    assert score_of([user(line)]).lined["path"] == 1


def test_a_sentence_that_somebody_said_counts_in_a_note() -> None:
    said = "turn_lamp lighthouse.py whatever hereby whence"
    before = [*BEFORE, assistant(said)]
    assert score_of([user(f"- {said}")], before).strict["identifier"] == 1


def test_the_first_lines_of_a_result_under_its_call_count() -> None:
    before = [user("go"), *ran(1, "ls -l src", "turn_lamp\nand more"), assistant("Well.")]
    rest = [assistant("turn_lamp")]
    cut: list[Raw] = [before[1], {**before[2], "content": "turn_lamp"}]
    assert score_of(cut, before, rest).strict["identifier"] == 1


def test_no_view_holds_nothing() -> None:
    found = score_of(None)
    assert (found.share("plain"), found.asked_kept) == (0.0, {"goal": 0, "rule": 0})


def test_requests_and_rules_of_a_user() -> None:
    found = asked(
        "Hi. Add a lamp to the tower. The lamp must be brass. Please never touch the old horn. It is dark here."
    )
    assert [(sentence.kind, sentence.negative) for sentence in found] == [
        ("goal", False),
        ("rule", False),
        ("rule", True),
    ]


def test_the_first_sentence_is_a_goal_when_the_first_message_asks_for_nothing() -> None:
    found = gold_of([user("The lamp is dark at night."), assistant("I see."), user("The horn is loud too.")], REST)
    assert [sentence.text for sentence in found.asked] == ["The lamp is dark at night."]


@pytest.mark.parametrize(
    "text",
    [
        "The lamp never worked at night.",
        "Should the lamp turn left at night?",
        "I don't see the lamp from here.",
        "Yes, do that.",
        "```\nadd the lamp to the tower\n```",
        "    add the lamp to the tower",
    ],
)
def test_neither_a_request_nor_a_rule(text: str) -> None:
    assert asked(text) == []


def test_the_middle_of_a_long_message_is_pasted() -> None:
    pasted = "\n".join(f"The ledger of day {n} shows nothing new." for n in range(80))
    found = asked(
        f"Add a lamp to the tower.\n{pasted[:1600]}\nRun the brass horn twice.\n{pasted}\nCheck the wick length."
    )
    assert [sentence.text for sentence in found] == ["Add a lamp to the tower.", "Check the wick length."]


def test_a_prohibition_is_kept_only_with_its_no() -> None:
    (rule,) = asked("Never touch the harbour lamp stock.")
    kept, turned = "- never touch the harbour lamp stock", "- touch the harbour lamp stock"
    assert holds(kept, content_words(kept), rule)
    assert not holds(turned, content_words(turned), rule)


def test_a_sentence_is_kept_in_one_line_only() -> None:
    view = [user("Add a\nlamp to\nthe lighthouse")]
    assert score_of(view).asked_kept["goal"] == 0
    assert score_of([user("User goals:\n- add a lamp to the lighthouse")]).asked_kept["goal"] == 1


def test_pasted_diffs_and_log_lines_are_no_requests() -> None:
    hunk = (
        '@@ -3,7 +3,7 @@ func lamp() {\n \tif dark {\n-\t\treturn errors.New("no lamp in harbour")\n+\t\treturn nil\n'
    )
    assert asked(f"{hunk}\nAdd a test for the harbour lamp.") == asked("Add a test for the harbour lamp.") != []
    assert asked("=== RUN update of the harbour lamp\n--- RUN update of the harbour lamp") == []
    assert asked("2026-03-02 10:00:01 update of harbour lamp started") == []


def test_what_is_decided_is_told_from_what_is_asked() -> None:
    assert [sentence.kind for sentence in decided("We decided on brass lamps for winter. It rains a lot today.")] == [
        "decision"
    ]


def spoken() -> list[Message]:
    call = ToolCall("x", "read", {"file_path": "a.txt"})
    return [
        Message(Role.SYSTEM, "You are a keeper."),
        Message(Role.USER, "read it"),
        Message(Role.ASSISTANT, "Reading."),
        Message(Role.ASSISTANT, "", tool_calls=(call, ToolCall("x", "read", {"file_path": "b.txt"}))),
        Message(Role.TOOL, "text of a", tool_result=ToolResult("x")),
        Message(Role.TOOL, "orphan", name="search", tool_result=ToolResult("")),
        Message(Role.ASSISTANT, "Done."),
    ]


def test_messages_become_what_a_provider_takes() -> None:
    for form in (as_openai, as_anthropic):
        history = read_history(form(spoken()), estimated)
        kinds = [group.kind for group in history.groups]
        assert kinds == [Kind.USER, Kind.CALLS, Kind.CALLS, Kind.ASSISTANT]
        results = [part.text for entry in history.entries for part in entry.results]
        assert results == ["text of a", "", "orphan"]


def test_every_scheme_keeps_to_its_budget() -> None:
    (session,) = sessions(None, "bundled")
    history = read_history(session.messages, estimated)
    heard = [hear(entry) for entry in history.entries]
    for name, (scheme, _) in SCHEMES.items():
        for budget in BUDGETS:
            view = scheme(Request(history, Limits(budget)), heard)
            assert tokens_of(view, history) <= budget, name


def test_a_cut_within_the_budget_is_left_out() -> None:
    (session,) = sessions(None, "bundled")
    found = measure(session, ["tail"], None, ESTIMATE)
    left = [item for item in found if isinstance(item, Left)]
    assert {(item.budget, item.why) for item in left} == {(8_000, "within the budget")}
    assert all(0 < item.score.share() <= 1 for item in found if isinstance(item, Case))


@pytest.mark.slow
def test_the_command_prints_each_strategy_and_writes_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.json"
    assert main(["--json", str(out), "--cache", str(tmp_path / "facts"), "--lost", "1"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in SCHEMES)
    assert {case["strategy"] for case in json.loads(out.read_text(encoding="utf-8"))["cases"]} >= set(SCHEMES)


@pytest.mark.parametrize("wrong", [["--data", "/nowhere/at/all"], ["--strategy", "magic"]])
def test_the_command_refuses_what_there_is_not(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(wrong) == 2
    assert wrong[1].split("/")[-1] in capsys.readouterr().err


def test_facts_are_those_before_the_cut_and_kept_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks.compaction.stored_facts import facts_at

    (session,) = sessions(None, "bundled")
    cuts = [4, len(session.messages)]
    first = facts_at(session, cuts, tmp_path)
    assert len(first[4]) < len(first[cuts[1]])
    monkeypatch.delattr(Memory, "observe")
    assert facts_at(session, cuts, tmp_path) == first
