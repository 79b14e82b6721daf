"""What the user says to have changed takes the place of what was told in the same words; nothing else does."""

import pytest

from cfpm import Memory
from cfpm.model import Status
from cfpm.pruner.meaning import is_another_value
from cfpm.text.changes import is_over, renewed, takes_place
from tests.extractor.remembering import remembered


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("The rehearsal is on Thursday.", "the rehearsal got moved to Friday."),
        ("My tutor is Odile.", "Odile left; my tutor is Rhys."),
        ("My ferry leaves at 18:40.", "The ferry has been rescheduled: it leaves at 20:15."),
        ("Our vault is called plum-1.", "We renamed our vault to pear-1."),
        ("Our editor is Pia.", "Pia is gone, Jens is our editor now."),
        ("The kiosk opens at 9.", "Starting this month the kiosk opens at 10."),
        ("I work at a dairy in Turin.", "I don't work at the dairy any more."),
        ("例会在周三。", "例会改到周四了。"),
        ("我的导师是陈教授。", "我换导师了，现在是吴教授。"),
        ("店铺在二楼。", "店铺搬到一楼了。"),
    ],
)
def test_what_has_changed_takes_the_place_of_the_older(said: str, then: str) -> None:
    assert said not in remembered(said, then)


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("The report is late.", "The report moved to Drive."),
        ("My tutor is Odile.", "Jens left the choir now."),
        ("The kiosk opens at 9.", "The bakery opens at 10 now."),
        ("I drive to work.", "I no longer drive at night."),
    ],
)
def test_another_matter_does_not(said: str, then: str) -> None:
    assert not is_over(then, said)
    assert not any(takes_place(clause, said) for clause in renewed(then))


def test_each_of_several_changes_is_a_fact_of_its_own() -> None:
    with Memory.open(":memory:") as memory:
        for number, said in enumerate(("Our editor is Pia.", "My tutor is Odile.", "We rent a loft in Graz.")):
            memory.observe([{"id": f"a{number}", "role": "user", "content": said}])
        changes = ("Pia is gone, Jens is our editor now.", "Odile left; my tutor is Rhys.")
        for number, said in enumerate(changes):
            memory.observe([{"id": f"b{number}", "role": "user", "content": said}])
        assert all(fact.key for fact in memory.facts())
        active = " ".join(fact.content for fact in memory.facts(status=Status.ACTIVE))
        assert "Jens is our editor now" in active
        assert "my tutor is Rhys" in active


def test_nothing_is_renewed_where_nobody_says_that_it_changed() -> None:
    assert renewed("My tutor is Rhys.") == ()


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The rehearsal is in hall 4.", "The rehearsal is in hall 7."),
        ("Our vet is Dr. Amsel.", "Our vet is Dr. Specht."),
        ("Pull requests go to Odile.", "Pull requests go to Rhys."),
    ],
)
def test_the_same_with_another_value(newer: str, older: str) -> None:
    assert is_another_value(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The rehearsal is in hall 4.", "The rehearsal is in hall 4."),
        ("The rehearsal is not in hall 4.", "The rehearsal is in hall 7."),
        ("The rehearsal for the wind players and the choir is in hall 4.", "The tea is in hall 7."),
        ("Is the rehearsal in hall 4?", "The rehearsal is in hall 7."),
    ],
)
def test_another_statement_is_no_other_value(newer: str, older: str) -> None:
    assert not is_another_value(newer, older)
