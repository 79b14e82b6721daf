"""`cfpm mcp` as hosts start it: over standard input and output, over HTTP, several at once, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cfpm import Memory, utc_now
from tests.processes import HUNG

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.slow

SERVE = ["-m", "cfpm", "mcp"]
ASKED = {"query": "Which port does staging use?"}


@pytest.fixture
def db(tmp_path: Path) -> Path:
    file = tmp_path / "memory.db"
    with Memory.open(f"sqlite:///{file}", clock=utc_now) as memory:
        memory.observe([{"role": "user", "content": "We use port 8081 for staging."}], session="s1")
    return file


def connected(target: Any, mode: Any = "auto") -> Any:
    """The SDK's own client; what it answers is read by the shape that a host sees."""
    return Client(target, mode=mode)


def stdio(db: Path, **env: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=[*SERVE, "--db", str(db)], env={**os.environ, **env}, cwd=db.parent
    )


@contextmanager
def process(*options: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = subprocess.Popen([sys.executable, *SERVE, *options], text=True, cwd=cwd, **pipes)  # type: ignore[call-overload]
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


@contextmanager
def over_http(db: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with process("--http", "--port", "0", "--json", "--db", str(db), cwd=db.parent) as running:
        assert running.stdout is not None
        yield running, json.loads(running.stdout.readline())["address"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_standard_input_and_output(db: Path, mode: str) -> None:
    async def ask() -> None:
        async with connected(stdio(db), mode=mode) as client:
            assert len((await client.list_tools()).tools) == 9
            assert "8081" in (await client.call_tool("recall", ASKED)).content[0].text
            assert (await client.call_tool("open", {"id": "none"})).is_error
            assert not (await client.call_tool("brief", {})).is_error

    asyncio.run(asyncio.wait_for(ask(), HUNG))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_over_http_with_several_clients_at_once(db: Path, mode: str) -> None:
    async def agent(url: str, name: str) -> None:
        async with connected(url, mode=mode) as client:
            for number in range(5):
                note = {"text": f"The {name} worker number {number} listens on a port of its own", "session": name}
                assert (await client.call_tool("remember", note)).structured_content["stored"]
                assert "8081" in (await client.call_tool("recall", ASKED)).content[0].text

    async def all_of_them(url: str) -> None:
        await asyncio.gather(*(agent(url, name) for name in ("red", "green", "blue")))

    with over_http(db) as (_, url):
        asyncio.run(asyncio.wait_for(all_of_them(url), HUNG))
    with Memory.open(f"sqlite:///{db}", read_only=True) as memory:
        learnt = [fact.content for fact in memory.facts() if "worker number" in fact.content]
    assert len(learnt) == 15


def test_two_servers_on_one_memory_know_what_the_other_learnt(db: Path) -> None:
    async def ask() -> None:
        async with connected(stdio(db)) as one, connected(stdio(db)) as other:
            assert not (await other.call_tool("recall", {"query": "metrics port"})).is_error
            note = {"text": "The metrics port is 9100 in the container", "session": "s1"}
            assert (await one.call_tool("remember", note)).structured_content["stored"]
            assert "9100" in (await other.call_tool("recall", {"query": "metrics port"})).content[0].text

    asyncio.run(asyncio.wait_for(ask(), HUNG))


def test_it_ends_in_order_at_the_end_of_its_input_and_says_nothing_else(db: Path) -> None:
    with process("--db", str(db), cwd=db.parent) as running:
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        }
        out, err = running.communicate(json.dumps(hello) + "\n", timeout=HUNG)
        assert running.returncode == 0
        lines = [json.loads(line) for line in out.splitlines()]
        assert [line["id"] for line in lines] == [1]
        assert lines[0]["result"]["serverInfo"]["name"] == "cfpm"
        assert err == ""


@pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_it_ends_in_order_when_told_to_while_the_host_still_listens(db: Path, name: str) -> None:
    with process("--db", str(db), cwd=db.parent) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        running.stdin.flush()
        assert running.stdout.readline()
        running.send_signal(getattr(signal, name))
        assert running.wait(HUNG) == 0


@pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows")
def test_over_http_it_ends_in_order(db: Path) -> None:
    with over_http(db) as (running, _):
        running.send_signal(signal.SIGTERM)
        assert running.wait(HUNG) == 0


def test_a_page_under_another_name_is_refused(db: Path) -> None:
    with over_http(db) as (_, url):
        for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
            request = urllib.request.Request(
                url, b"{}", {"Content-Type": "application/json", "Accept": "application/json", **headers}
            )
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=HUNG)
            with refused.value:
                assert refused.value.code in (403, 421)


def test_a_locked_database_is_an_error_of_the_call(db: Path) -> None:
    async def ask() -> None:
        async with connected(stdio(db, CFPM_BUSY_TIMEOUT="0.2")) as client:
            assert not (await client.call_tool("recall", ASKED)).is_error
            note = {"text": "The metrics port is 9100 in the container", "session": "s1"}
            holder = sqlite3.connect(db, isolation_level=None)
            try:
                holder.execute("BEGIN EXCLUSIVE")
                locked = await client.call_tool("remember", note)
                assert locked.is_error
                assert "locked" in locked.content[0].text
            finally:
                holder.close()
            assert (await client.call_tool("remember", note)).structured_content["stored"]

    asyncio.run(asyncio.wait_for(ask(), HUNG))


@pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows")
def test_killed_in_the_middle_nothing_that_was_acknowledged_is_lost(db: Path) -> None:
    acknowledged: list[str] = []

    async def ask(url: str, pid: int) -> None:
        async with connected(url) as client:
            for number in range(12):
                note = {"text": f"The worker number {number} listens on a port of its own", "session": "s1"}
                done = (await client.call_tool("remember", note)).structured_content
                acknowledged.append(done["fact_id"])
                if number == 8:
                    os.kill(pid, signal.SIGKILL)

    with over_http(db) as (running, url), pytest.raises(BaseException):  # noqa: B017, PT011
        asyncio.run(asyncio.wait_for(ask(url, running.pid), HUNG))
    assert len(acknowledged) >= 9
    with Memory.open(f"sqlite:///{db}") as memory:
        assert {memory.fact(name).status for name in acknowledged} == {"active"}
        assert all(check.ok for check in memory.doctor())


def test_a_first_call_makes_the_memory_in_an_empty_folder(tmp_path: Path) -> None:
    async def ask() -> None:
        async with connected(stdio(tmp_path / "new.db")) as client:
            assert not (tmp_path / "new.db").exists()
            assert "nothing is remembered" in (await client.call_tool("recall", ASKED)).content[0].text

    asyncio.run(asyncio.wait_for(ask(), HUNG))
    assert (tmp_path / "new.db").exists()


def test_a_port_without_http_is_wrong_usage(tmp_path: Path) -> None:
    with process("--port", "1", cwd=tmp_path) as running:
        _, err = running.communicate(timeout=HUNG)
        assert running.returncode == 2
        assert "--http" in err
