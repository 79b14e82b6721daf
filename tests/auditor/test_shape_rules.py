"""Lines that are no sentences by their shape, and sentences that only look like it."""

import pytest

from cfpm.auditor.auditor import judge
from cfpm.auditor.context import AuditContext
from cfpm.model import Category, Draft, Role, Span


def reason(content: str, category: Category = Category.NOTE, line: str = "") -> str:
    refusal = judge(
        Draft(category, content, Span("m", 0, len(content)), Role.USER, "test", line=line or content), AuditContext()
    )
    return refusal.reason if refusal else ""


@pytest.mark.parametrize(
    "content",
    [
        "main.load(0x5, 0x3)",
        "const limit: number = config.rooms * 2",
        "export function total(rows: Row[]): number {",
        "from depot.shelves import Crate",
        "SELECT name, city FROM guests WHERE nights > 3",
        "total += items[i].price * 1.2;",
        'owner_name = "Ottokar the Second"',
        '<div class="price">12 euros</div>',
        '{"guest": "Ume", "room": 214}',
        '"address": "12 Mill Lane", "member": "gold"',
        "HX-2210,white,Lotte",
    ],
)
def test_code_and_data_are_quoted(content: str) -> None:
    assert reason(content) == "quoted"


@pytest.mark.parametrize(
    "content",
    [
        "Call load(5) before the depot opens",
        "Our price list has three columns: name, city and price",
        "We select rooms from the list and set the price by hand",
        "The class starts at 9 in room 214",
        "我住在南京,喜欢喝茶,养了两只猫",
        "Let the price of a room be 80 euros = one night",
        "The folder holds 3,200 crates",
    ],
)
def test_sentences_about_code_and_lists_are_not(content: str) -> None:
    assert reason(content) == ""


def test_a_clause_of_a_line_of_data_is_data() -> None:
    assert reason("the guest in room 214", line='{"note": "the guest in room 214"}') == "quoted"


def test_a_clause_of_a_log_line_is_noise() -> None:
    assert reason("the port is 6100", line="[10:22:31] server started, the port is 6100") == "runtime_log_noise"


@pytest.mark.parametrize(
    "content",
    [
        "thread 'main' panicked at src/shelf.rs:212:9",
        'Exception in thread "main" java.lang.IllegalStateException',
        "Caused by: java.io.IOException: the disk is full",
        "error TS2339: Property 'guests' does not exist on type 'Hotel'",
        "make: *** [app] Error 1",
        "goroutine 1 [running]",
    ],
)
def test_lines_of_a_crash_are_noise(content: str) -> None:
    assert reason(content) == "noise_error_line"


@pytest.mark.parametrize("category", [Category.NOTE, Category.PREFERENCE, Category.INSTRUCTION])
def test_a_sentence_that_is_a_quotation_is_somebody_elses(category: Category) -> None:
    assert reason('"Never trust a quiet river" is the first line of it', category) == "quoted"
    assert reason("「我喜欢安静的租客」他写道", category) == "quoted"


def test_a_word_in_quotation_marks_is_not() -> None:
    assert reason('"Harvest" is the name of our release branch in the shop repository') == ""


@pytest.mark.parametrize(
    "path",
    ["node_modules/.cache/loader/9f2.json", "/srv/shop/app/__pycache__/cart.cpython-312.pyc", "/srv/shop/.git/index"],
)
def test_what_tools_can_make_again_is_no_artifact(path: str) -> None:
    assert reason(path, Category.ARTIFACT) == "artifact_unhelpful"


def test_a_file_that_was_edited_there_is() -> None:
    edited = Draft(Category.ARTIFACT, "/srv/shop/.git/hooks/pre-commit", Span("m", 0, 0), Role.TOOL, "artifact.edited")
    assert judge(edited, AuditContext()) is None


@pytest.mark.parametrize(
    "content",
    [
        "A guest writes: I want my money back",
        'My landlord said "I never repair windows"',
        "老板说「我讨厌迟到」",
        'Mira: "I work at the mill"',
    ],
)
def test_what_somebody_else_says_of_themselves_is_quoted(content: str) -> None:
    assert reason(content, Category.PROFILE) == "quoted"


def test_what_the_speaker_said_before_is_their_own() -> None:
    assert reason("As I said: always use British spelling", Category.INSTRUCTION) == ""
