"""A turn that takes long to read is read before it locks the store: others write meanwhile, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cfpm import Memory
from cfpm.model import Draft, Turn
from cfpm.settings import Settings

IMPATIENT = Settings(busy_timeout=0.001)


def observing_with(path: Path, other: list[dict[str, str]], session: str, seen: list[int]) -> list[str]:
    """Texts of the session after a turn in whose reading another memory observed something."""
    url = f"sqlite:///{path}"

    def interrupting(turn: Turn) -> Iterable[Draft]:
        seen.append(turn.index)
        if len(seen) == 1:
            with Memory.open(url, settings=IMPATIENT) as memory:
                memory.observe(other, session=session)
        return ()

    with Memory.open(url, extractors=[interrupting]) as memory:
        memory.observe([{"id": "1", "role": "user", "content": "I prefer green tea."}], session="s")
        assert [check for check in memory.doctor() if not check.ok] == []
        return [row.message.text for row in memory.store.log.messages("default", session="s")]


def test_others_write_while_a_turn_is_read(tmp_path: Path) -> None:
    seen: list[int] = []
    other = [{"role": "user", "content": "Always run the linter."}]
    assert observing_with(tmp_path / "m.db", other, "other", seen) == ["I prefer green tea."]
    assert seen == [0], "what was read ahead is used"


def test_a_turn_whose_place_was_taken_meanwhile_is_read_anew(tmp_path: Path) -> None:
    seen: list[int] = []
    other = [{"id": "0", "role": "user", "content": "Always run the linter."}]
    texts = observing_with(tmp_path / "m.db", other, "s", seen)
    assert texts == ["Always run the linter.", "I prefer green tea."]
    assert seen == [0, 1]


def test_a_turn_that_somebody_else_stored_meanwhile_is_left_alone(tmp_path: Path) -> None:
    seen: list[int] = []
    other = [{"id": "1", "role": "user", "content": "I prefer green tea."}]
    assert observing_with(tmp_path / "m.db", other, "s", seen) == ["I prefer green tea."]
    assert seen == [0]
