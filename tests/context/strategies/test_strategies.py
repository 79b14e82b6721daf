"""The names of the strategies, as in the reference, and their limits."""

from __future__ import annotations

import pytest

from cfpm.context.strategies.registry import DEFAULT, NAMES, canonical_name, default_limits, named
from cfpm.context.strategies.summariser import DEADLINE
from cfpm.errors import UsageError
from cfpm.settings import Settings


@pytest.mark.parametrize(
    "alias",
    ["cfpm", "cfpm_memory", "cfpm_memory_v1", "progressive", "progressive_memory", "new", "v2", "cfpm_memory_v2"],
)
def test_the_names_of_the_reference_mean_cfpm(alias: str) -> None:
    assert named(alias)[0] == "cfpm"


def test_legacy_segmented_means_segmented() -> None:
    assert named("legacy_segmented")[0] == "segmented"


@pytest.mark.parametrize("written", [" CFPM ", "Cfpm-Memory-V1", "cfpm memory\n"])
def test_case_blanks_and_dashes_do_not_matter(written: str) -> None:
    assert canonical_name(written) == "cfpm"


def test_an_unknown_name_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(UsageError, match=r"no strategy is called 'zip'.*cfpm.*segmented.*intent.*window.*hybrid"):
        named("zip")


def test_no_name_means_two_strategies_and_each_has_one() -> None:
    aliases = [alias for names in NAMES.values() for alias in names]
    assert len(aliases) == len(set(aliases))
    assert all(callable(named(alias)[1]) for alias in aliases)


def test_the_limits_are_those_of_the_reference() -> None:
    lists, summaries = default_limits("cfpm", 4_000), default_limits("segmented", 4_000, manual=True)

    assert (lists.keep_first, lists.keep_last, lists.minimum, lists.manual) == (2, 8, 12, False)
    assert (summaries.keep_first, summaries.keep_last, summaries.minimum, summaries.manual) == (3, 10, 20, True)


def test_the_settings_name_the_same_defaults() -> None:
    assert canonical_name(Settings().compaction_strategy) == DEFAULT
    assert Settings().summary_deadline == DEADLINE


def test_the_environment_chooses() -> None:
    assert Settings.load({"CFPM_COMPACTION_STRATEGY": "legacy_segmented"}).compaction_strategy == "legacy_segmented"
