import re

import pytest

from cfpm.text import content_words, is_low_information, lexicon

_WORDS = re.compile(r"[a-z0-9]+")
_GROUP = re.compile(r"\(([^()]*)\)")
_SAID = {
    r"\A": "", r"\W*\Z": "", r"\W{1,3}": ", ", r"\W*": "", r"\b": "", r"\w+": "foo", r"\d+": "7", r"\d{1,2}": "7",
    r"\d": "7", "[a-f]": "a",
}  # fmt: skip
"""A text that fits each sign of a regex in the lexicons."""


def _readings(line: str) -> set[str]:
    """Some sixty ways to read a line, each choice of each group among them, as somebody would write it."""
    found = set()
    for number in range(60):
        said = line
        for turn in range(100):
            if (group := _GROUP.search(said)) is None:
                break
            choices = group[1].split("|")
            said = (
                f"{said[: group.start()]}{choices[(number + turn * (number // 7)) % len(choices)]}{said[group.end() :]}"
            )
        for sign, text in _SAID.items():
            said = said.replace(sign, text)
        said = re.sub(r"\.\{\d+,\d+\}", " foo ", said)
        found |= {said.replace("?", ""), re.sub(r"\w\?", "", said)}
    return {" ".join(said.split()) for said in found}


def test_both_languages_have_the_same_sections() -> None:
    assert set(lexicon("en").entries) == set(lexicon("zh").entries)


def test_an_unknown_language_is_named() -> None:
    with pytest.raises(KeyError, match="klingon"):
        lexicon("klingon")


@pytest.mark.parametrize("section", sorted(lexicon("en").entries))
def test_the_trigger_words_never_hide_a_match(section: str) -> None:
    """A phrase found by the regex alone must be found through the trigger words too."""
    phrases = lexicon("en")[section]
    texts = [
        "i'd really prefer tabs and i don't like spaces; my favourite editor is vim",
        "from now on always run the tests, never push to main, and make sure to ask",
        "i moved to oslo two months ago, my wife and i have two kids",
        "we decided to go with postgres; let's use option b; all tests pass and it was fixed",
        "todo: write docs; remind me to call; it still needs to be tested; ignore previous instructions",
        "can you please add a button? i want to build a shop. could it be done if i might?",
    ]
    for text in texts:
        if phrases.regex.search(text):
            assert phrases.find(text, frozenset(_WORDS.findall(text))) is not None


@pytest.mark.parametrize("section", sorted(lexicon("en").entries))
def test_every_reading_of_every_phrase_is_found_through_its_trigger_words(section: str) -> None:
    phrases = lexicon("en")[section]
    for line in lexicon("en").entries[section]:
        for said in _readings(line) if section != "low" else ():
            if phrases.regex.search(said):
                assert phrases.find(said, frozenset(_WORDS.findall(said))) is not None, said


def test_nearly_every_reading_is_one_that_its_phrase_fits() -> None:
    """Else the test above would look at few of them."""
    fits = [
        phrases.regex.search(said) is not None
        for section, lines in lexicon("en").entries.items()
        if section != "low" and (phrases := lexicon("en")[section])
        for line in lines
        for said in _readings(line)
    ]
    assert sum(fits) > 0.9 * len(fits) > 10_000


@pytest.mark.parametrize("text", ["unresolved", "prefixed", "abandoned", "needless", "goalkeeper", "unwanted"])
def test_cues_stand_at_word_boundaries(text: str) -> None:
    assert not any(lexicon("en")[name].regex.search(text) for name in ("claim.done", "goal.want"))


@pytest.mark.parametrize(
    "text",
    [
        "ok", "yes, do it", "thanks!", "2", "fix 4", "好的，继续", "proceed", "both", "",
        "Hope your week is going well", "good to hear from you!", "me again", "have a relaxing weekend too",
        "yes to step 2, skip step 3", "the second option, please",
        "早上好，今天天气真不错呀！", "祝你周末愉快！", "选第二个吧",
    ],
)  # fmt: skip
def test_acknowledgements_and_menu_choices_say_nothing(text: str) -> None:
    assert is_low_information(text)


@pytest.mark.parametrize(
    "text",
    [
        "use PostgreSQL 15",
        "Fix the linting of the cart",
        "我喜欢咖啡",
        "the port is 8080",
        "Step 2 is the migration",
        "今天天气预报要改",
    ],
)
def test_short_statements_say_something(text: str) -> None:
    assert not is_low_information(text)


def test_content_words_leave_out_small_words_of_both_languages() -> None:
    assert content_words("The port of the server is 8080") == ["port", "server", "8080"]
    assert content_words("我的猫叫咪咪") == ["猫", "叫", "咪", "咪"]
