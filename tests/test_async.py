import asyncio
from pathlib import Path

import pytest

from cfpm import AsyncMemory, Category, NotFoundError


def test_the_async_memory_has_the_same_verbs(tmp_path: Path) -> None:
    async def session() -> None:
        async with AsyncMemory.open(f"sqlite:///{tmp_path / 'memory.db'}", namespace="user:kim") as memory:
            said = [{"id": "1", "role": "user", "content": "I prefer tabs over spaces."}]
            reports = await asyncio.gather(*(memory.observe(said, session="s") for _ in range(5)))
            assert [report.accepted for report in reports] == [1, 0, 0, 0, 0]
            fact = await memory.remember("Deploys happen on Tuesdays", category=Category.NOTE, pin=True)
            assert "Tuesdays" in (await memory.recall("deploy")).block
            assert (await memory.forget(fact.id)).status == "forgotten"
            with pytest.raises(NotFoundError):
                await memory.fact("fact_none")

    asyncio.run(session())


def test_a_failed_opening_leaves_no_thread_behind(tmp_path: Path) -> None:
    import threading

    async def session() -> None:
        with pytest.raises(Exception, match="nowhere"):
            await AsyncMemory.open(f"sqlite:///{tmp_path / 'nowhere' / 'memory.db'}")

    asyncio.run(session())
    assert not [t for t in threading.enumerate() if t.name.startswith("cfpm")]
