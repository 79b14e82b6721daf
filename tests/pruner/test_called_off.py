"""A plan that is called off by its name is no active fact any more; one beside it stands."""

import tomllib
from pathlib import Path

import pytest

from cfpm import Memory, Status
from cfpm.text import changes
from cfpm.text.changes import called_off


def active(tmp_path: Path, *said: str) -> list[str]:
    with Memory.open(tmp_path / "m.db") as memory:
        for number, text in enumerate(said):
            memory.observe([{"role": "user", "content": text}], session=f"s{number}")
        return [fact.content for fact in memory.facts(status=Status.ACTIVE)]


@pytest.mark.parametrize(
    ("plan", "later"),
    [
        ("We're going to move the queue to Kafka in Q3.", "About the Kafka thing: dropped."),
        ("I decided to switch the shop to Shopify.", "scrap the Shopify idea, I'm staying with WooCommerce"),
        ("I've ordered the green sofa from Hay.", "I cancelled the sofa, the delivery would have taken five months."),
        ("I decided to sell the van.", "I'm keeping the van after all."),
        ("十月我们要去敦煌玩一周，酒店订了。", "敦煌不去了，孩子要考试。"),
    ],
)
def test_what_is_called_off_is_no_plan_any_more(tmp_path: Path, plan: str, later: str) -> None:
    assert plan in active(tmp_path, plan)
    assert plan not in active(tmp_path, later)


@pytest.mark.parametrize(
    ("plan", "later"),
    [
        ("We're doing a stand at the wool fair on 3 May.", "The flower fair is off for us, too wet."),
        ("We will build an importer for the old invoices.", "The exporter fell through."),
        ("I signed up for the Tuesday Spanish class.", "Spanish class is cancelled this week, the teacher is ill."),
        ("我报了周六的书法课。", "这周六书法课停一次，老师出差。"),
    ],
)
def test_a_plan_beside_it_stands(tmp_path: Path, plan: str, later: str) -> None:
    assert plan in active(tmp_path, plan, later)


def test_each_pattern_names_what_its_example_calls_off() -> None:
    told = tomllib.loads((Path(changes.__file__).parent / "called_off.toml").read_text(encoding="utf-8"))
    for row in told["called_off"]:
        assert called_off(row["says"]), row["says"]
