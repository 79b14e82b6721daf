"""Data files in TOML beside the modules that read them, read once each, and only where they are asked for."""

from __future__ import annotations

from functools import cache
from typing import Any

from cfpm.model.bytecode import kept


@cache
def toml_table(package: str, name: str) -> dict[str, Any]:
    """The file `name`.toml in the folder of a package. Everybody gets the same table: it is not to be changed."""
    from pkgutil import get_data  # importlib.resources takes 20 ms to load, a tenth of a decision of the gate

    text = (get_data(package, f"{name}.toml") or b"").decode()
    table: dict[str, Any] = kept("toml", text, lambda: _parsed(text))
    return table


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)
