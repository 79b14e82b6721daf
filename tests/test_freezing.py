"""Nouns that are made in one step: as frozen, equal and copyable as any frozen dataclass."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from cfpm.freezing import quickly_made
from cfpm.models import Category, Draft, Role, Span


@quickly_made
@dataclass(frozen=True, slots=True)
class Shelf:
    """What the tests put books on."""

    name: str
    places: int = 3
    kind: str = "oak"


def test_fields_are_set_by_place_by_name_and_by_default() -> None:
    assert Shelf("low", kind="pine") == Shelf("low", 3, "pine")
    assert (Shelf("low").places, Shelf("low").kind) == (3, "oak")
    assert repr(Shelf("low")) == "Shelf(name='low', places=3, kind='oak')"


def test_what_is_made_is_of_its_class_and_stays_frozen() -> None:
    shelf = Shelf("low")
    assert type(shelf) is Shelf
    with pytest.raises(FrozenInstanceError):
        shelf.places = 4  # type: ignore[misc]
    with pytest.raises(TypeError):
        Shelf()  # type: ignore[call-arg]


def test_copies_and_hashes_are_those_of_any_dataclass() -> None:
    draft = Draft(Category.NOTE, "the mill is closed", Span("m1", 0, 18), Role.USER, "note.said")
    assert pickle.loads(pickle.dumps(draft)) == copy.deepcopy(draft) == draft
    assert len({draft, replace(draft), replace(draft, confidence=0.1)}) == 2


def test_the_signature_is_kept() -> None:
    assert list(inspect.signature(Shelf).parameters) == ["name", "places", "kind"]
    assert inspect.signature(Shelf).parameters["places"].default == 3


def test_what_cannot_be_made_in_one_step_is_refused() -> None:
    @dataclass(slots=True)
    class Open:
        name: str

    @dataclass(frozen=True, slots=True)
    class WithAList:
        names: list[str] = field(default_factory=list)

    for kind in (Open, WithAList):
        with pytest.raises(TypeError, match=kind.__name__):
            quickly_made(kind)
