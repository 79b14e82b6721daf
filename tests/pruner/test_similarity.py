"""Which facts are one, which cannot both be true, and which stand side by side."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.model import Category
from cfpm.pruner.candidates import block_keys
from cfpm.pruner.relation.contradiction import contradicts
from cfpm.pruner.relation.sameness import same
from cfpm.text.quantities.slots import topic_and_value

SAME = [
    ("The user prefers dark mode", "the user prefers dark mode."),
    ("I don't like olives", "I do not like olives"),
    ("The deploys are run by Jenkins", "Jenkins runs the deploys"),
    ("Use the time zone UTC in logs", "Use the timezone UTC in logs"),
    ("Tests live in the test directory", "Tests live in the test folder"),
    ("We have bought a second server", "We have purchased a second server"),
    ("The config file is in src/app.toml", "The configuration file is in ./src/app.toml"),
    ("In the evening, she reads novels", "She reads novels in the evening"),
    ("The script, which is slow, runs nightly", "The slow script runs nightly"),
    ("The authorization form is required", "The authorisation form is required"),
    ("We release every Monday", "We release each Monday"),
    ("No, we don't deploy on Fridays", "We don't deploy on Fridays"),
    ("我喜欢喝咖啡", "我喜爱喝咖啡。"),
    ("所有服务使用虚拟环境", "所有服务采用虚拟环境"),
    ("一名男子负责部署", "一个男人负责部署"),
]

DIFFERENT = {
    "a number": ("The client makes 10 retries per request", "The client makes 20 retries per request"),
    "a number in words": ("three workers handle the mail queue", "four workers handle the mail queue"),
    "a Chinese number": ("每周开三次会", "每周开四次会"),
    "a version": ("All services in the cluster use Python 3.11", "All services in the cluster use Python 3.12"),
    "a date": ("Release on 2024-05-03 from the stable branch", "Release on 2024-05-04 from the stable branch"),
    "a unit": ("The token expires in 10 minutes", "The token expires in 10 hours"),
    "a unit on the number": ("The gateway waits for 30s", "The gateway waits for 30m"),
    "a currency": ("The budget is $500 for ads", "The budget is 500 for ads"),
    "not": ("We deploy the site on Fridays", "We don't deploy the site on Fridays"),
    "never": ("Always run the linter before the commit", "Never run the linter before the commit"),
    "no longer": ("I use the old printer", "I no longer use the old printer"),
    "without": ("The service runs with root rights", "The service runs without root rights"),
    "a Chinese negation": ("我喜欢喝咖啡", "我不喜欢喝咖啡"),
    "an antonym": ("The cache is enabled for tests", "The cache is disabled for tests"),
    "a prefix": ("encrypted backups are in the vault", "unencrypted backups are in the vault"),
    "on and off": ("Turn on the lamp in the hall", "Turn off the lamp in the hall"),
    "up and down": ("Scale up the workers at night", "Scale down the workers at night"),
    "a Chinese antonym": ("启用自动保存功能", "禁用自动保存功能"),
    "a path": ("Edit src/app/main.py for the flag", "Edit src/app/main_test.py for the flag"),
    "snake case": ("Call get_user_name to load the profile", "Call get_user_mail to load the profile"),
    "camel case": ("Call getUserName to load the profile", "Call getUserMail to load the profile"),
    "a dotted name": ("Set app.cache.size for the server", "Set app.cache.time for the server"),
    "a flag": ("Use --force with the push command", "Use --force-with-lease with the push command"),
    "a name": ("The report goes to Marta each month", "The report goes to Petra each month"),
    "a name on one side": ("The monthly report of sales goes to Marta", "The monthly report of sales goes"),
    "a quotation": ('Name the branch "stable" for builds', 'Name the branch "candidate" for builds'),
    "I and you": ("I like hiking in the hills", "You like hiking in the hills"),
    "he and she": ("She likes hiking in the hills", "He likes hiking in the hills"),
    "a Chinese person": ("他住在北京市海淀区", "她住在北京市海淀区"),
    "roles": ("The server calls the client", "The client calls the server"),
    "roles in a passive": ("The client is called by the server", "The client calls the server"),
    "a passive without a doer": ("The fish is eaten", "The fish eats"),
    "from and to": ("Move the file from alpha to beta", "Move the file from beta to alpha"),
    "Chinese roles": ("把文件从甲移到乙", "把文件从乙移到甲"),
    "duty": ("You must restart the daemon", "You may restart the daemon"),
    "certainty": ("The job can fail", "The job will fail"),
    "comparison": ("Latency is more than 5 ms", "Latency is less than 5 ms"),
    "at least": ("keep at least 3 copies", "keep at most 3 copies"),
    "only": ("only admins can delete a project", "admins can delete a project"),
    "all and most": ("All tests pass on the branch", "Most tests pass on the branch"),
    "a past state": ("The build was broken", "The build is broken"),
    "what happened and what goes on": ("I sold my car", "I am selling my car"),
    "a condition": ("If the import fails, restart the worker", "The import fails, restart the worker"),
    "a question": ("Is the valve open on the host?", "The valve is open on the host"),
    "another word": ("Serve black coffee in the morning", "Serve black tea in the morning"),
    "two more words": (
        "The nightly export of the customer archive to the vault stays",
        "The nightly export of the customer archive to the vault stays broken abroad",
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words_is_one_fact(one: str, other: str) -> None:
    assert same(one, other, threshold=90).same
    assert same(other, one, threshold=90).same


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_is_one_fact_shares_a_block_key(one: str, other: str) -> None:
    assert set(block_keys(one, Category.NOTE)) & set(block_keys(other, Category.NOTE))


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_one_difference_that_matters_keeps_facts_apart(one: str, other: str) -> None:
    for pair in ((one, other), (other, one)):
        sameness = same(*pair, threshold=60)
        assert not sameness.same
        assert sameness.why


def test_the_guard_that_objects_is_named() -> None:
    assert same("Keep 3 copies of it", "Keep 5 copies of it", threshold=50).why == "numbers differ: 3 and 5"


def test_one_more_word_in_a_long_sentence_is_the_same_fact() -> None:
    long = "The nightly export of the customer archive to the vault runs before breakfast"
    assert same(long, long.replace("nightly", "nightly scheduled"), threshold=85).same
    assert not same(long, long.replace("nightly", "nightly scheduled"), threshold=97).same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The port is 8080", "The port is 9090"),
        ("I live in Berlin", "I live in Paris now"),
        ("I live in Berlin", "Actually, I moved to Paris"),
        ("The project uses tabs in Python", "The project uses spaces in Python"),
        ("My favourite color is blue", "my favorite colour is green"),
        ("The deadline is May 3", "The deadline moved to May 10"),
        ("We use Redis for locking", "We use Memcached for locking"),
        ("I work at Initech", "I work for Globex"),
        ("I prefer tabs over spaces", "I prefer spaces over tabs"),
        ("The default branch is main", "The default branch is develop"),
        ("debug = true", "debug = false"),
        ("Never push to main", "Push to main"),
        ("Always squash commits", "Never squash commits"),
        ("The cache is on", "The cache is off"),
        ("I am a vegetarian", "I am not a vegetarian"),
        ("Deploys happen on Monday", "Deploys happen on Friday"),
        ("我住在北京", "我搬到上海了"),
        ("默认端口是8080", "默认端口改为9090"),
        ("不要使用制表符", "使用制表符"),
        ("我喜欢猫", "我讨厌猫"),
    ],
)
def test_what_cannot_both_be_true_contradicts(one: str, other: str) -> None:
    assert contradicts(one, other)
    assert contradicts(other, one)
    assert not same(one, other, threshold=50).same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The proxy is fast", "The proxy is new"),
        ("The port is 8080", "The port is private"),
        ("The name is required", "The name is optional for guests"),
        ("The port of the proxy is 80", "The port of the app is 90"),
        ("I like cats", "I like dogs"),
        ("I live in Berlin", "I live in Berlin, Germany"),
        ("I live in Berlin", "My sister lives in Paris"),
        ("I might live in Rome", "I live in Paris"),
        ("The project uses Python", "The project uses Docker"),
        ("Alice prefers tabs", "Bob prefers spaces"),
        ("She works at Initech", "He works at Globex"),
        ("A test is slow", "A test is fast"),
        ("I was not happy", "I am happy"),
        ("Is the port 80?", "The port is 90"),
        ("The log is in /var/log/a.log", "The log is rotated daily"),
        ("The user prefers tabs", "The user prefers tabs."),
    ],
)
def test_what_can_both_be_true_does_not_contradict(one: str, other: str) -> None:
    assert contradicts(one, other) == ""
    assert contradicts(other, one) == ""


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The port is 8080", ("port", "8080")),
        ("the port: 8080", ("port", "8080")),
        ("PORT=8080", ("port", "8080")),
        ("I live in New York now.", ("i live in", "New York")),
        ("We use SQLite for tests", ("we use for tests", "SQLite")),
        ("The deadline moved from Monday to Friday", ("deadline", "Friday")),
        ("The fair was moved to June 4 because of the rain", ("fair", "June 4")),
        ("We've raised our budget from $400 to $450", ("budget", "$450")),
        ("My word count has recently climbed to 900", ("my word count", "900")),
        ("see https://example.org/a", ("", "")),
        ("It was moved to Friday", ("", "")),
        ("I prefer vim over nano", ("i prefer nano / vim", "vim")),
        ("My favorite colour is blue", ("my favourite colour", "blue")),
        ("The name of the service is ledger", ("name of the service", "ledger")),
        ("我住在上海", ("我 住在", "上海")),
        ("我的名字是小明", ("我的名字", "小明")),
        ("The proxy is fast", ("", "")),
        ("The grinder is running", ("", "")),
        ("It is 8080", ("", "")),
        ("The port is not 8080", ("", "")),
        ("Is the port 8080?", ("", "")),
        ("If the port is 8080 it works", ("", "")),
        ("", ("", "")),
    ],
)
def test_slot_and_value(sentence: str, expected: tuple[str, str]) -> None:
    assert topic_and_value(sentence) == expected


def test_a_path_is_blocked_by_its_file_name() -> None:
    assert block_keys("src/app/Main.py", Category.ARTIFACT) == ("main.py",)
    assert block_keys("C:\\work\\Main.py", Category.ARTIFACT) == ("main.py",)


def test_numbers_are_no_block_keys_unless_there_is_nothing_else() -> None:
    assert block_keys("8080 is the port", Category.NOTE) == ("port",)
    assert block_keys("8080", Category.NOTE) == ("8080",)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared_in_either_order(one: str, other: str) -> None:
    forth, back = same(one, other, threshold=90), same(other, one, threshold=90)
    assert (forth.same, forth.score) == (back.same, back.score)
    assert 0 <= forth.score <= 100
    assert bool(contradicts(one, other)) == bool(contradicts(other, one))
    assert not (forth.same and contradicts(one, other))
    assert len(block_keys(one, Category.NOTE)) <= 4


WORDS = [
    "the",
    "a",
    "user",
    "server",
    "client",
    "calls",
    "is",
    "not",
    "never",
    "uses",
    "tabs",
    "spaces",
    "3",
    "5",
    "may",
    "must",
    "no",
    "which",
    "by",
    "enabled",
    "Marta",
    "/a/b.py",
    ",",
    ".",
]


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=9), st.lists(st.sampled_from(WORDS), max_size=9))
def test_sentences_of_telling_words_compare_the_same_in_either_order(one: list[str], other: list[str]) -> None:
    a, b = " ".join(one), " ".join(other)
    assert same(a, b, threshold=70).same == same(b, a, threshold=70).same
    assert not (same(a, b, threshold=70).same and contradicts(a, b))
    assert same(a, a, threshold=90).same
    assert contradicts(a, a) == ""
