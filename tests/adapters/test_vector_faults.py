"""A folder of Chroma that is lost, broken, deleted or held by another process: the turn goes on, nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cfpm import Memory
from tests.adapters.remarks import ANSWER, SAID, many

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("chromadb", reason="needs the extra `vector`")

from cfpm_adapters.vector import VectorProvider

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("unhurried")]

MESSAGES = 600
"""With their facts more than 1,000 vectors: then Chroma writes its index to files of their own."""

CHILD = """
import sys
from cfpm_adapters.vector import provider
provider.SYNC_SECONDS = 1_200.0
made = provider.VectorProvider(sys.argv[1], "user:kim", chroma=sys.argv[2])
made.save("cook", [{"id": "child", "role": "user", "content": "The cook bought a copper pan."}])
block = made.load("cook", "copper pan") or ""
print("copper pan" in block, made.failures, made.last_failure, flush=True)
sys.stdin.read()
"""


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'memory.db'}"


def provider(folder: Path) -> VectorProvider:
    return VectorProvider(url(folder), "user:kim", chroma=str(folder / "chroma"))


def child(folder: Path) -> subprocess.Popen[str]:
    """Another process that saves and loads, tells how it went, and waits."""
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, url(folder), str(folder / "chroma")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def messages(folder: Path) -> int:
    with Memory.open(url(folder), namespace="user:kim") as memory:
        return sum(
            len(memory.store.log.messages("user:kim", session=name)) for name in memory.store.log.sessions("user:kim")
        )


def restored(made: VectorProvider) -> None:
    """A rebuild makes every sampled message find itself again, and the counts agree."""
    failures = made.failures
    made.rebuild()
    made.load("cook", "which tower?")
    assert made._index is not None, made.last_failure
    proof = made._index.prove()
    assert (proof.problem, proof.current) == ("", True)
    assert proof.found == proof.sampled > 0
    assert made.failures == failures


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with a Chroma whose index is in files."""
    folder = tmp_path_factory.mktemp("vectors")
    with Memory.open(url(folder), namespace="user:kim") as memory:
        memory.observe([*SAID, *many(MESSAGES)], session="s")
    made = provider(folder)
    made.rebuild()
    made.close()
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_second_process_is_refused_by_name_and_its_turn_goes_on(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID)
    process = child(tmp_path)
    found = told(process)
    process.communicate("")
    assert found.startswith("True 1 ")
    assert f"process {os.getpid()} since 2" in found
    assert messages(tmp_path) == len(SAID) + 1
    made.save("cook", [])
    assert made._index is not None
    assert made._index.prove().problem == ""
    made.close()


def test_the_hold_ends_with_its_process_even_when_that_is_killed(tmp_path: Path) -> None:
    process = child(tmp_path)
    assert told(process).startswith("True 0")
    made = provider(tmp_path)
    made.save("cook", SAID)
    assert f"process {process.pid} since 2" in made.last_failure
    process.send_signal(signal.SIGKILL)
    process.communicate()
    restored(made)
    assert messages(tmp_path) == len(SAID) + 1
    made.close()


def test_two_providers_of_one_process_share_the_folder(tmp_path: Path) -> None:
    one, other = provider(tmp_path), provider(tmp_path)
    for made in (one, other):
        made.save("cook", SAID)
    one.close()
    other.save("cook", many(3))
    assert (one.failures, other.failures) == (0, 0)
    process = child(tmp_path)
    assert "has it open" in told(process)
    process.communicate("")
    other.close()


def test_a_folder_deleted_between_two_runs_is_filled_again_by_itself(folder: Path) -> None:
    shutil.rmtree(folder / "chroma")
    made = provider(folder)
    for _ in range(20):
        assert ANSWER in (made.load("cook", "lighthouse") or "")
        if made._index is not None and made._index.follow(1.0):
            break
    assert made.failures == 0
    assert made._index is not None
    assert made._index.prove().problem == ""
    made.close()


def test_a_folder_deleted_under_a_running_provider_is_noticed(tmp_path: Path) -> None:
    made = provider(tmp_path)
    made.save("cook", SAID)
    shutil.rmtree(tmp_path / "chroma")
    made.save("cook", many(2))
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    restored(made)
    assert messages(tmp_path) == len(SAID) + 2
    assert (tmp_path / "chroma" / "chroma.sqlite3").is_file()
    made.close()


def garbled(data: bytes) -> bytes:
    return b"\xff" * len(data)


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


@pytest.mark.parametrize(
    ("pattern", "spoil"),
    [
        ("chroma.sqlite3", garbled),
        ("chroma.sqlite3", half),
        ("*/header.bin", garbled),
        ("*/index_metadata.pickle", half),
        ("*/data_level0.bin", None),
    ],
)
def test_a_broken_folder_is_counted_and_rebuilt(
    folder: Path, pattern: str, spoil: Callable[[bytes], bytes] | None
) -> None:
    for path in (folder / "chroma").glob(pattern):
        if spoil is None:
            shutil.rmtree(path.parent)
        else:
            path.write_bytes(spoil(path.read_bytes()))
    made = provider(folder)
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    made.save("cook", many(1, first=5_000))
    assert made.failures > 0
    assert "reindex --chroma" in made.last_failure
    restored(made)
    assert messages(folder) == len(SAID) + MESSAGES + 1
    made.close()


def test_an_emptied_database_of_chroma_is_filled_again(folder: Path) -> None:
    (folder / "chroma" / "chroma.sqlite3").write_bytes(b"")
    made = provider(folder)
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    restored(made)
    made.close()


def test_half_written_files_of_a_killed_process_do_not_kill_the_next(folder: Path) -> None:
    process = child(folder)
    assert told(process).startswith("True 0")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (path,) = (folder / "chroma").glob("*/data_level0.bin")
    path.write_bytes(path.read_bytes()[:100_000] + bytes(range(256)) * 1_000)
    made = provider(folder)
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    assert made.failures == 1
    assert "reindex --chroma" in made.last_failure
    restored(made)
    assert messages(folder) == len(SAID) + MESSAGES + 1
    made.close()


def test_files_that_kill_whoever_reads_them_kill_only_once(folder: Path) -> None:
    (path,) = (folder / "chroma").glob("*/data_level0.bin")
    path.write_bytes(garbled(path.read_bytes()))
    process = child(folder)
    assert told(process) == ""
    process.communicate("")
    assert process.returncode == -signal.SIGSEGV
    made = provider(folder)
    assert ANSWER in (made.load("cook", "lighthouse") or "")
    assert f"process {process.pid} died while it opened it" in made.last_failure
    made.close()
    again = provider(folder)
    again.load("cook", "lighthouse")
    assert "died while it opened it" in again.last_failure
    restored(again)
    assert len(list((folder / "chroma").glob("broken-1/*/data_level0.bin"))) == 1
    assert messages(folder) == len(SAID) + MESSAGES + 1
    again.close()


def test_files_of_others_in_the_folder_stay(folder: Path) -> None:
    (folder / "chroma" / "notes.txt").write_text("mine")
    (folder / "chroma" / "chroma.sqlite3").write_bytes(b"x" * 10_000)
    made = provider(folder)
    restored(made)
    assert (folder / "chroma" / "notes.txt").read_text() == "mine"
    made.close()
