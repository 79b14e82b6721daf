"""What a caller passes is checked at the door, and nothing of it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cfpm import CFPMError, Memory

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS: dict[str, Callable[[Memory], Any]] = {
    "a number for a path": lambda memory: memory.documents.add(5),  # type: ignore[arg-type]
    "bytes for a text": lambda memory: memory.documents.add_text(b"words", "a"),  # type: ignore[arg-type]
    "a number for a name": lambda memory: memory.documents.add_text("words", 5),  # type: ignore[arg-type]
    "an empty name": lambda memory: memory.documents.add_text("words", " "),
    "a name of a thousand characters": lambda memory: memory.documents.add_text("words", "a" * 1_000),
    "an empty text": lambda memory: memory.documents.add_text(" \n", "a"),
    "a number to read": lambda memory: memory.documents.read(5),  # type: ignore[arg-type]
    "lines of another kind": lambda memory: memory.documents.read("known", lines=("a", "b")),  # type: ignore[arg-type]
    "one line in a pair": lambda memory: memory.documents.read("known", lines=(1,)),  # type: ignore[arg-type]
    "a sheet and a page": lambda memory: memory.documents.read("known", sheet="a", page=1),
    "nothing to remove": lambda memory: memory.documents.remove(""),
    "a path with a NUL": lambda memory: memory.documents.add("a\0b"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_bad_call_is_named_and_stores_nothing(name: str) -> None:
    with Memory.open("sqlite://") as memory:
        known = memory.documents.add_text("words", "known")
        with pytest.raises(CFPMError):
            CALLS[name](memory)
        assert memory.documents.list() == [known]
