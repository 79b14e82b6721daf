"""Words that take something back let all but the corrected words be said again."""

from __future__ import annotations

import pytest

from cfpm.text.retractions import said_instead, takes_back


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("The parcels go to Ines.", "Wait, not Ines, the parcels go to Rolf."),
        ("The rehearsal starts at 7 pm.", "I misspoke, the rehearsal starts at 8 pm."),
        ("The locker code is K-12.", "Typo on my side, the locker code is K-21."),
        ("We bake on Mondays.", "Change of plans: we bake on Fridays."),
        ("排练在二楼。", "我说错了，排练在四楼。"),
    ],
)
def test_what_is_said_again_but_for_a_word_takes_its_place(said: str, then: str) -> None:
    assert takes_back(said_instead(then), said)


def test_without_a_word_that_takes_back_both_stand() -> None:
    assert said_instead("The rehearsal starts at 8 pm.") == ""


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("The bakery in Graz opens at 6.", "Sorry, one more thing, the bakery in Linz opens at 7."),
        ("I have a cat.", "No, wait, I also have a dog."),
        ("The parcels go to Ines.", "Wait, the rehearsal starts at 8 pm."),
    ],
)
def test_another_matter_takes_no_place(said: str, then: str) -> None:
    assert not takes_back(said_instead(then), said)
