"""Queries of any shape: the shape is told, and what was learnt from questions does not rank what is none."""

from collections.abc import Iterator

import pytest

from cfpm import Memory
from cfpm.embedding import static_embedder
from cfpm.recall.question import Shape, read_question
from cfpm.recall.weights import fitting, load_weights


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open("sqlite://") as opened:
        yield opened


CHAT = "My sister comes over tonight.\nShall I suggest a curry?\nYes, but mind what she cannot eat."
LABELLED = (
    "User: My sister comes over tonight.\nAssistant: Shall I suggest a curry?\nUser: Yes, but mind what she eats."
)


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("Where does my sister live?", Shape.QUESTION),
        ("where is the key", Shape.QUESTION),
        ("我妹妹住在哪里？", Shape.QUESTION),
        ("Write the invitation.", Shape.TEXT),
        ("sister address", Shape.TEXT),
        ("给妹妹写一封信", Shape.TEXT),
        (CHAT, Shape.CHAT),
        (LABELLED, Shape.CHAT),
        ("用户：妹妹今晚来。\n助手：做咖喱好吗？\n用户：她能吃吗？", Shape.CHAT),
        ("Fix this:\ndef total(rows):\n    return sum(rows)\n\ntotal(None)", Shape.TEXT),
    ],
)
def test_the_shape_of_a_query_is_told(text: str, shape: Shape) -> None:
    assert read_question(text, (), None, None).shape is shape


def test_who_speaks_is_no_word_of_a_chat() -> None:
    words = read_question(LABELLED, (), None, None).words
    assert "User" not in words
    assert "Assistant" not in words
    assert words.startswith("Yes, but mind"), "the last message comes first, where words are many"


def test_what_a_chat_asks_for_is_what_its_last_message_asks_for() -> None:
    assert "when" in read_question("The fair was fun.\nGood.\nWhen is the next one?", (), None, None).asks
    assert "when" not in read_question("When was the fair?\nIn May.\nBook a stall then.", (), None, None).asks


def test_plain_weights_rank_for_the_end_of_a_chat() -> None:
    tables = load_weights()
    chat = read_question(CHAT, (), None, None)
    question = read_question("Where does she live?", (), None, None)
    assert fitting(tables, chat, chat=False) is tables["plain"]
    assert fitting(tables, chat, chat=True) is tables["plain"]
    assert "telling" in fitting(tables, question, chat=False).by_name


def test_chinese_words_count_more_beside_what_was_learnt_in_english() -> None:
    tables = load_weights()
    english, chinese = (
        fitting(tables, read_question(text, (), None, None), chat=False)
        for text in ("Where is the key?", "钥匙放在哪里了呢？")
    )
    assert chinese.by_name["words"] / chinese.total > english.by_name["words"] / english.total


def test_chinese_is_compared_by_words_and_not_by_characters() -> None:
    embedder = static_embedder()
    pieces = {embedder.spelled(one) for one in read_question("钢琴课什么时候上？", (), embedder, None).pieces}
    assert "piano" in pieces


def test_a_long_text_is_read_at_both_ends() -> None:
    words = read_question(f"zebra {'x ' * 4000} giraffe", (), None, None).words
    assert "zebra" in words
    assert "giraffe" in words


def test_one_rambling_message_is_not_an_answer_to_everything(memory: Memory) -> None:
    short = [
        "Leo swims on Tuesdays.",
        "The car is a grey estate.",
        "Mia cannot eat hazelnuts.",
        "We rent a flat in Foz.",
    ]
    short += [
        "The oven has three decks.",
        "Hugh plays the piano.",
        "My tendon hurt all winter.",
        "Staging runs at two.",
    ]
    rambling = (
        "Today was a long day, first the school, then work, then the car, then dinner with the family and friends, and "
        "we talked about home, music, food, money, holidays, the house, the weather, sport and what to do next week."
    )
    memory.observe(
        [{"id": f"m{n}", "role": "user", "content": text} for n, text in enumerate([*short, rambling])], session="s1"
    )
    asked = ["When does Leo swim?", "What car do we have?", "What can Mia not eat?", "Where do we rent a flat?"]
    asked += ["How many decks has the oven?", "Who plays the piano?", "What hurt me?", "When does staging run?"]
    firsts = [memory.recall(text, k=1).items[0].message_id for text in asked]
    assert firsts == [f"m{n}" for n in range(8)]
