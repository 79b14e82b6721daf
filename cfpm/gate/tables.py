"""The data files of the gate, read once each, and only where a command or a message asks for them."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def read_table(name: str) -> dict[str, Any]:
    """The TOML table of this name below the room's folder, such as `shells/cmd/commands`; its lists as sets."""
    import tomllib
    from pkgutil import get_data  # importlib.resources takes 20 ms to load, a tenth of a decision

    loaded: dict[str, Any] = _with_sets(tomllib.loads((get_data("cfpm.gate", f"{name}.toml") or b"").decode()))
    return loaded


def _with_sets(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_sets(item) for key, item in value.items()}
    return frozenset(value) if isinstance(value, list) else value
