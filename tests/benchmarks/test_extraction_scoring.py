"""When a prediction counts as a gold fact, and what a budget buys."""

from benchmarks.extraction.conversation import Prediction
from benchmarks.extraction.scoring import Gold, containment, grounding, matches, tokens, within_budget

GOLD = Gold("Mara works at the botanical garden", frozenset({"m5"}))


def test_endings_and_stop_words_do_not_count() -> None:
    assert tokens("She is running two bakeries") == tokens("run two bakery")
    assert tokens("我喜欢猫") == ("我", "喜", "欢", "猫")


def test_half_of_the_words_from_the_cited_turn_match() -> None:
    assert containment(GOLD.text, "I'm working at the botanical garden") == 3 / 4
    assert matches([GOLD], [Prediction("I'm working at the botanical garden", ("m5",))]) == {0: 0}


def test_the_same_words_from_another_turn_do_not_match() -> None:
    said = [Prediction("I'm working at the botanical garden", ("m9",))]
    assert matches([GOLD], said) == {}
    assert matches([GOLD], said, {"m5": ("m9",)}) == {0: 0}


def test_a_whole_page_does_not_match_by_holding_the_words_somewhere() -> None:
    page = "Mara works at the botanical garden. " + " ".join(f"word{n}" for n in range(40))
    assert matches([GOLD], [Prediction(page, ("m5",))]) == {}


def test_one_prediction_matches_one_gold_fact() -> None:
    twice = [GOLD, Gold("Mara works in the garden", frozenset({"m5"}))]
    assert len(matches(twice, [Prediction("Mara works at the botanical garden", ("m5",))])) == 1


def test_a_budget_takes_the_best_ranked_first_and_stops_at_the_first_too_long_one() -> None:
    predicted = [Prediction("one two three", (), score=1), Prediction("four five", (), score=2)]
    assert [item.text for item in within_budget(predicted, 2)] == ["four five"]
    assert [item.text for item in within_budget(predicted, 5)] == ["four five", "one two three"]
    assert within_budget([Prediction("six seven eight", (), score=3), *predicted], 2) == []


def test_words_that_nobody_said_are_not_grounded() -> None:
    texts = {"m5": "Mara: I'm working at the botanical garden"}
    told = [Prediction("Mara works at the botanical garden", ("m5",)), Prediction("Mara loves cats", ("m5",))]
    assert grounding(told, texts) == [True, False]
