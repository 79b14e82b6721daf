"""Where a checkpoint draws its lines: how much of a view each kind of thing may take, and what is told of it."""

from __future__ import annotations

from typing import Any

from cfpm.context.checkpoint.activity import Activity
from cfpm.context.checkpoint.budget import limited
from cfpm.context.checkpoint.checkpoint import Section, read_checkpoint
from cfpm.context.checkpoint.packing import options
from cfpm.context.checkpoint.reuse import Now, reuse_probability
from cfpm.context.checkpoint.statements import demands
from cfpm.context.checkpoint.usage import Channel, Use
from cfpm.context.history import read_history
from cfpm.context.strategies.cfpm import compact
from cfpm.context.strategies.types import Compaction, Limits, Request
from cfpm.context.views import apply
from cfpm.recall.tokens import estimated
from tests.context.strategies.sessions import agent, called, shop_session, user


def compacted(messages: list[dict[str, Any]], max_tokens: int) -> Compaction:
    return apply("cfpm", compact, Request(read_history(messages, estimated), Limits(max_tokens, manual=True)))


def lines(found: Compaction, section: Section) -> tuple[str, ...]:
    checkpoint = read_checkpoint(found.checkpoint)
    assert checkpoint is not None
    return checkpoint.lines(section)


def asked_for(words: int) -> list[dict[str, Any]]:
    """A session whose last request is long: a line of eight words for every part."""
    parts = "\n".join(f"Column {n} of the export holds amounts, please." for n in range(words // 8))
    return [*shop_session(4), user(f"Write the export.\n{parts}\nThat is all."), *shop_session(8)[1:]]


def told_of_request(max_tokens: int, words: int) -> int:
    """Tokens of the last request that the checkpoint holds."""
    return estimated("\n".join(lines(compacted(asked_for(words), max_tokens), Section.REQUEST)))


def test_goals_that_take_half_of_the_room_are_all_told() -> None:
    goals = {Section.GOALS: [f"Fix part {n} of the loader." for n in range(20)]}
    room = 2 * sum(estimated(line) + 2 for line in goals[Section.GOALS])
    assert limited(goals, room, estimated) == goals


def test_goals_leave_room_for_what_happened() -> None:
    goals = {Section.GOALS: [f"Fix part {n} of the loader." for n in range(20)]}
    room = sum(estimated(line) + 2 for line in goals[Section.GOALS])
    assert len(limited(goals, room, estimated)[Section.GOALS]) < 20


def test_in_a_small_view_a_long_request_takes_a_small_part() -> None:
    assert 20 < told_of_request(1_000, 2_000) < 300


def test_in_a_large_view_a_long_request_takes_a_large_part() -> None:
    assert 700 < told_of_request(4_000, 4_000) < 2_000


def test_of_a_large_view_the_last_messages_are_a_good_part() -> None:
    messages = [
        user("Make the loader read CSV files."),
        *(agent(f"Step {n}: " + "the loader reads on. " * 20) for n in range(80)),
    ]
    view = compacted(messages, 4_000).messages
    assert len([m for m in view if str(m["content"]).startswith("Step")]) >= 2


def activity(messages: list[dict[str, Any]]) -> Activity:
    found = Activity()
    for group in read_history(messages, estimated).groups:
        found.take(group)
    return found


def test_a_name_that_stays_in_view_stands_behind_one_that_was_used_less() -> None:
    done = activity(
        [
            user("Go on."),
            *(part for n in range(6) for part in called("Grep", {"pattern": "load_rows"}, "nothing", n)),
            agent("Look at load_rows and parse_rows next."),
        ]
    )
    found = {
        option.name.text: option.gain for option in options(done, set().__contains__, estimated, 4_000) if option.name
    }
    assert found["load_rows"] > found["parse_rows"]
    kept = {
        option.name.text: option.gain
        for option in options(done, {"load_rows"}.__contains__, estimated, 4_000)
        if option.name
    }
    assert kept["load_rows"] < kept["parse_rows"]


FOLDER = "/srv/a/rather/long/way/down/to/the/generated/sources/of/the/second/shop/module"


def test_in_a_small_view_a_file_that_was_only_read_is_told_without_its_long_folder() -> None:
    read = called("Read", {"file_path": f"{FOLDER}/prices.py"}, "class Prices: pass", 1)
    other = called("Read", {"file_path": "/srv/main.py"}, "class Main: pass", 2)
    chat = [agent(f"Step {n} of the work is done.") for n in range(60)]
    for size, whole in ((1_000, False), (30_000, True)):
        found = activity([user("Read the prices."), *read, *other, *chat])
        texts = [one.name.text for one in options(found, set().__contains__, estimated, size) if one.name]
        assert (f"{FOLDER}/prices.py" in texts) is whole


def test_decisions_get_more_room_where_all_names_have_theirs() -> None:
    chosen = [agent(f"We decided to use form {n} for column {n} of the sheet.") for n in range(40)]
    chat = [agent("The work goes on, and nothing else is to be told of it. " * 8) for _ in range(60)]
    view = compacted([user("Write the sheet."), *chosen, *chat], 4_000)
    assert len(lines(view, Section.DECISIONS)) > 35


def test_what_is_mostly_signs_of_code_is_no_request_and_a_sentence_with_some_is() -> None:
    assert demands("fix(a); run(b) => {c: [d]};") == ([], [])
    asked = "Add the [1] and the (2) to the list."
    assert demands(asked) == ([asked], [])


def test_a_name_of_the_step_before_is_about_as_likely_to_be_used_again_as_one_of_the_last() -> None:
    def likely(ago: int) -> float:
        use = Use(groups=1, seen=100 - ago)
        use.counts[Channel.TARGET], use.last[Channel.TARGET] = 1, 100 - ago
        return reuse_probability("sum_rows", use, "snake", Now(100, 99, frozenset(), frozenset()))

    assert likely(1) > 0.85 * likely(0)
    assert likely(40) < 0.5 * likely(0)


def test_each_of_many_files_of_a_folder_pays_for_a_good_part_of_it_since_rarely_all_are_told() -> None:
    reads = [m for n in range(12) for m in called("Read", {"file_path": f"{FOLDER}/part_{n}.py"}, "x = 1", n)]
    other = called("Read", {"file_path": "/srv/part_x.py"}, "x = 1", 20)
    found = options(activity([user("Read all."), *reads, *other]), set().__contains__, estimated, 30_000)
    costs = {one.name.text: one.cost for one in found if one.name}
    plain = costs.pop("/srv/part_x.py")
    assert len(costs) == 12
    assert all(0.2 < (cost - plain) / estimated(FOLDER) < 0.7 for cost in costs.values())
