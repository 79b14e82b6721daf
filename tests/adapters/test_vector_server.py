"""A Chroma server that dies, hangs, loses its folder or is another program: the turn goes on, nothing is lost."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from tests.adapters.remarks import ANSWER, QUESTION, SAID, many
from tests.adapters.serving import ChromaServer, answering, mute
from tests.processes import HUNG

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("chromadb", reason="needs the extra `vector`")

from cfpm_adapters.vector import VectorError, VectorProvider

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unhurried")]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChromaServer]:
    running = ChromaServer(tmp_path / "served")
    running.start()
    yield running
    running.kill()


def provider(folder: Path, where: str, timeout: float = HUNG) -> VectorProvider:
    return VectorProvider(f"sqlite:///{folder / 'memory.db'}", "user:kim", chroma=where, timeout=timeout)


def messages(made: VectorProvider) -> int:
    with Memory.open(made.url, namespace="user:kim") as memory:
        return len(memory.store.log.messages("user:kim", session="s"))


def sound(made: VectorProvider) -> None:
    made.load("cook", "which tower?")
    assert made._index is not None, made.last_failure
    proof = made._index.prove()
    assert (proof.problem, proof.current) == ("", True)
    assert proof.found == proof.sampled > 0


def test_a_server_serves_two_providers_at_once(tmp_path: Path, server: ChromaServer) -> None:
    one, other = provider(tmp_path, server.url), provider(tmp_path, server.url)
    one.save("cook", SAID, session="s")
    other.save("cook", many(5), session="s")
    one.save("cook", many(9), session="s")
    for made in (one, other):
        assert ANSWER in (made.load("cook", QUESTION) or "")
        assert made.failures == 0, made.last_failure
        sound(made)
        made.close()


@pytest.mark.parametrize("moment", [0.0, 0.02, 0.1])
def test_killed_in_the_middle_of_a_write(tmp_path: Path, server: ChromaServer, moment: float) -> None:
    with Memory.open(f"sqlite:///{tmp_path / 'memory.db'}", namespace="user:kim") as memory:
        memory.observe([*SAID, *many(150)], session="s")
    made = provider(tmp_path, server.url)
    seen: list[int] = []

    def timed(done: int, total: int) -> None:
        """On a fast machine the server is stopped before it is killed, so that the last write is still on its way."""
        if not seen:
            killer.start()
        elif len(seen) == 1:
            server.stop()
        seen.append(done)

    killer = threading.Timer(moment, server.kill)
    with pytest.raises(VectorError):
        made.rebuild(timed)
    killer.join()
    made.save("cook", many(1, first=900), session="s")
    assert made.failures == 1
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    assert messages(made) == len(SAID) + 151
    server.start()
    again: list[tuple[int, int]] = []
    made.rebuild(lambda done, total: again.append((done, total)))
    assert again[0][1] < 2 * 155
    sound(made)
    made.close()


def test_killed_in_the_middle_of_a_read(tmp_path: Path, server: ChromaServer) -> None:
    made = provider(tmp_path, server.url)
    made.save("cook", SAID, session="s")
    assert made.failures == 0, made.last_failure
    made.load("cook", "lighthouse")
    assert made.failures == 0, made.last_failure
    killer = threading.Timer(0.05, server.kill)
    killer.start()
    while made.failures == 0:
        assert ANSWER in (made.load("cook", "lighthouse") or "")
    killer.join()
    assert messages(made) == len(SAID)
    server.start()
    made.rebuild()
    sound(made)
    made.close()


def test_its_folder_is_deleted(tmp_path: Path, server: ChromaServer) -> None:
    made = provider(tmp_path, server.url)
    made.save("cook", SAID, session="s")
    server.kill()
    shutil.rmtree(server.folder)
    server.start()
    made.save("cook", many(3), session="s")
    assert made.failures == 1
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    made.rebuild()
    sound(made)
    assert messages(made) == len(SAID) + 3
    made.close()


def test_a_server_that_is_down_costs_one_try_and_then_a_pause(tmp_path: Path, server: ChromaServer) -> None:
    server.kill()
    made = provider(tmp_path, server.url)
    for n in range(5):
        made.save("cook", many(1, first=n), session="s")
        assert made.load("cook", "note") is not None
    assert made.failures == 1
    assert "chroma run --host 127.0.0.1" in made.last_failure
    assert messages(made) == 5
    server.start()
    made.rebuild()
    sound(made)
    made.close()


def test_the_port_is_taken_by_another_program(tmp_path: Path) -> None:
    with answering(b"<html>hello</html>") as where:
        made = provider(tmp_path, where)
        made.save("cook", SAID, session="s")
        assert ANSWER in (made.load("cook", "lighthouse") or "")
    assert "what answers there is not Chroma" in made.last_failure
    assert (made.failures, messages(made)) == (1, len(SAID))
    made.close()


def test_the_port_is_taken_by_a_program_that_says_nothing(tmp_path: Path) -> None:
    with mute() as where:
        made = provider(tmp_path, where, timeout=0.2)
        made.save("cook", SAID, session="s")
        assert ANSWER in (made.load("cook", "lighthouse") or "")
    assert "no answer (timed out)" in made.last_failure
    assert (made.failures, messages(made)) == (1, len(SAID))
    made.close()


def test_the_server_in_python_is_refused(tmp_path: Path) -> None:
    with answering(b'{"nanosecond heartbeat": 1}', server="uvicorn") as where:
        made = provider(tmp_path, where)
        made.save("cook", SAID, session="s")
    assert "CVE-2026-45829" in made.last_failure
    made.close()


def test_a_program_that_only_greets_like_chroma_does_not_hold_up_the_turn(tmp_path: Path) -> None:
    with answering(b'{"nanosecond heartbeat": 1}') as where:
        made = provider(tmp_path, where)
        made.save("cook", SAID, session="s")
        assert ANSWER in (made.load("cook", "lighthouse") or "")
    assert made.failures == 1
    made.close()
