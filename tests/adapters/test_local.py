from pathlib import Path

from cfpm_adapters import LocalProvider, Provider

from cfpm.model.markers import BLOCK_OPEN, RUNTIME_PREFIX
from cfpm.settings import Settings

SAID = [
    {"id": "1", "role": "user", "content": "From now on, always answer in Norwegian."},
    {"id": "2", "role": "assistant", "content": "Skal bli."},
]


def test_the_local_provider_speaks_the_protocol(tmp_path: Path) -> None:
    assert isinstance(LocalProvider(str(tmp_path / "memory.db")), Provider)


def test_what_was_saved_is_loaded_in_a_labelled_block(tmp_path: Path) -> None:
    provider = LocalProvider(f"sqlite:///{tmp_path / 'memory.db'}")
    assert provider.load("cook") is None
    provider.save("cook", SAID, session="s")
    provider.save("cook", SAID, session="s")
    block = provider.load("cook", "which language?")
    assert block is not None
    assert block.startswith(BLOCK_OPEN)
    assert block.count("always answer in Norwegian") == 1
    provider.close()
    provider.close()


def test_a_failing_store_never_stops_the_turn_and_is_counted(tmp_path: Path) -> None:
    provider = LocalProvider(f"sqlite:///{tmp_path / 'nowhere' / 'memory.db'}")
    provider.save("cook", SAID)
    assert provider.load("cook") is None
    assert provider.failures == 2
    assert "nowhere" in provider.last_failure


def test_wrong_messages_are_counted_too(tmp_path: Path) -> None:
    provider = LocalProvider(f"sqlite:///{tmp_path / 'memory.db'}")
    provider.save("cook", [{"role": "wizard", "content": "x"}])
    assert "wizard" in provider.last_failure


def test_the_runtime_message_follows_the_visibility(tmp_path: Path) -> None:
    heard: list[str] = []
    loud = LocalProvider(str(tmp_path / "a.db"), settings=Settings(visibility="debug"), notify=heard.append)
    loud.save("cook", SAID)
    assert heard[0].startswith(RUNTIME_PREFIX)
    quiet = LocalProvider(str(tmp_path / "b.db"), settings=Settings(visibility="off"), notify=heard.append)
    quiet.save("cook", SAID)
    assert len(heard) == 1
