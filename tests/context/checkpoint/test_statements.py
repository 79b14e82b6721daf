"""What users asked for and ruled, what names are, and what is not said twice."""

from __future__ import annotations

from cfpm.context.checkpoint.names import by_shape, kinds_in, says_more
from cfpm.context.checkpoint.statements import KnownWords, by_line, demands, own_words, read_statements
from cfpm.context.history import read_history
from cfpm.recall.tokens import estimated
from tests.context.strategies.sessions import agent, user


def test_requests_and_rules_are_told_apart_and_chat_is_neither() -> None:
    asked, rules = demands("Thanks, nice work. Now add a trace for the loader. The export must never lock the table.")
    assert asked == ["Now add a trace for the loader."]
    assert rules == ["The export must never lock the table."]


def test_a_session_opens_with_what_it_is_for() -> None:
    assert demands("The loader drops empty rows.") == ([], [])
    assert demands("The loader drops empty rows.", opening=True) == (["The loader drops empty rows."], [])


def test_a_sentence_that_goes_on_behind_an_abbreviation_stays_whole() -> None:
    (only,) = [part for part, _ in own_words("The link should be short, e.g. https://links.example/x")]
    assert only == "The link should be short, e.g. https://links.example/x"


def test_a_rule_too_long_for_a_line_is_shortened_and_not_lost() -> None:
    _, rules = demands("You must never " + "very " * 300 + "quickly drop the table")
    assert len(rules) == 1
    assert rules[0].startswith("You must never")
    assert rules[0].endswith("drop the table")


def test_code_is_no_request_but_a_rule_about_code_is_a_rule() -> None:
    assert demands("return fmt.Errorf(x, err)") == ([], [])
    assert demands("You should always write `f(x) -> y` in one single line.")[1]


def test_what_is_pasted_in_the_middle_of_a_long_message_is_not_the_users_own_word() -> None:
    text = "Please look at this log.\n" + "Run the migration again.\n" * 200 + "Then tell me what broke."
    asked, _ = demands(text)
    assert asked[0] == "Please look at this log."
    assert asked[-1] == "Then tell me what broke."
    assert len(asked) < 60


def test_a_yes_is_told_with_what_it_approves() -> None:
    groups = read_history(
        [user("Clean up"), agent("I will drop the old table. Shall I go on?"), user("yes")], estimated
    )
    assert read_statements(groups.groups, opening=True).approvals == ['"yes" to: Shall I go on?']


def test_what_an_agent_ended_old_messages_with_is_not_told_and_what_it_decided_is() -> None:
    said = [agent("Let's use Postgres. Now I look at the fixtures."), user("Fine"), agent("I run the linter next.")]
    groups = read_history([user("Build it"), *said], estimated).groups
    heard = read_statements(groups, opening=True, old=2)
    assert heard.steps == ["I run the linter next."]
    assert heard.decisions == ["Let's use Postgres."]


def test_the_same_words_in_other_signs_are_not_new() -> None:
    heard = KnownWords.of("Use **tabs**, always!")
    assert not heard.is_new("use tabs always")
    assert heard.is_new("use spaces")
    assert not heard.is_new("Use spaces.")


def test_names_are_told_by_what_declares_them() -> None:
    source = "def load_rows(text): ...\nclass CsvLoader: ...\nconst MAX_ROWS = 3\nrow_count = parse_row(text)\n"
    found = dict(kinds_in(source + '{"order_id": "W57"}'))
    assert found["load_rows"] == "function"
    assert found["CsvLoader"] == "class"
    assert found["MAX_ROWS"] == "constant"
    assert found["row_count"] == "variable"
    assert found["parse_row"] == "called"
    assert found["W57"] == "order id"


def test_names_are_told_by_how_they_are_used() -> None:
    text = (
        'if order.total_due > 0 {\nfunc pay(maxTries int, mailTo string)\nkind := "late_fee"\nthe `sendMail()` method\n'
    )
    found = dict(kinds_in(text))
    assert found["total_due"] == "field"
    assert found["maxTries"] == found["mailTo"] == "variable"
    assert found["late_fee"] == "value"
    assert found["sendMail"] == "method"


def test_a_declaration_stays_against_a_later_use() -> None:
    assert says_more("function", "called")
    assert says_more("variable", "called")
    assert not says_more("called", "function")
    assert not says_more("called", "order id")


def test_a_name_in_capitals_is_a_constant() -> None:
    assert by_shape("MAX_ROWS") == "constant"
    assert by_shape("max_rows") == by_shape("README") == ""


def test_a_short_opening_is_one_request_and_of_a_long_one_the_first_sentence_is() -> None:
    opening = "Hey, I need help with my parcels. There are two changes to them."
    assert demands(opening, opening=True)[0] == ["Hey, I need help with my parcels.", "There are two changes to them."]
    long = f"The loader drops empty rows. {'It was slow on that day as well. ' * 10}"
    assert demands(long, opening=True)[0] == ["The loader drops empty rows."]


def test_pasted_lines_are_no_requests() -> None:
    assert demands("=== RUN add_rows of the loader\n2026-03-02 10:00:01 INFO please wait for the loader") == ([], [])
    assert demands("Look:\n\n        please_wait = add the rows here\n") == ([], [])
    assert demands("Do this:\n    - add the rows here")[0] == ["Do this:", "add the rows here"]


def test_sentences_of_one_line_stay_together_and_those_of_two_apart() -> None:
    text = "Add a test. Run it.\nThen push."
    assert by_line(text, ["Add a test.", "Run it.", "Then push."]) == [["Add a test.", "Run it."], ["Then push."]]


def test_a_question_decides_nothing() -> None:
    groups = read_history([user("Should we go with tabs?"), agent("I will use spaces.")], estimated)
    assert read_statements(groups.groups, opening=True).decisions == ["I will use spaces."]
