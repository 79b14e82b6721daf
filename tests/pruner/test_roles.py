"""Which other ways of putting a sentence leave it the same fact, and which close ones make it another."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.model import Category
from cfpm.pruner.candidates import block_keys
from cfpm.pruner.relation.roles import may_be_turned, same_roles
from cfpm.pruner.relation.sameness import same

ONE_FACT = {
    "a passive turned round": (
        "The backups are being checked by the night shift",
        "The night shift is checking the backups",
    ),
    "a passive with a phrase on either noun": (
        "The plants in the hall are watered by my neighbour",
        "My neighbour waters the plants in the hall",
    ),
    "a passive whose doer is described": (
        "The report is being written by a student who is living in Bonn",
        "A student who is living in Bonn is writing the report",
    ),
    "a passive that gives": ("The guests are sent a reminder by the bot", "The bot sends a reminder to the guests"),
    "which is": ("The router that is small is under the desk", "The small router is under the desk"),
    "which is doing": ("The tests which are failing are old", "The failing tests are old"),
    "which is this and that": ("A lamp, which is old and red, is in the cellar", "A red old lamp is in the cellar"),
    "adjectives behind commas": (
        "My aunt is buying curtains which are black, red and white",
        "My aunt is buying white, black and red curtains",
    ),
    "who is doing": ("A robot which is cleaning the pool is beeping", "A robot cleaning the pool is beeping"),
    "who is somewhere": (
        "The nurse who is at the desk is calling the patient",
        "The nurse at the desk is calling the patient",
    ),
    "of": ("The roof of the barn is leaking", "The barn roof is leaking"),
    "of, of persons": ("The laptop of my sister is in the car", "My sister's laptop is in the car"),
    "for": ("She keeps the glasses for reading in the attic", "She keeps the reading glasses in the attic"),
    "used for": ("The script used for deployment is in the repo", "The deployment script is in the repo"),
    "made of": ("The wall which is made of brick is in the yard", "The brick wall is in the yard"),
    "two things at a time": (
        "The job is compiling the code and uploading the logs",
        "The job is uploading the logs and compiling the code",
    ),
    "two clauses": (
        "The proxy is dropping requests and the worker is retrying",
        "The worker is retrying and the proxy is dropping requests",
    ),
    "an adverb of mood": ("The intern is patiently migrating the tables", "The intern is migrating the tables"),
    "an adverb of care": ("My sister is carefully packing the glasses", "My sister is packing the glasses"),
    "an adverb of mood in a passive order": (
        "My aunt is happily feeding the horse of the farmer",
        "My aunt is feeding the horse of the farmer",
    ),
    "up": ("My dad is cutting up the old fence", "My dad is cutting the old fence"),
    "a little child": ("A little girl rang the bell of the shop", "A young girl rang the bell of the shop"),
    "some": ("The cook is frying some onions", "The cook is frying onions"),
}

OTHER_FACTS = {
    "to whom and by whom": ("The report was sent to Anna", "The report was sent by Anna"),
    "for whom and whom": ("I paid for Marta", "I paid Marta"),
    "roles": ("The backups are checking the night shift", "The night shift is checking the backups"),
    "roles in two passives": ("The server is called by the client", "The client is called by the server"),
    "roles of names": ("Marta is paid by Petra", "Marta pays Petra"),
    "a passive without a doer": ("The pump is repaired by noon", "The pump repairs at noon"),
    "who is given something": ("The bot is sending the guests a reminder", "The guests are sending the bot a reminder"),
    "who is given something in a passive": (
        "The admins are sent a report by the bot",
        "The bot is sent a report by the admins",
    ),
    "from and to": ("The data is copied from alpha to beta by a job", "A job copies the data from beta to alpha"),
    "another noun described": (
        "The worker which is idle is calling the busy server",
        "The worker which is busy is calling the idle server",
    ),
    "adjectives of another noun": ("The tall man feeds the small dog", "The small man feeds the tall dog"),
    "whose doing": (
        "The nurse who is holding the goat is chasing the hen",
        "The nurse who is holding the hen is chasing the goat",
    ),
    "whom and who": ("This is the client that the server is calling", "This client is calling the server that is"),
    "of the other": ("The owner of the company is suing the bank", "The company of the owner is suing the bank"),
    "of what": ("The manager of Marta visits the office of Petra", "The manager of Petra visits the office of Marta"),
    "for the other": (
        "The database for tests is on the server for builds",
        "The database for builds is on the server for tests",
    ),
    "where which of two is": (
        "The proxy in Berlin is calling the server in Paris",
        "The proxy in Paris is calling the server in Berlin",
    ),
    "who wears what": (
        "A man in a red coat is paying a woman in a blue hat",
        "A man in a blue hat is paying a woman in a red coat",
    ),
    "what is done to which": (
        "The fan is cooling the server and heating the room",
        "The fan is cooling the room and heating the server",
    ),
    "which of two clauses": (
        "Alice is paying Bob and Carol is calling Dave",
        "Carol is paying Bob and Alice is calling Dave",
    ),
    "first and then": (
        "The job is building the image and then pushing the tag",
        "The job is pushing the tag and then building the image",
    ),
    "steps": ("Build and sign the image", "Sign and build the image"),
    "a reason": (
        "The server is failing because the proxy is restarting",
        "The proxy is restarting because the server is failing",
    ),
    "used and made": (
        "The script Marta used for the report is slow",
        "The script Marta made for the report is slow",
    ),
    "used no more": (
        "The lathe is used for chairs in the shed",
        "The lathe is not used for chairs in the shed",
    ),
    "time of a description": ("The file that was locked is the log", "The file that is locked is the log"),
    "up is not off": ("The cook is cutting up the fish", "The cook is cutting off the fish"),
}

NEWS = ["hardly", "barely", "rarely", "nearly", "almost", "only", "constantly", "partially", "manually", "locally"]
NEWS += ["temporarily", "silently", "wrongly", "slowly", "carelessly", "illegally", "allegedly", "publicly"]
"""Adverbs that change what is claimed, or are what is claimed."""


@pytest.mark.parametrize(("one", "other"), ONE_FACT.values(), ids=ONE_FACT)
def test_the_same_put_another_way_is_one_fact(one: str, other: str) -> None:
    assert same(one, other, threshold=90).same
    assert same(other, one, threshold=90).same
    assert set(block_keys(one, Category.NOTE)) & set(block_keys(other, Category.NOTE))


@pytest.mark.parametrize(("one", "other"), OTHER_FACTS.values(), ids=OTHER_FACTS)
def test_the_same_words_in_other_roles_are_two_facts(one: str, other: str) -> None:
    for pair in ((one, other), (other, one)):
        sameness = same(*pair, threshold=60)
        assert not sameness.same
        assert sameness.why


@pytest.mark.parametrize("adverb", NEWS)
def test_an_adverb_that_says_something_keeps_facts_apart(adverb: str) -> None:
    plain = "The nightly job is rewriting the customer records of the northern branch in the archive"
    assert not same(plain, plain.replace("is ", f"is {adverb} "), threshold=60).same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My aunt drives her old car carefully", "My aunt drives her old car"),
        ("Carefully rotate the keys", "Rotate the keys"),
        ("The guard is carefully closing the gate", "The guard is sadly closing the gate"),
        ("The guard is not gladly closing the gate", "The guard is gladly closing the gate"),
        ("The guard is gladly closing the gate", "The guard is closing the gate tonight"),
    ],
)
def test_manner_is_left_out_only_where_it_colours_what_goes_on(one: str, other: str) -> None:
    assert not same(one, other, threshold=90).same
    assert not same(other, one, threshold=90).same


def test_an_adverb_of_manner_does_not_hide_another_difference() -> None:
    verdict = same("The guard is gladly closing the gate", "The guard is closing the iron gate", threshold=60)
    assert (verdict.same, verdict.why) == (False, "more than one word differs")


def test_men_and_children_are_no_verbs() -> None:
    assert same("The guests are two men and a child", "The guests are a child and two men", threshold=90).same is False
    assert same("People are waiting", "Persons are waiting", threshold=90).same


def test_texts_that_nothing_can_turn_are_not_read() -> None:
    assert not may_be_turned("The dog licks the baby", "The baby licks the dog")
    assert may_be_turned("The dog is fed by the girl", "The girl is feeding the dog")


def test_words_that_are_spared_or_renamed_do_not_count() -> None:
    one, other = "The old clerk is filing the form", "The form is being filed by the clark"
    assert not same_roles(one, other, renamed=(), spared=("old",))
    assert same_roles(one, other, renamed=(("clerk", "clark"),), spared=("old",))


PARTS = ["the", "a", "dog", "girl", "server", "red", "running", "feeding", "fed", "is", "being", "by", "of", "for"]
PARTS += ["which", "who", "that", "and", "because", "then", "has", "she", "to", "in", "happily", ",", ".", "used", "3"]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=14), st.lists(st.sampled_from(PARTS), max_size=14))
def test_any_two_sentences_compare_the_same_in_either_order(one: list[str], other: list[str]) -> None:
    a, b = " ".join(one), " ".join(other)
    assert same_roles(a, a, renamed=(), spared=())
    for mixed in (b, " ".join(sorted(one))):
        forth, back = (same_roles(*pair, renamed=(), spared=()) for pair in ((a, mixed), (mixed, a)))
        assert forth == back
        assert same(a, mixed, threshold=70).same == same(mixed, a, threshold=70).same
