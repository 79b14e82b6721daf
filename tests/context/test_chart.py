"""The chart of tokens per turn: one file that needs nothing else, whatever agents are called."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cfpm.context.chart import Snapshot, chart, from_jsonl, to_jsonl
from cfpm.errors import InputError

TURNS = [
    Snapshot(1, "main", 1_200),
    Snapshot(1, "helper", 400),
    Snapshot(2, "main", 9_800),
    Snapshot(3, "main", 3_100, compacted=True),
]
HOSTILE = [
    '"><script>alert(1)</script>',
    "'></title></svg><img src=//evil.example/x onerror=alert(1)>",
    "<!--",
    "&lt;b&gt;",
    "]]></style><style>@import url(//evil.example)",
    "\u202egnp.exe",
    "null\x00and\x1bescape",
    "lone \ud800 surrogate",
]


class Page(HTMLParser):
    """All tags and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.comments: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def classes(self) -> list[str]:
        return [value for name, value in self.attributes if name == "class"]


def assert_stands_alone(page: str) -> None:
    """No script, nothing fetched: neither an element nor an attribute nor a rule of the style that could."""
    read = Page(page)
    allowed = {
        *("html", "head", "meta", "title", "style", "body", "h1", "p", "svg", "line", "text", "polyline", "circle"),
        *("ul", "li", "details", "summary", "table", "tr", "th", "td"),
    }
    assert set(read.tags) <= allowed
    names = {name for name, _ in read.attributes}
    assert not {
        name for name in names if name in {"src", "href", "xlink:href", "style", "xmlns"} or name.startswith("on")
    }
    assert not any("//" in value or "url(" in value for _, value in read.attributes)
    assert read.comments == []
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(style) == 1
    assert not re.search(r"url\(|@import|//|expression", style[0])


def test_the_page_has_no_address_and_no_script() -> None:
    page = chart(TURNS, warn_at=5_000, cut_over_at=8_000)
    assert_stands_alone(page)
    assert "http:" not in page
    assert "https:" not in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_only_text(name: str) -> None:
    page = chart([Snapshot(1, name, 10), Snapshot(2, "main", 20)], title=name)
    assert_stands_alone(page)
    page.encode("utf-8")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00\x1b]", page)


def test_each_agent_has_a_line_and_each_turn_a_point() -> None:
    read = Page(chart(TURNS))
    assert read.tags.count("polyline") == 2
    assert read.tags.count("circle") == 4
    assert "main, turn 2: 9,800 tokens" in read.texts
    assert "helper" in read.texts


def test_an_agent_is_the_same_whatever_the_case_of_its_name() -> None:
    assert Page(chart([Snapshot(1, "Main", 1), Snapshot(2, "MAIN", 2)])).tags.count("polyline") == 1


def test_a_compaction_a_warning_and_a_cut_over_have_their_lines() -> None:
    read = Page(chart(TURNS, warn_at=5_000, cut_over_at=8_000))
    assert "Compaction at turn 3" in read.texts
    assert "Warn: 5,000" in read.texts
    assert "Cut over: 8,000" in read.texts


def test_what_was_not_set_is_not_drawn() -> None:
    read = Page(chart(TURNS[:3]))
    assert not any(look in value.split() for value in read.classes() for look in ("warn", "cut", "compacted"))


def test_it_works_in_light_and_dark() -> None:
    page = chart(TURNS)
    assert "color-scheme: light dark" in page
    assert "prefers-color-scheme: dark" in page


def test_without_turns_it_says_so() -> None:
    assert_stands_alone(chart([]))
    assert "No turns yet" in chart([])


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("{", "line 2"),
        ("[]", "line 2"),
        ('{"turn": 1, "agent": "a"}', "line 2"),
        ('{"turn": true, "agent": "a", "tokens": 1}', "line 2"),
        ('{"turn": 1, "agent": 2, "tokens": 1}', "line 2"),
        ('{"turn": 1, "agent": "a", "tokens": -1}', "line 2"),
        ('{"turn": 1, "agent": "a", "tokens": 1.5}', "line 2"),
    ],
)
def test_a_line_that_is_no_snapshot_is_named(line: str, place: str) -> None:
    with pytest.raises(InputError, match=place):
        from_jsonl(to_jsonl(TURNS[:1]) + line)


def test_blank_lines_and_fields_of_others_do_no_harm() -> None:
    assert from_jsonl('\n{"turn": 1, "agent": "a", "tokens": 2, "cost": 3}\n\n') == [Snapshot(1, "a", 2)]


def test_a_snapshot_below_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="tokens"):
        Snapshot(1, "a", -1)


SNAPSHOTS = st.lists(
    st.builds(Snapshot, st.integers(0, 9_999), st.text(max_size=8), st.integers(0, 10**12), st.booleans()), max_size=30
)


@settings(max_examples=80, deadline=None)
@given(SNAPSHOTS, st.integers(0, 10**7), st.integers(0, 10**7))
def test_any_snapshots_give_the_same_bytes_twice_and_stand_alone(turns: list[Snapshot], warn: int, cut: int) -> None:
    page = chart(turns, warn_at=warn, cut_over_at=cut)
    assert page.encode("utf-8") == chart(list(turns), warn_at=warn, cut_over_at=cut).encode("utf-8")
    assert_stands_alone(page)
    points = re.findall(r'c[xy]="([\d.-]+)"', page)
    assert all(0 <= float(point) <= 960 for point in points)


@settings(max_examples=80, deadline=None)
@given(SNAPSHOTS)
def test_snapshots_survive_the_way_through_a_file(turns: list[Snapshot]) -> None:
    assert from_jsonl(to_jsonl(turns)) == turns
