"""The memory beside a framework's agent: it never raises, and never changes the host's history."""

from __future__ import annotations

from pathlib import Path

import pytest
from cfpm_adapters import Companion

from tests.adapters.shells import know_desktop

HISTORY = [
    [{"role": role, "content": f"{text} {number}. " + "Some more words about it. " * 20}]
    for number in range(30)
    for role, text in (("user", "Please read module"), ("assistant", "I have read module"))
]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'memory.db'}"


def test_the_steps_of_one_turn_see_the_same_block_and_the_next_turn_a_new_one(url: str) -> None:
    companion = Companion(url)
    companion.learn([{"role": "user", "content": "We use port 8081 for staging."}], session="s1")
    first = companion.block("Which port?", session="s2", turn=1)
    companion.learn([{"role": "user", "content": "We use port 9100 for metrics."}], session="s3")
    assert companion.block("Which port?", session="s2", turn=1) == first
    assert "9100" in companion.block("Which port?", session="s2", turn=2)
    companion.close()


def test_what_stands_in_the_history_is_not_told_again(url: str) -> None:
    companion = Companion(url)
    history = [
        {"role": "user", "content": "We use port 8081 for staging."},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Which port does staging use?"},
    ]
    companion.learn(history[:2], session="s1")
    assert "8081" not in companion.told(history, session="s1")
    # Another session's history does not hold it, nor what a window leaves out.
    assert "8081" in companion.told(history[2:], session="s2")
    assert "8081" in Companion(url, window=500).told(history, session="s1")
    companion.close()


def test_a_view_names_places_and_leaves_the_history_alone(url: str) -> None:
    companion = Companion(url, window=1_000)
    before = [[dict(part) for part in parts] for parts in HISTORY]
    view = companion.view(HISTORY, session="s1")
    assert view is not None
    places = [one for one in view if isinstance(one, int)]
    assert places == sorted(set(places))
    assert len(places) < len(HISTORY)
    assert places[-1] == len(HISTORY) - 1
    assert any("CFPM_CHECKPOINT_V1" in str(one) for one in view if not isinstance(one, int))
    assert before == HISTORY
    assert Companion(url).view(HISTORY, session="s1") is None
    companion.close()


def test_only_tools_that_are_named_pass_the_gate(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desktop = know_desktop(url, tmp_path / "home", monkeypatch)
    companion = Companion(url, shells={"run_shell": "bash"})
    given = {"command": "ls ~/Desktop", "timeout": 5}
    assert companion.gated("run_shell", given) == {"command": f"ls {desktop}", "timeout": 5}
    assert companion.gated("search", given) == given
    assert companion.gated("run_shell", {"command": 5}) == {"command": 5}
    companion.close()


def test_a_memory_that_fails_is_counted_and_stops_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "memory.db"
    broken.write_bytes(b"no database at all" * 100)
    companion = Companion(f"sqlite:///{broken}", window=1_000, shells={"run_shell": "bash"})
    assert companion.block("Which port?", session="s1") == ""
    assert companion.gated("run_shell", {"command": "ls ~/Desktop"}) == {"command": "ls ~/Desktop"}
    assert companion.view(HISTORY, session="s1") is None
    companion.learn([{"role": "user", "content": "We use port 8081."}], session="s1")
    assert companion.failures == 4
    assert str(broken) in companion.last_failure
