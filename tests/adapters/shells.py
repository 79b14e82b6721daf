"""A home whose desktop has another name, and a memory that was told so by the host's own shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from cfpm import Memory, utc_now


def know_desktop(url: str, home: Path, monkeypatch: pytest.MonkeyPatch, namespace: str = "default") -> Path:
    """The folder that `~/Desktop` stands for, in a home of its own that is this user's for the test."""
    desktop = home / "Schreibtisch"
    desktop.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    function = {"name": "Bash", "arguments": '{"command": "xdg-user-dir DESKTOP"}'}
    rows = [
        {"role": "user", "content": "Where is the desktop?"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": f"{desktop}\n"},
    ]
    with Memory.open(url, namespace=namespace, clock=utc_now) as memory:
        memory.observe(rows, session="earlier")
    return desktop
