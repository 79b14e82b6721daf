"""The benchmark of what one session hands to the next: what counts as known, as held, as warned of, as stale."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.carryover.__main__ import main
from benchmarks.carryover.failures import Failures, warned
from benchmarks.carryover.freshness import Gone, replaced_paths, with_replaced
from benchmarks.carryover.knowledge import known, statements
from benchmarks.carryover.ledger import Ledger
from benchmarks.carryover.methods import BUDGETS, BareList, Bm25, BriefAndRecall, packed
from benchmarks.carryover.page import page
from benchmarks.carryover.report import report
from benchmarks.carryover.runs import BM25, NAMES, OURS, RECALL, SHOWN_AT, Found, Run, run
from benchmarks.carryover.scoring import held
from benchmarks.carryover.sessions import sessions, turns
from benchmarks.compaction.names import Name
from cfpm import Category, InputError, Memory, UsageError
from cfpm.recall.tokens import estimated
from cfpm.transcript.messages import parse_messages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.carryover.failures import Failure
    from benchmarks.carryover.sessions import Turn

KILN, GLAZE = Name("path", "kiln.py"), Name("identifier", "mix_glaze")


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def agent(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def ran(number: int, command: str, output: str) -> list[dict[str, Any]]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": output},
    ]


FIRST = [
    user("Fire the pots in kiln.py at a lower heat."),
    *ran(1, "pytest tests/test_kiln.py", "Exit code 2\nFAILED: no fuel in the burner tank"),
    *ran(2, "uv run pytest tests/test_kiln.py --fuel", "3 passed in 0.1s"),
    agent("mix_glaze is a function in kiln.py."),
]
SECOND = [
    user("Now the pots are too dark, what about the heat?"),
    *ran(3, "pytest tests/test_kiln.py", "Exit code 2\nFAILED: no fuel in the burner tank"),
    agent("I changed mix_glaze in kiln.py and added cool_down."),
]


def turns_of(messages: Sequence[dict[str, Any]], session: str = "one") -> list[Turn]:
    return list(turns(session, parse_messages(list(messages))))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    for name, day, messages in (("b", 1, FIRST), ("a", 2, SECOND)):
        rows = [{**one, "timestamp": f"2026-03-0{day}T10:00:{n:02}Z"} for n, one in enumerate(messages)]
        (place / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return place


def test_sessions_come_in_the_order_of_their_times(folder: Path) -> None:
    (folder / "notes.txt").write_text("No transcript.", encoding="utf-8")
    assert [one.file for one in sessions(folder)] == ["b.jsonl", "a.jsonl"]


def test_a_session_in_two_files_counts_once_from_the_file_with_its_name(tmp_path: Path) -> None:
    row = {"type": "user", "sessionId": "kiln", "uuid": "u1", "message": {"role": "user", "content": "Fire the pots."}}
    for name in ("all", "kiln", "later"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert [(one.name, one.file) for one in sessions(tmp_path)] == [("kiln", "kiln.jsonl")]


def test_a_folder_without_a_transcript_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no transcript"):
        sessions(tmp_path)


def test_wanted_is_what_an_earlier_session_used_and_this_one_has_not_named() -> None:
    ledger = Ledger()
    ledger.begin()
    for turn in turns_of(FIRST):
        assert ledger.wanted(turn) == set()
        ledger.learn(turn)
    ledger.begin()
    (turn,) = turns_of(SECOND)
    assert ledger.wanted(turn) == {
        KILN,
        GLAZE,
        Name("command", "pytest tests/test_kiln.py"),
        Name("path", "test_kiln.py"),
    }
    assert Name("identifier", "cool_down") in ledger.new(turn)
    ledger.learn(turn)
    assert ledger.wanted(turn) == set()


def test_what_the_prompt_names_is_not_wanted() -> None:
    ledger = Ledger(earlier={KILN, GLAZE})
    (turn,) = turns_of([user("Look at kiln.py."), agent("kiln.py holds mix_glaze.")])
    assert ledger.wanted(turn) == {GLAZE}


def test_what_only_a_tool_printed_was_not_used() -> None:
    ledger = Ledger()
    ledger.begin()
    ledger.learn(turns_of([user("Look around."), *ran(1, "ls -la src", "kiln.py")])[0])
    ledger.begin()
    (turn,) = turns_of([user("Go on."), agent("kiln.py is next.")])
    assert ledger.wanted(turn) == set()


def test_a_report_uses_none_of_its_names() -> None:
    report = agent("kiln.py fires the pots. " + "Each pot was looked at from all sides. " * 50)
    (turn,) = turns_of([user("Go on."), report, *ran(1, "cat src/mix_glaze.py", "x = 1")])
    assert KILN in turn.named
    assert KILN not in turn.used | turn.by_agent
    assert Name("path", "mix_glaze.py") in turn.by_agent


def test_a_name_counts_strictly_only_in_a_line_that_says_something_of_it() -> None:
    wanted = frozenset({KILN, GLAZE})
    bare = held("kiln.py\nmix_glaze", wanted, ())
    assert (bare.plain, bare.strict) == (wanted, frozenset())
    told = held("- kiln.py is the file that fires\nmix_glaze", wanted, ())
    assert (told.plain, told.strict) == (wanted, frozenset({KILN}))


def test_a_command_is_found_by_its_first_words() -> None:
    run_them = Name("command", "make fire ARGS=-v")
    found = held("- `make fire ARGS=-v -x` passed 3 times", frozenset({run_them}), ["make fire ARGS=-v", "make cool"])
    assert found.strict == {run_them}


def test_search_shows_the_beginning_of_the_messages_that_share_words() -> None:
    method = Bm25()
    for turn in turns_of([*FIRST, user("The wheel " + "turns and turns " * 60)]):
        method.learn(turn)
    (asked,) = turns_of([user("Pots, heat?")])
    shown = method.prompt(asked, 60, Ledger())
    assert shown == "Fire the pots in kiln.py at a lower heat."
    assert max(map(len, method.documents)) <= 400


def test_the_bare_list_begins_with_what_was_used_most_and_leaves_out_what_the_session_names() -> None:
    method, ledger = BareList(), Ledger()
    for turn in turns_of([user("Go."), agent("kiln.py, mix_glaze."), user("On."), agent("mix_glaze, cool_down.")]):
        method.learn(turn)
    (asked,) = turns_of([user("Next.")])
    assert method.prompt(asked, 100, ledger).splitlines() == ["mix_glaze", "cool_down", "kiln.py"]
    ledger.so_far = {GLAZE}
    assert method.prompt(asked, 100, ledger).splitlines() == ["cool_down", "kiln.py"]


def test_what_is_packed_keeps_the_budget() -> None:
    texts = ["one two three", "four " * 50, "five"]
    assert packed(texts, 20) == "one two three\nfive"
    assert packed(texts, 20, first_only=True) == "one two three"
    assert estimated(packed(texts * 30, 40)) <= 40


def failure_of(messages: Sequence[dict[str, Any]], later: Sequence[dict[str, Any]]) -> list[Failure]:
    failures = Failures()
    failures.begin()
    for turn in turns_of(messages):
        failures.learn(turn)
    failures.begin()
    return [one for turn in turns_of(later, "two") for one in failures.repeated(turn)]


def test_a_failing_command_that_fails_again_is_a_repetition_and_knows_what_worked_instead() -> None:
    (failure,) = failure_of(FIRST, SECOND)
    assert failure.line == "FAILED: no fuel in the burner tank"
    assert failure.remedy == "uv run pytest tests/test_kiln.py --fuel"


def test_what_worked_after_an_edit_is_no_other_way() -> None:
    call = {"name": "Write", "arguments": json.dumps({"file_path": "src/tank.py", "content": "fuel = 1"})}
    edit = {"role": "assistant", "tool_calls": [{"id": "c9", "type": "function", "function": call}]}
    done = {"role": "tool", "tool_call_id": "c9", "content": "File created successfully at: src/tank.py"}
    (failure,) = failure_of([*FIRST[:3], edit, done, *FIRST[3:]], SECOND)
    assert failure.remedy == ""


def test_another_command_of_the_same_words_repeats_only_the_same_kind_of_failure() -> None:
    alike = ran(4, "pytest tests/test_oven.py", "Exit code 1\nFAILED: cannot reach the oven door")
    other = ran(5, "pytest tests/test_oven.py", "Exit code 1\nFAILED: the lamp is dark and cold")
    before = ran(1, "pytest tests/test_oven.py -x", "Exit code 1\nFAILED: cannot reach the oven door")
    assert len(failure_of([user("Go."), *before], [user("Go."), *alike])) == 1
    assert failure_of([user("Go."), *before], [user("Go."), *other]) == []


def test_what_the_user_stopped_and_what_says_nothing_is_no_failure() -> None:
    silent = ran(1, "grep glaze kiln.py", "Exit code 1")
    stopped = ran(2, "make fire now", "[Request interrupted by user for tool use]")
    assert failure_of([user("Go."), *silent, *stopped], [user("Go."), *silent, *stopped]) == []


def test_a_warning_has_the_failure_and_a_word_of_failing_in_one_line() -> None:
    (failure,) = failure_of(FIRST, SECOND)
    line = "`pytest tests/test_kiln.py` failed 2 times"
    assert warned(failure, ["`pytest tests/test_kiln.py`", "failed"]).warned is False
    assert (warned(failure, [line]).warned, warned(failure, [line]).with_remedy) == (True, False)
    assert warned(failure, [f"{line}; worked instead: `uv run pytest tests/test_kiln.py --fuel`"]).with_remedy
    assert warned(failure, ["failed once: there was no fuel in the burner"]).warned


def test_a_removed_path_is_gone_until_it_is_made_again() -> None:
    gone = Gone()
    (turn,) = turns_of([user("Clean up."), *ran(1, "rm src/old_kiln.py", "")])
    gone.learn(turn)
    lines = ["src/old_kiln.py is the entry", "src/old_kiln.py was removed", "src/old_kiln.python is new"]
    assert gone.in_lines(lines) == lines[:1]
    made = {"role": "assistant", "tool_calls": [{"id": "c2", "name": "Write"}]}
    call = {"name": "Write", "arguments": json.dumps({"file_path": "src/old_kiln.py", "content": "x = 1"})}
    made["tool_calls"] = [{"id": "c2", "type": "function", "function": call}]
    answer = {"role": "tool", "tool_call_id": "c2", "content": "File created successfully at: src/old_kiln.py"}
    gone.learn(turns_of([user("Back."), made, answer])[0])
    assert gone.in_lines(lines) == []


def test_a_path_whose_newest_fact_was_replaced_is_counted() -> None:
    with Memory.open("sqlite://") as memory:
        old = memory.remember("The glaze recipe stands in docs/old_glaze.md", category=Category.NOTE)
        memory.remember("The glaze recipe is on the wall", category=Category.NOTE, replaces=old.id)
        memory.remember("Kiln times are in docs/times.md", category=Category.NOTE)
        lines = ["see docs/old_glaze.md", "see docs/times.md"]
        assert with_replaced(lines, replaced_paths(memory)) == lines[:1]


def test_a_statement_is_known_when_one_line_has_half_of_its_words(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    rows = [
        {"session": "b.jsonl", "kind": "rule", "statement": "Pots cool slowly overnight in closed kilns"},
        {"session": "b.jsonl", "kind": "pitfall", "statement": "Wet clay cracks in the heat"},
        {"session": "elsewhere.jsonl", "kind": "rule", "statement": "Wash the brushes"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    wanted = statements(path, {"b.jsonl"})
    found = known(wanted, ["pots cool slowly", "wet things", "the clay and the heat cracks nothing"])
    assert (found.said["rule"], found.said["pitfall"], found.there.total()) == (1, 1, 2)
    assert known(wanted, ["pots", "cool", "slowly"]).share == 0


def test_a_label_without_a_statement_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text('{"session": "b.jsonl", "kind": "rule"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        statements(path, {"b.jsonl"})


def test_a_run_measures_every_method_before_it_learns_the_turn(folder: Path) -> None:
    found = run(sessions(folder), [RECALL, BM25, NAMES])
    first, second = found.cases
    assert not first.wanted
    assert not first.held
    assert set(second.held) == {(name, budget) for name in (RECALL, BM25, NAMES) for budget in BUDGETS}
    names = second.held[NAMES, SHOWN_AT]
    assert (names.plain, names.strict) == (second.wanted, frozenset())
    assert KILN in second.held[BM25, SHOWN_AT].plain
    assert len(found.repeated) == 1
    assert len(found.observe_seconds) == 2


def test_without_a_method_of_the_memory_none_is_made(folder: Path) -> None:
    found = run(sessions(folder), [NAMES])
    assert (found.facts, found.observe_seconds, len(found.cases)) == (None, [], 2)


@pytest.mark.parametrize("part", ["last", "third"])
def test_a_part_counts_its_turns_alone_and_knows_the_sessions_before(part: str, folder: Path) -> None:
    found = run(sessions(folder), [NAMES], part=part)
    assert (found.sessions, found.counted, len(found.cases)) == (2, 1, 1)
    assert KILN in found.cases[0].wanted


@dataclass(frozen=True)
class _Line:
    text: str
    section: str = "places"
    id: str = "fact_1"


@dataclass(frozen=True)
class _Brief:
    text: str
    tokens: int
    lines: tuple[_Line, ...]


class _Briefed(Memory):
    """A memory whose brief is one line, which the next sessions can be held against."""

    def brief(self, query: str | None = None, *, max_tokens: int = 1200, **more: Any) -> Any:
        line = _Line("- src/kiln.py is the file that fires; mix_glaze is its function")
        return _Brief(line.text, estimated(line.text), (line,)) if max_tokens > 20 else _Brief("", 0, ())


def test_brief_and_recall_share_a_budget(folder: Path) -> None:
    with _Briefed.open("sqlite://") as memory:
        state = Run(Found(), {OURS: BriefAndRecall(memory)}, memory, memory, watched=sessions(folder)[1].name)
        first, second = sessions(folder)
        state.session(first, counted=True)
        state.gone.ends.add("src/kiln.py")
        state.session(second, counted=True)
    assert state.found.over_budget == {}
    assert {KILN, GLAZE} <= state.found.cases[1].held[OURS, BUDGETS[0]].strict
    assert [(one.lines, one.gone) for one in state.found.stale] == [(1, 0), (1, 1)]
    told = "freshness, 2 briefs of 1,200 tokens at a session's start, 2 lines: 1 name a path that was removed"
    assert told in "\n".join(report(state.found))
    shown = page(state.found, second)
    assert '<code class="strict">kiln.py</code>' in shown
    assert "src/kiln.py is the file that fires" in shown


def test_the_page_escapes_what_it_shows(tmp_path: Path) -> None:
    rows = [user("Mind <script>alert(1)</script> & such."), agent("Yes.")]
    (tmp_path / "one.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (session,) = sessions(tmp_path)
    shown = page(run([session], [NAMES], watched=session.name), session)
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; such." in shown


def test_the_command_writes_report_page_and_figures(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.jsonl"
    row = {"session": "b.jsonl", "kind": "rule", "statement": "Pots cool slowly overnight in closed kilns"}
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    out, html = tmp_path / "out.json", tmp_path / "page.html"
    arguments = [str(folder), "--gold", str(gold), "--html", str(html), "--session", "a.jsonl", "--json", str(out)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "2 sessions, 2 counted; 2 turns, 1 with something to find" in printed
    assert "all active knowledge: 0.00 of 1 (rule 0 of 1)" in printed
    assert "too dark" in html.read_text(encoding="utf-8")
    assert json.loads(out.read_text(encoding="utf-8"))["shares"][NAMES]["strict"] == {"600": 0, "1200": 0, "2400": 0}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nowhere"],
        ["FOLDER", "--html", "p.html", "--session", "none"],
        ["FOLDER", "--html", "p.html", "--session", "b.jsonl", "--part", "last"],
    ],
)
def test_what_is_not_there_is_named(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder) if one == "FOLDER" else one for one in arguments]) == 2
    assert "benchmarks.carryover: " in capsys.readouterr().err
