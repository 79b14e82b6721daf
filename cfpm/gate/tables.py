"""The data files of the gate, read once each, and only where a command or a message asks for them."""

from __future__ import annotations

from functools import cache
from typing import Any

from cfpm.model.tables import toml_table


@cache
def read_table(name: str) -> dict[str, Any]:
    """The TOML table of this name below the room's folder, such as `shells/cmd/commands`; its lists as sets."""
    loaded: dict[str, Any] = _with_sets(toml_table("cfpm.gate", name))
    return loaded


def _with_sets(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_sets(item) for key, item in value.items()}
    return frozenset(value) if isinstance(value, list) else value
