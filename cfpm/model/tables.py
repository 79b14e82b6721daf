"""Data files in TOML beside the modules that read them, read once each, and only where they are asked for."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def toml_table(package: str, name: str) -> dict[str, Any]:
    """The file `name`.toml in the folder of a package. Everybody gets the same table: it is not to be changed."""
    import tomllib
    from pkgutil import get_data  # importlib.resources takes 20 ms to load, a tenth of a decision of the gate

    return tomllib.loads((get_data(package, f"{name}.toml") or b"").decode())
