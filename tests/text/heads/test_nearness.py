"""Which earlier statements are worth reading beside a newer one, by the weights that ship."""

from __future__ import annotations

from cfpm.text.heads.nearness import LEAST, Older, likelihoods, values

NEWER = "The kiln now fires on Thursday nights."


def test_what_is_about_the_same_thing_is_likeliest() -> None:
    older = [Older("The cat sleeps in the studio.", 0.3, 0.2, 1), Older("We fire the kiln on Mondays.", 0.7, 0.7, 2)]
    unlikely, likely = likelihoods(NEWER, older)
    assert unlikely < likely
    assert likely > LEAST


def test_the_same_meaning_counts_beside_the_same_words() -> None:
    told = "We fire the kiln on Mondays."
    far, near = likelihoods(NEWER, [Older(told, 0.5, 0.1, 1), Older(told, 0.5, 0.8, 1)])
    assert far < near


def test_of_equals_what_was_said_last_is_likelier() -> None:
    told = "We fire the kiln on Mondays."
    first, second = (one["before"] for one in values(NEWER, [Older(told, 0.5, 0.5, 7), Older(told, 0.5, 0.5, 9)]))
    assert (first, second) == (0.5, 0.0)


def test_without_an_older_one_there_is_nothing_to_read() -> None:
    assert likelihoods(NEWER, []) == []
