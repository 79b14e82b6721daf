"""The training of the salience weights: the fit, and the data file that it writes."""

import math
from importlib import resources

import pytest

from benchmarks.extraction.measures import bundled
from benchmarks.salience.__main__ import row, text_of, train
from benchmarks.salience.examples import CHAT, TO_AGENT, drafts_of, examples, general_words, stored
from benchmarks.salience.regression import fit, offset
from cfpm.text.salience import weights

BUNDLED = bundled.labelled()


def odds(share: float) -> float:
    return math.log(share / (1 - share))


def test_a_feature_that_tells_good_from_bad_gets_the_log_odds_between_them() -> None:
    rows = [{"told": 1.0}] * 100 + [{}] * 100
    good = [True] * 80 + [False] * 20 + [True] * 10 + [False] * 90
    found = fit(rows, good, penalty=1e-6)
    assert found.intercept == pytest.approx(odds(0.1), abs=0.01)
    assert found.weights["told"] == pytest.approx(odds(0.8) - odds(0.1), abs=0.01)


def test_a_penalty_draws_weights_towards_nothing() -> None:
    rows, good = [{"told": 1.0}, {}] * 50, [True, False] * 50
    assert abs(fit(rows, good, penalty=100.0).weights["told"]) < abs(fit(rows, good, penalty=1.0).weights["told"])


def test_a_rule_gets_what_its_log_odds_are_off_by() -> None:
    assert offset([(0.0, True)] * 90 + [(0.0, False)] * 10, penalty=0.0) == pytest.approx(odds(0.9), abs=1e-6)
    assert offset([(odds(0.9), True)] * 90 + [(odds(0.9), False)] * 10, penalty=0.0) == pytest.approx(0.0, abs=1e-6)


def test_the_data_file_is_what_the_script_writes() -> None:
    shipped = resources.files("cfpm.text.salience").joinpath("weights.toml").read_text(encoding="utf-8")
    assert text_of({CHAT: weights(CHAT), TO_AGENT: weights(TO_AGENT)}) == shipped


def test_no_weight_belongs_to_a_person_or_a_topic() -> None:
    found = examples(BUNDLED, TO_AGENT)
    assert general_words(found) == []


@pytest.mark.parametrize("kind", [CHAT, TO_AGENT])
def test_examples_are_the_passages_that_the_memory_may_draft(kind: str) -> None:
    found = examples(BUNDLED, kind)
    texts = {example.text for example in found}
    assert any(example.good for example in found)
    assert any(not example.good for example in found)
    assert all(row(example, frozenset(), TO_AGENT).keys() == example.run.features.keys() for example in found)
    drafted = [stored(draft) for labelled in BUNDLED for draft in drafts_of(labelled, kind, weights(kind))]
    assert sum(text in texts for text in drafted) > 0.7 * len(drafted)


@pytest.mark.slow
def test_training_is_deterministic(capsys: pytest.CaptureFixture[str]) -> None:
    assert train(BUNDLED, TO_AGENT) == train(BUNDLED, TO_AGENT)
    first, second = capsys.readouterr().out.split("assistant: ")[1:]
    assert first == second
