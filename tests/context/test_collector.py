"""Work inside is not interrupted by the collector of cycles, and whoever set it finds it as it was."""

import gc
from collections.abc import Iterator

import pytest

from cfpm.context.collector import uncollected


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    enabled = gc.isenabled()
    yield
    (gc.enable if enabled else gc.disable)()


def test_nothing_is_collected_inside_and_it_is_switched_on_again_behind() -> None:
    gc.enable()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_error_inside_switches_it_on_again() -> None:
    gc.enable()
    with pytest.raises(ValueError, match="torn"), uncollected():
        raise ValueError("torn")
    assert gc.isenabled()


def test_a_host_without_a_collector_keeps_none() -> None:
    gc.disable()
    with uncollected():
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_inside_one_another_the_outer_one_decides() -> None:
    gc.enable()
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_function_can_be_run_so() -> None:
    gc.enable()

    @uncollected()
    def seen() -> bool:
        return gc.isenabled()

    assert [seen(), seen(), gc.isenabled()] == [False, False, True]
