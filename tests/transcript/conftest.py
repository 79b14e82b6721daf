"""A file to read, written from text, bytes or JSON values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(name, content)`: bytes and text as they are, a list as JSON Lines for .jsonl, anything else as JSON."""

    def to(name: str, content: object) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_bytes(content.encode())
        elif name.endswith(".jsonl") and isinstance(content, list):
            path.write_bytes("".join(json.dumps(row) + "\n" for row in content).encode())
        else:
            path.write_bytes(json.dumps(content).encode())
        return path

    return to
