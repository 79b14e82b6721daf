"""What holds for every text: no error, grounded offsets, one canonical form, quoted paths whole."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cfpm.paths.failures import failing_lines, failing_path, may_have_failure
from cfpm.paths.finder import find_paths
from cfpm.paths.grammar import canonical, contains, flavour_of, is_absolute, is_date, is_symbolic, name
from cfpm.paths.predicates import is_clean_path_line, is_known_folder, is_path_like, is_project_relative, is_temporary

SIGNS = """/ \\ \\\\ : C:\\ ~ . .. " ' ` “ ” ** ( ) [ ] < > a My Docs file.txt src srv $ $HOME { } * ? , ; % %20
    数据 不存在 不存在： ， İ \x00 \ud800 http:// file:// #L3 :12 -4- = key="""
PHRASES = ["not found", ": no such file or directory", "cannot find path ", "is denied", "if ", "in ", "Program Files"]
SHARDS = st.sampled_from([*SIGNS.split(), " ", "  ", "\n", "\t", *PHRASES])
TEXTS = st.one_of(st.text(max_size=60), st.lists(SHARDS, max_size=14).map("".join))


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(TEXTS, TEXTS)
@example("file://C:", "")
@example("/a:/", "/")
def test_no_text_raises_and_offsets_are_grounded(text: str, other: str) -> None:
    end = 0
    for path in find_paths(text):
        assert path.start >= end
        assert text[path.start : path.end] == path.path
        end = path.end
    for start, stop, line in failing_lines(text):
        assert text[start:stop] == line
        for target, _ in failing_path(line, other):
            assert isinstance(target, str) or line[target.start : target.end] == target.path
    for question in (is_absolute, is_clean_path_line, is_date, is_known_folder, is_path_like, is_project_relative):
        question(text)
    for question in (is_symbolic, is_temporary, may_have_failure):
        question(text)
    name(text)
    flavour_of(text)
    contains(text, other)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_canonical_is_idempotent_and_a_path_contains_itself(text: str) -> None:
    once = canonical(text)
    assert canonical(once) == once
    assert not once or contains(text, text)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_a_line_is_only_a_failing_line_when_the_fast_test_says_so(text: str) -> None:
    assert may_have_failure(text) == bool(list(failing_lines(text)))


WORDS = st.text(alphabet="abcdefgäöMNO0123456789_-", min_size=1, max_size=8).filter(lambda word: word[0].isalpha())
SEGMENTS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@st.composite
def spaced_paths(draw: st.DrawFn) -> str:
    first, middle = draw(WORDS), draw(st.lists(SEGMENTS, min_size=1, max_size=3))
    last = draw(SEGMENTS) + draw(st.sampled_from([".txt", ".py", ".md"]))
    root, separator = draw(st.sampled_from([("C:\\", "\\"), ("/srv/", "/"), ("~/", "/"), ("\\\\host\\", "\\")]))
    return root + separator.join([first, *middle, last])


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    spaced_paths(),
    st.sampled_from(['"{}"', "'{}'", "`{}`", "“{}”", "「{}」"]),
    st.sampled_from(["{}", "see {} now", "{}, and more"]),
)
def test_a_quoted_path_with_spaces_is_found_exactly(path: str, quotes: str, frame: str) -> None:
    assert [found.path for found in find_paths(frame.format(quotes.format(path)))] == [path]
    assert is_path_like(path) == (len(path.encode()) <= 320)


@pytest.mark.parametrize("quotes", ["'{}'", '"{}"', "`{}`"])
@settings(max_examples=60, deadline=None)
@given(path=spaced_paths())
def test_a_quoted_operand_is_blamed_exactly(quotes: str, path: str) -> None:
    ((target, _),) = failing_path(f"cat: {quotes.format(path)}: No such file or directory")
    assert not isinstance(target, str)
    assert target.path == path
