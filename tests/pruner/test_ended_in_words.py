"""What the next sentence takes back is believed no longer; what ends something may be taken for a goal itself."""

import pytest

from cfpm import Memory, Status


def active(*messages: str) -> list[str]:
    with Memory.open(":memory:") as memory:
        for number, text in enumerate(messages):
            memory.observe([{"role": "user", "content": text}], session=f"s{number}")
        return [fact.content for fact in memory.facts(status=Status.ACTIVE)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our plumber is called Mr Haas.", "Correction: he is called Mr Haase."),
        ("The test cluster runs on Debian 11.", "Sorry, my mistake, the test cluster runs on Debian 12."),
        ("办公室在二楼。", "不对，办公室是在四楼。"),
    ],
)
def test_what_the_next_sentence_takes_back_is_believed_no_longer(old: str, new: str) -> None:
    found = active(f"{old} {new}")

    assert old not in found
    assert any(new.rstrip(".。").endswith(content.rstrip(".。")) for content in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our plumber is called Mr Haas.", "Actually, I quite like his van."),
        ("The test cluster runs on Debian 11.", "The build cluster runs on Debian 12."),
    ],
)
def test_what_comes_beside_it_takes_nothing_back(old: str, new: str) -> None:
    assert old in active(f"{old} {new}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We will host an apprentice from Lyon from March.", "The apprentice isn't coming, his firm pulled out."),
        ("We have 9 geese at the moment.", "Make that 8 geese, I counted one twice."),
    ],
)
def test_what_ends_something_may_look_like_a_goal(old: str, new: str) -> None:
    assert old in active(old)
    assert old not in active(old, new)


def test_no_before_a_noun_takes_nothing_back() -> None:
    told = "We close at six in winter. No dogs in the shop, please."
    assert any("close at six" in fact for fact in active(told))
