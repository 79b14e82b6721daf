"""Starts the processes of the fault tests with the project on their path."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.processes import HUNG

ROOT = Path(__file__).parents[2]


def start(module: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    """`python -m tests.faults.MODULE ARGUMENTS`."""
    return subprocess.Popen(
        [sys.executable, "-m", f"tests.faults.{module}", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(module: str, *arguments: object) -> str:
    """What the process printed; fails the test with what it complained of if it did not end well."""
    process = start(module, *arguments)
    out, err = process.communicate(timeout=HUNG)
    assert process.returncode == 0, err
    return out
