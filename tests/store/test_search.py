"""Words find facts and messages, in English and Chinese, whatever a user types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from cfpm.model import Action, Origin, Status
from cfpm.store.search import MAX_TERMS, index_text, match_expression
from cfpm.store.store import Store
from tests.store.making import NAMESPACE, alter, fact, forget, learn, said, search_facts

if TYPE_CHECKING:
    from collections.abc import Iterator


def found(store: Store, query: str, k: int = 10) -> list[str]:
    facts = store.facts.by_id(NAMESPACE, [ident for ident, _ in search_facts(store, [NAMESPACE], query, k)])
    return [facts[ident].content for ident, _ in search_facts(store, [NAMESPACE], query, k)]


def test_best_match_first_with_a_higher_score(store: Store) -> None:
    learn(
        store,
        fact("the build writes to dist"),
        fact("the tests need a database, a queue, a build and much else"),
        fact("lunch is at noon"),
    )
    scores = search_facts(store, [NAMESPACE], "where does the build write its output?", 5)
    assert found(store, "where does the build write its output?") == [
        "the build writes to dist",
        "the tests need a database, a queue, a build and much else",
    ]
    assert scores[0][1] > scores[1][1] > 0


def test_word_forms_case_and_accents_do_not_matter(store: Store) -> None:
    learn(store, fact("Deployments run at the Café"))
    for query in ("deployment", "DEPLOYMENTS", "cafe", "running"):
        assert found(store, query) == ["Deployments run at the Café"], query


def test_chinese_is_found_by_parts_of_a_sentence(store: Store) -> None:
    learn(store, fact("构建输出在 dist 目录里"), fact("我喜欢喝茶"), fact("数据库密码每月更换"))
    assert found(store, "构建输出在哪里?") == ["构建输出在 dist 目录里"]
    assert found(store, "数据库") == ["数据库密码每月更换"]
    assert found(store, "茶") == ["我喜欢喝茶"]
    assert found(store, "据数") == [], "the order of the characters counts"


def test_stop_words_alone_are_still_searched_for(store: Store) -> None:
    learn(store, fact("to be or not to be"), fact("something else"))
    assert found(store, "to be") == ["to be or not to be"]
    assert found(store, "什么") == []


def test_ties_stand_in_order_of_learning(store: Store) -> None:
    learn(store, *(fact(f"port {name}") for name in ("zeta", "alpha", "beta")))
    assert found(store, "port", 2) == ["port zeta", "port alpha"]


def test_stale_facts_are_found_dead_ones_are_not(store: Store) -> None:
    stale, gone = fact("the port is 80"), fact("the port is 81")
    learn(store, stale, gone)
    alter(store, stale, Action.STALE, status=Status.STALE)
    forget(store, gone)
    assert found(store, "port") == ["the port is 80"]


def test_only_the_asked_namespaces_are_searched(store: Store) -> None:
    learn(store, fact("port a"), fact("port b", namespace="user:x"))
    store.log.append([said("port c", "m1"), said("port d", "m2", namespace="user:x")])
    assert len(search_facts(store, ["user:x"], "port", 5)) == 1
    assert len(search_facts(store, [NAMESPACE, "user:x"], "port", 5)) == 2
    assert search_facts(store, [], "port", 5) == []
    assert [found.message.id for found, _ in store.search.messages(["user:x"], "port", 5)] == ["m2"]


def test_messages_come_with_their_text(store: Store) -> None:
    rows = [said("the port is 8080", "m1"), said("lunch", "m2", position=1)]
    store.log.append(rows)
    ((message, score),) = store.search.messages([NAMESPACE], "port", 5)
    assert message == rows[0]
    assert score > 0


def test_same_message_id_in_two_sessions_is_two_messages(store: Store) -> None:
    store.log.append([said("port a", "m1"), said("port b", "m1", session="t")])
    assert [(m.session, m.message.text) for m, _ in store.search.messages([NAMESPACE], "port", 5)] == [
        ("s", "port a"),
        ("t", "port b"),
    ]


@pytest.mark.parametrize("origin", [Origin.SYSTEM_PROMPT, Origin.BOOT_FILE, Origin.MEMORY_BLOCK])
def test_what_comes_back_in_every_session_is_kept_but_not_searched(store: Store, origin: Origin) -> None:
    store.log.append([said("You are a port expert", "m1", origin=origin)])
    assert store.search.messages([NAMESPACE], "port", 5) == []
    assert len(store.log.messages(NAMESPACE, session="s")) == 1


@pytest.mark.parametrize("query", ["", "   ", "?!…", "😀", "\0", "_ - _", '"', "'"])
def test_question_without_a_word_finds_nothing(store: Store, query: str) -> None:
    learn(store, fact("a note"))
    store.log.append([said("a note", "m1")])
    assert search_facts(store, [NAMESPACE], query, 5) == []
    assert store.search.messages([NAMESPACE], query, 5) == []


def test_query_syntax_is_only_text(store: Store) -> None:
    learn(store, fact("the port is 8080"))
    for query in ('port" OR "x', "text:port", "port*", "^port", "NEAR(port is, 2)", "port AND NOT 8080", "{port} - x"):
        assert found(store, query) == ["the port is 8080"], query


def test_pasted_document_is_asked_with_its_first_terms(store: Store) -> None:
    learn(store, fact("word7 is here"))
    document = " ".join(f"word{n}" for n in range(50_000))
    assert match_expression(document).count('"') == 2 * MAX_TERMS
    assert found(store, document) == ["word7 is here"]


def test_ascii_text_is_indexed_as_it_is() -> None:
    text = "plain text"
    assert index_text(text) is text
    assert index_text("café naïve") == "café naïve"
    assert index_text("用vim编辑").split() == ["用", "vim", "编", "辑"]


@pytest.fixture(scope="module")
def full() -> Iterator[Store]:
    with Store.open("sqlite://") as opened:
        learn(opened, fact("the port is 8080"), fact("数据库在这里"))
        yield opened


@hypothesis_settings(max_examples=200, deadline=None)
@given(st.text(max_size=80) | st.text(alphabet="\"'*^:(){}+-NEAROT 数据\0\ud800é_", max_size=40))
@example("\ud800 port")
@example("NEAR")
def test_search_never_fails(full: Store, query: str) -> None:
    search_facts(full, [NAMESPACE], query, 3)
    full.search.messages([NAMESPACE], query, 3)


LATIN_AND_CHINESE = st.characters(max_codepoint=0x24F) | st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)


@pytest.mark.slow
@hypothesis_settings(max_examples=150, deadline=None)
@given(st.text(LATIN_AND_CHINESE, min_size=1, max_size=40))
def test_text_with_a_word_in_it_is_found_by_itself(text: str) -> None:
    with Store.open("sqlite://") as store:
        store.log.append([said(text, "m1")])
        assert len(store.search.messages([NAMESPACE], text, 1)) == bool(match_expression(text))


def test_chinese_is_asked_for_by_characters_too_where_single_ones_count() -> None:
    assert match_expression("数据") == '"数 据"'
    assert match_expression("数据", single=True) == '"数 据" OR "数" OR "据"'
