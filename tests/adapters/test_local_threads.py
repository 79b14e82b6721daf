"""The local provider under many threads: nothing is lost, and what fails is told."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest
from cfpm_adapters import LocalProvider

from cfpm import Memory
from tests.processes import HUNG

THREADS, SAVES = 20, 10


@pytest.mark.slow
def test_two_hundred_saves_of_twenty_threads_are_all_there(tmp_path: Path) -> None:
    provider = LocalProvider(f"sqlite:///{tmp_path / 'memory.db'}")
    begin = threading.Barrier(THREADS)

    def say(thread: int) -> None:
        begin.wait(HUNG)
        for number in range(SAVES):
            said = f"From now on, call ticket {thread}-{number} by its number."
            provider.save(f"agent {thread % 3}", [{"role": "user", "content": said}], session=f"s{thread}")
            provider.load(f"agent {thread % 3}", "ticket")

    threads = [threading.Thread(target=say, args=(thread,)) for thread in range(THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(HUNG)
    assert (provider.failures, provider.last_failure) == (0, "")
    provider.close()
    with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}") as memory:
        stored = {
            row.message.text
            for thread in range(THREADS)
            for row in memory.store.log.messages("default", session=f"s{thread}")
        }
        assert len(stored) == THREADS * SAVES
        assert [check for check in memory.doctor() if not check.ok] == []


def test_what_fails_stands_in_the_log_without_secrets(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    provider = LocalProvider(f"sqlite:///{tmp_path / 'nowhere' / 'memory.db'}")
    with caplog.at_level(logging.WARNING, "cfpm.provider"):
        provider.save("cook", [{"role": "user", "content": "x"}])
        provider.save("cook", [{"role": "ghp_0123456789abcdefghijABCDEFGHIJ012345", "content": "x"}])
    assert provider.failures == 2
    assert "nowhere" in caplog.messages[0]
    assert "ghp_0123456789" not in " ".join(caplog.messages)
