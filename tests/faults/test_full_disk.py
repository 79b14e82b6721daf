"""A disk that takes no more: a clear error, earlier turns intact, nothing of the failed one; with room it goes on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.processes import ROOT, run
from tests.faults.turns import MESSAGES
from tests.processes import HUNG

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow(5), pytest.mark.skipif(sys.platform == "win32", reason="no resource limits on Windows")]

SMALL_DISK = 'mount -t tmpfs -o size=3m cfpm "$1" && shift && exec "$@"'
"""Mounts in a namespace that ends with the process, so that nothing is left mounted whatever happens."""


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    told = json.loads(run("full", "limit", tmp_path))
    _check(told)
    assert "the disk reported an error" in told["error"] or "the disk is full" in told["error"]


def test_a_full_disk(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    if not _may_mount(folder):
        pytest.skip("this user may not mount a small disk")
    told = json.loads(_on_small_disk(folder, sys.executable, "-m", "tests.faults.full", "disk", str(folder)))
    _check(told)
    assert "the disk is full" in told["error"]
    assert "Free some space" in told["error"]


def test_the_command_ends_with_a_sentence_and_exit_code_1(tmp_path: Path) -> None:
    session = tmp_path / "session.jsonl"
    line = json.dumps({"role": "user", "content": "Always run the tests with `make test`. " * 50})
    session.write_text(f"{line}\n" * 500, encoding="utf-8")
    limited = (
        "import resource, sys; from cfpm.cli import main; import cfpm.memory; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000)); main(sys.argv[1:])"
    )
    arguments = [sys.executable, "-c", limited, "observe", str(session), "--db", str(tmp_path / "memory.db")]
    done = subprocess.run(arguments, cwd=ROOT, check=False, capture_output=True, text=True, timeout=HUNG)
    assert done.returncode == 1, done.stderr
    assert "memory.db" in done.stderr
    assert "this step was rolled back" in done.stderr
    assert "Traceback" not in done.stderr


def _check(told: dict[str, Any]) -> None:
    assert "memory.db" in told["error"]
    assert "what was stored is intact" in told["error"]
    assert told["turns"] >= 10
    assert told["stored"] == told["turns"] * MESSAGES, "something of the failed turn stayed, or an earlier one went"
    assert told["readable"] > 0
    assert told["complaints"] == []
    assert told["same"], "after the fault the memory differs from one that never met it"


def _may_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "--mount", "sh", "-c", SMALL_DISK, "sh", str(folder), "true"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0


def _on_small_disk(folder: Path, *command: str) -> str:
    wrapped = ["unshare", "--mount", "sh", "-c", SMALL_DISK, "sh", str(folder), *command]
    done = subprocess.run(wrapped, cwd=ROOT, check=False, capture_output=True, text=True, timeout=HUNG)
    assert done.returncode == 0, done.stderr
    return done.stdout
