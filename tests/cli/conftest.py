"""Runs the command in this process, as a shell would, and keeps what it wrote to the two streams."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from cfpm.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SESSION = [
    {"role": "user", "content": "The goal is to release version 2 on Friday. Always run the tests with `make test`."},
    {"role": "assistant", "content": "Understood. I have not fixed the login bug yet."},
    {"role": "user", "content": "I prefer short commit messages. We use port 8080 for staging."},
    {"role": "assistant", "content": "Noted. If we had fixed the cache, the build would be faster."},
    {"role": "user", "content": "Correction: we use port 8081 for staging now."},
]


@dataclass(frozen=True, slots=True)
class Result:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.delenv("CFPM_DB", raising=False)
    monkeypatch.delenv("CFPM_NAMESPACE", raising=False)
    monkeypatch.delenv("CFPM_PROVIDERS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)

    def call(*argv: str | Path, stdin: bytes = b"") -> Result:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main([str(part) for part in argv])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, out, err)

    return call


def as_lines(messages: list[dict[str, Any]]) -> str:
    """OpenAI-style messages as JSON Lines."""
    return "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in messages)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_text(as_lines(SESSION), encoding="utf-8")
    return path


@pytest.fixture
def db(run: Run, session: Path, tmp_path: Path) -> Path:
    """A memory that has observed the session."""
    path = tmp_path / "memory.db"
    assert run("observe", session, "--db", path).code == 0
    return path
