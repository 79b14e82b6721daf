"""Where compaction draws its lines when nobody says otherwise."""

from __future__ import annotations

import pytest

from cfpm import Memory
from cfpm.context.machine import step
from cfpm.context.rules import Rules, Size
from cfpm.context.states import BeforeReply, Compact, Ready
from cfpm.context.strategies.types import Limits
from cfpm.settings import Settings
from tests.context.strategies.sessions import shop_session


def test_of_a_host_that_says_nothing_of_its_window_a_history_is_compacted_at_about_a_hundred_thousand_tokens() -> None:
    for tokens, over in ((70_000, False), (140_000, True)):
        action = step(Rules(Settings()), Ready(), BeforeReply("hello", Size(tokens))).action
        assert isinstance(action, Compact) is over


@pytest.mark.slow
def test_a_checkpoint_is_chosen_from_all_the_rules_that_a_session_gave() -> None:
    with Memory.open(":memory:") as memory:
        rules = [f"Never touch the file part_{n}.py of the shop." for n in range(60)]
        memory.observe([{"role": "user", "content": rule} for rule in rules], session="s")
        done = memory.compact(shop_session(), Limits(4_000, manual=True), session="s", observe=False)
        assert all(f"part_{n}.py" in done.checkpoint for n in range(60))
