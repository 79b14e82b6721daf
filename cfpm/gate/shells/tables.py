"""What is known of a shell's commands: the `commands.toml` beside its reader."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def command_tables(shell: str) -> dict[str, Any]:
    """The tables of a shell, named as its folder; their lists as sets. Read once."""
    import tomllib
    from importlib.resources import files

    text = (files(f"cfpm.gate.shells.{shell}") / "commands.toml").read_text(encoding="utf-8")
    tables: dict[str, Any] = _with_sets(tomllib.loads(text))
    return tables


def _with_sets(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_sets(item) for key, item in value.items()}
    return frozenset(value) if isinstance(value, list) else value
