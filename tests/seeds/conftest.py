"""The command line for executable rows."""

from __future__ import annotations

from tests.cli.conftest import run

__all__ = ["run"]
