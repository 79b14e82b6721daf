"""What the named extractors answer, and what a user's own may answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.extraction.conversation import Conversation
from benchmarks.extraction.extractors import EXTRACTORS, extractor
from benchmarks.extraction.foreign import as_dicts
from benchmarks.extraction.measures import bundled
from cfpm import Message, Role, UsageError
from cfpm.model import ToolCall, ToolResult
from cfpm.model.clock import from_text

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.extraction.labelled import Labelled

pytestmark = pytest.mark.slow

CHAT = Conversation(
    "chat",
    (
        Message(Role.USER, "I play the viola. It is raining.", "m1", from_text("2026-03-01T10:00:00Z"), "Ada"),
        Message(Role.ASSISTANT, "How nice!", "m2", tool_calls=(ToolCall("c1", "bash", {"command": "date"}),)),
        Message(Role.TOOL, "Sunday", "m3", tool_result=ToolResult("c1")),
        Message(Role.USER, "We moved to Porto last week.", "m4"),
    ),
)


def own(folder: Path, patch: pytest.MonkeyPatch, body: str, name: str = "mine") -> str:
    """A module of a user with one function."""
    (folder / f"{name}.py").write_text(f"def facts(messages):\n    {body}\n", encoding="utf-8")
    patch.syspath_prepend(str(folder))
    patch.delitem(__import__("sys").modules, name, raising=False)
    return f"{name}:facts"


def test_baselines_keep_what_users_say_with_their_names() -> None:
    assert [item.text for item in EXTRACTORS["turns"](CHAT)] == [
        "Ada: I play the viola. It is raining.",
        "We moved to Porto last week.",
    ]
    assert [item.text for item in EXTRACTORS["sentences"](CHAT)][:2] == [
        "Ada: I play the viola.",
        "Ada: It is raining.",
    ]
    assert [item.sources for item in EXTRACTORS["regex"](CHAT)] == [("m4",)]


def test_the_longest_sentence_ranks_best() -> None:
    ranked = sorted(EXTRACTORS["sentences"](CHAT), key=lambda item: -item.score)
    assert ranked[0].text == "We moved to Porto last week."


@pytest.mark.parametrize("labelled", bundled.labelled(), ids=lambda item: item.conversation.session)
def test_facts_of_the_memory_cite_messages_that_are_there(labelled: Labelled) -> None:
    known = {message.id for message in labelled.conversation.messages}
    facts = EXTRACTORS["cfpm"](labelled.conversation)
    assert facts
    assert {source for fact in facts for source in fact.sources} <= known
    assert EXTRACTORS["cfpm"](labelled.conversation) == facts


def test_a_superseded_fact_names_the_one_that_took_its_place() -> None:
    said = ("Please set up the server.", "The API port is 8080.", "The API port is 8081.")
    chat = Conversation("ports", tuple(Message(Role.USER, text, f"m{n}") for n, text in enumerate(said)))
    facts = {fact.sources[0]: fact for fact in EXTRACTORS["cfpm"](chat)}
    assert (facts["m1"].status, facts["m1"].replaced_by) == ("superseded", facts["m2"].id)


def test_a_function_of_the_user_gets_plain_dicts() -> None:
    first, asked, result, last = as_dicts(CHAT)
    assert first == {
        "role": "user",
        "content": "I play the viola. It is raining.",
        "id": "m1",
        "name": "Ada",
        "time": "2026-03-01T10:00:00.000000Z",
    }
    assert asked["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "date"}'}}
    ]
    assert result["tool_call_id"] == "c1"
    assert last == {"role": "user", "content": "We moved to Porto last week.", "id": "m4"}


def test_a_function_may_answer_with_dicts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "return [{'text': m['content'], 'sources': [m['id']], 'category': 'note', 'score': 2} for m in messages[:1]]"
    (fact,) = extractor(own(tmp_path, monkeypatch, body))(CHAT)
    assert (fact.text, fact.sources, fact.category, fact.score) == (CHAT.messages[0].text, ("m1",), "note", 2.0)


def test_a_bare_text_is_laid_to_the_message_most_like_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = extractor(own(tmp_path, monkeypatch, "yield from ('moved to Porto', 'Ada plays the viola', 'nonsense')"))
    assert [fact.sources for fact in facts(CHAT)] == [("m4",), ("m1",), ()]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return None", "it returned a NoneType"),
        ("return 'one text'", "it returned a str"),
        ("return [3]", "fact 0: a int"),
        ("return ['good', {'text': ' '}]", "fact 1: text is ' '"),
        ("return [{'text': 'x', 'source': ['m1']}]", "unknown key 'source'"),
        ("return [{'text': 'x', 'sources': 'm1'}]", "sources is a str"),
        ("return [{'text': 'x', 'sources': ['m99']}]", "no message has the id 'm99'"),
        ("return [{'text': 'x', 'score': float('nan')}]", "score is nan"),
        ("return [{'text': 'x', 'score': 'high'}]", "score is 'high'"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_by_name(
    body: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="extractor mine:facts") as refused:
        extractor(own(tmp_path, monkeypatch, body))(CHAT)
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nobody", "Use one of cfpm, turns, sentences, regex, or module:function"),
        ("no_such_module_here:facts", "the module cannot be imported"),
        (":facts", "the module cannot be imported"),
        ("json:no_such_function", "json has no function 'no_such_function'"),
        ("json:", "json has no function ''"),
    ],
)
def test_an_extractor_that_is_not_there_is_named(name: str, problem: str) -> None:
    with pytest.raises(UsageError) as refused:
        extractor(name)
    assert problem in str(refused.value)
