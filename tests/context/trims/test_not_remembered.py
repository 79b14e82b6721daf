"""What a trim wrote is nobody's statement: a host that shows the memory a trimmed list stores no placeholder."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from cfpm.context.trims import (
    cap_intermediate_text,
    cap_results,
    drop_superseded_writes,
    evict_results,
    keep_last_results,
    shorten_repeated_commands,
    trim_stage,
)
from cfpm.model.markers import TRIMMED_OPEN
from tests.context.trims.chats import Chat, lines, ran, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cfpm.context.trims import Trim

OUTPUT = f"Exit code 2\n{lines(200)}"
TRIMS: dict[str, Callable[..., Trim]] = {
    "caps": partial(cap_results, cap=100),
    "window": partial(keep_last_results, groups=0, trigger=0),
    "tokens": partial(evict_results, max_tokens=0, keep_groups=0),
    "writes": partial(drop_superseded_writes, min_saving=0),
    "commands": partial(shorten_repeated_commands, min_saving=0),
    "said": partial(cap_intermediate_text, min_saving=0),
    "text alone": partial(trim_stage, stage=3),
}


@pytest.mark.parametrize("name", TRIMS)
def test_no_placeholder_is_stored(chat: Chat, tmp_path: Path, name: str) -> None:
    said = "The crew chose to keep the loader as it is, and I will test it first. " * 6
    chat.user("Fix the loader.").did(write("src/a.py", OUTPUT), said=said).did(ran("make test", OUTPUT), said=said)
    chat.did(write("src/a.py", OUTPUT)).did(ran("make test", OUTPUT), said=said)
    trim = TRIMS[name](chat.messages)
    assert trim.changed
    with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
        memory.observe(trim.messages, session="s")
        assert [fact.content for fact in memory.facts() if TRIMMED_OPEN in fact.content] == []
