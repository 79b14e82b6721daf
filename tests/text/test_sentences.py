import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.text import Kind, sentences


def said(text: str) -> list[str]:
    return [sentence.text for sentence in sentences(text)]


def test_western_and_chinese_full_stops_end_a_sentence() -> None:
    assert said("It works. 测试通过。现在部署！ Done?") == ["It works.", "测试通过。", "现在部署！", "Done?"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ihren 60. Geburtstag am 5. Dezember feiern wir gern. Kommen Sie?", 2),
        ("Das Büro ist im 3. Stock.", 1),
        ("I am 60. Then I retire.", 2),
        ("The deposit is 30. April is busy.", 2),
    ],
)
def test_a_german_ordinal_ends_no_sentence(text: str, count: int) -> None:
    assert len(list(sentences(text))) == count


def test_abbreviations_versions_and_file_names_do_not() -> None:
    assert said("Quote prices incl. VAT please.") == ["Quote prices incl. VAT please."]
    assert said("Use e.g. v1.2.3 of main.go, i.e. the old one.") == ["Use e.g. v1.2.3 of main.go, i.e. the old one."]


def test_wrapped_prose_is_one_sentence_and_a_list_is_many() -> None:
    wrapped = (
        "The gateway keeps its sessions in Redis so that every node can take over\n"
        "when another one fails.\n- one\n- two"
    )
    assert said(wrapped) == [
        "The gateway keeps its sessions in Redis so that every node can take over\nwhen another one fails.",
        "one",
        "two",
    ]


def test_a_line_longer_than_anybody_wraps_ends_its_sentence() -> None:
    long = (
        "we took the old lift out last week together with its cables and the cabin, "
        "the shaft was in a worse state than the report had said"
    )
    assert len(long) > 120
    assert said(f"{long}\nthe new one comes in march") == [long, "the new one comes in march"]


def test_places_are_told_apart() -> None:
    text = "# Title\n> said by Kim\n| a | b |\n```\ncode()\n```\n    indented()\n- item\nplain"
    assert [s.kind for s in sentences(text)] == [
        Kind.HEADING,
        Kind.QUOTE,
        Kind.TABLE,
        Kind.CODE,
        Kind.CODE,
        Kind.BULLET,
        Kind.PLAIN,
    ]


def test_an_inner_fence_of_another_kind_stays_code() -> None:
    assert all(s.kind is Kind.CODE for s in sentences("````\n```\ninner\n```\n````"))


@given(st.text(max_size=400))
@settings(max_examples=150)
def test_every_sentence_is_the_slice_it_names(text: str) -> None:
    last = 0
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text
        assert sentence.start >= last
        last = sentence.end


@given(st.text(alphabet="ab.。!? \n", max_size=300))
@settings(max_examples=100)
def test_no_letter_is_lost(text: str) -> None:
    assert sum(s.text.count("a") for s in sentences(text)) == text.count("a")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Wait... what?! Stop.", ["Wait...", "what?!", "Stop."]),
        ("See a.b.c now. Go", ["See a.b.c now.", "Go"]),
        ("先看。“再做！”然后停", ["先看。", "“再做！”", "然后停"]),
    ],
)
def test_a_sentence_ends_with_all_its_signs(text: str, parts: list[str]) -> None:
    assert said(text) == parts
