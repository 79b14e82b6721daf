"""The data files of this room, read once each."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """The TOML table beside this module. Its readers are imported here, since not every process needs them."""
    import tomllib
    from pkgutil import get_data

    return tomllib.loads((get_data("cfpm.transcript", f"{name}.toml") or b"").decode())
