"""What tests of several rooms share: a home whose desktop is called otherwise, and a memory that knows it.

At the end of a run: what was skipped, and how to get what it needs.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import hypothesis
import pytest

from cfpm import Memory
from tests.reference.transcripts import ran, user

# As the command line does: several workers, each with numpy's own threads, take five times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples in every run: a change is judged by what it changed. CFPM_TEST_RANDOM=1 looks for new ones.
# No example fails for being slow: the machine may have other work.
hypothesis.settings.register_profile(
    "same",
    derandomize=not os.environ.get("CFPM_TEST_RANDOM"),
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("same")


_SLOW_FILE = re.compile(r"^pytestmark = \[?pytest\.mark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where slow tests are left out, files that are slow as a whole are not even loaded: the frameworks that they
    import would take half of the time in which all others are collected, by each worker."""
    if config.getoption("markexpr") != "not slow" or collection_path.suffix != ".py":
        return None
    return True if _SLOW_FILE.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest tests come first: a worker that begins one last keeps the others waiting."""
    items.sort(key=lambda item: -_seconds(item))


def _seconds(item: pytest.Item) -> float:
    """About how long a test takes; `slow(10)` says so of those that take many seconds."""
    marker = item.get_closest_marker("slow")
    return 0.0 if marker is None else float((marker.args or (1,))[0])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the reasons of all skipped tests, each with what to install."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in skipped)
    if not reasons:
        return
    terminalreporter.section("not tested here")
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count} skipped: {reason}{_remedy(reason)}")


def _remedy(reason: str) -> str:
    """What to install for a reason that names an extra or a program."""
    if extra := re.search(r"extra `(\w+)`", reason):
        return f". Install it with: pip install 'cfpm[{extra[1]}]'"
    if programs := re.findall(r"\b(?:bash|dash|zsh|pwsh|strace)\b", reason):
        return f". Install it with the packages of your system, say: apt-get install {' '.join(programs)}"
    return ""


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop that is not called so, and the home in which it stands."""
    desktop = tmp_path / "home" / "Schreibtisch"
    desktop.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(desktop.parent))
    return desktop


@pytest.fixture
def known(tmp_path: Path, desktop: Path) -> Path:
    """The file of a memory that has seen where the desktop is."""
    file = tmp_path / "known.db"
    with Memory.open(f"sqlite:///{file}") as memory:
        asked = user("Where is my desktop?", at="2026-11-21T09:00:00Z")
        memory.observe([asked, *ran("xdg-user-dir DESKTOP", f"{desktop}\n")], session="s")
    return file
