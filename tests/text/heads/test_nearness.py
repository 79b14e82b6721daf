"""Which earlier statements are worth reading beside a newer one, by the weights that ship."""

from __future__ import annotations

from cfpm.text.heads.nearness import LEAST, Closeness, Older, closeness, likelihoods, nearest, values

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


def test_half_of_the_nearest_are_near_by_words_and_half_by_meaning() -> None:
    by_words, by_meaning = [0.9, 0.8, 0.7, 0.1, 0.1], [0.1, 0.1, 0.2, 0.3, 0.9]
    assert nearest(by_words, by_meaning, 4, 0.2) == [0, 1, 3, 4]


def test_what_is_far_by_words_leaves_its_room_to_what_is_near_by_meaning() -> None:
    assert nearest([0.1, 0.1, 0.1], [0.5, 0.0, 0.4], 2, 0.2) == [0, 2]


def test_without_vectors_of_what_was_said_words_find_all() -> None:
    assert nearest([0.3, 0.9, 0.1, 0.5], [0.0, 0.0, 0.0, 0.0], 4, 0.2) == [1, 3, 0]
    assert nearest([0.3, 0.9, 0.1, 0.5], [0.0, 0.0, 0.0, 0.0], 2, 0.2) == [1, 3]


def test_how_close_one_is_among_others() -> None:
    assert closeness([0.5, 0.9, 0.7]) == [Closeness(0.5, 2, -0.4), Closeness(0.9, 0, 0.2), Closeness(0.7, 1, -0.2)]


def test_one_by_itself_has_nothing_next_to_it() -> None:
    assert closeness([0.6]) == [Closeness(0.6, 0, 0.6)]
    assert closeness([]) == []
