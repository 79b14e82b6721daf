"""The data files of this room, read once each."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """The TOML table beside this module. Its readers are imported here, since with `tempfile` they cost 30 ms."""
    import tomllib
    from importlib.resources import files

    return tomllib.loads((files("cfpm.transcript") / f"{name}.toml").read_text(encoding="utf-8"))
