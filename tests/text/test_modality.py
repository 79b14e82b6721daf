import pytest

from cfpm.model import Mark
from cfpm.text import is_question, marks_around


def marks(text: str, cue: str) -> frozenset[Mark]:
    at = text.index(cue)
    return marks_around(text, at, at + len(cue))


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("the bug is not fixed", "fixed"),
        ("it isn't resolved yet", "resolved"),
        ("this was never verified", "verified"),
        ("we failed to get it done", "done"),
        ("the login fix is done? not yet, it is almost fixed", "fixed"),
        ("the cart is working not at all", "working"),
        ("测试还没通过", "通过"),
        ("问题尚未解决", "解决"),
    ],
)
def test_negated(text: str, cue: str) -> None:
    assert Mark.NEGATED in marks(text, cue)


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("the cache is no problem, and the bug is fixed", "fixed"),
        ("it was not easy, but everything works now", "works now"),
        ("all tests pass", "pass"),
    ],
)
def test_a_negation_of_another_clause_is_none(text: str, cue: str) -> None:
    assert Mark.NEGATED not in marks(text, cue)


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("if the checks pass, it is done", "done"),
        ("once this is fixed we can ship", "fixed"),
        ("that would be resolved by a cache", "resolved"),
        ("it should be fixed", "fixed"),
        ("如果测试通过，就完成了", "完成了"),
    ],
)
def test_hypothetical(text: str, cue: str) -> None:
    assert Mark.HYPOTHETICAL in marks(text, cue)


@pytest.mark.parametrize(
    "text", ["is it done?", "should we use tabs?", "what is the port", "完成了吗？", "为什么失败？"]
)
def test_questions(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize("text", ["what a day!", "use tabs.", "我喜欢咖啡。", "the one who knows is kim."])
def test_no_questions(text: str) -> None:
    assert not is_question(text)


def test_a_cue_inside_quotes_is_quoted() -> None:
    assert Mark.QUOTED in marks('he said "it is fixed" and left', "fixed")
    assert Mark.QUOTED not in marks('the "cart" bug is fixed', "fixed")


def test_the_state_of_the_moment_is_transient() -> None:
    assert Mark.TRANSIENT in marks("now let me check that the tests pass", "pass")
    assert Mark.TRANSIENT in marks("正在运行，测试通过", "通过")
