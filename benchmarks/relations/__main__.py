"""`python -m benchmarks relations FILE ...`: tells labelled statements to a memory, and looks what became of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cfpm import Memory
from cfpm.model import Category, Status
from cfpm.pruner.changes import untouched

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from cfpm.model import Fact

TIES = ("same", "update", "contradict")


@dataclass(slots=True)
class Counts:
    """What became of the statements of one file."""

    told: int = 0
    kept: int = 0
    wanted: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    replaced: int = 0
    tied: Counter[str] = field(default_factory=Counter)
    """Ties that were made, by kind; and those of them that the labels call so, under `right KIND`."""
    innocents: int = 0
    innocents_tied: int = 0
    wrong: list[str] = field(default_factory=list)

    def show(self, name: str) -> None:
        """Prints the figures."""
        print(f"{name}: {self.told} statements, kept {_share(self.kept, self.told)}")
        rows = {
            "updates": "update",
            "contradictions": "contradict",
            "same, light rewording": "light",
            "same, medium": "medium",
            "same, heavy": "heavy",
            "same": "same",
        }
        for shown, label in rows.items():
            if self.wanted[label]:
                more = f", replaced {_share(self.replaced, self.wanted[label])}" if label == "update" else ""
                print(f"  {shown}: found {_share(self.found[label], self.wanted[label])} of {self.wanted[label]}{more}")
        for tie in ("superseded", "linked", "merged"):
            if self.tied[tie]:
                print(f"  {tie}: {self.tied[tie]}, precision {_share(self.tied[f'right {tie}'], self.tied[tie])}")
        print(f"  innocents tied: {_share(self.innocents_tied, self.innocents)} of {self.innocents}", flush=True)


def main() -> int:
    """Prints the figures of each file; `--wrong` also what was tied and should not be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks relations", description=__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--wrong", action="store_true", help="Show what was tied wrongly.")
    given = parser.parse_args()
    for path in given.files:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if "gone" in rows[0]:
            for name, half in (("odd numbers", 1), ("even numbers", 0)):
                print(f"{path.stem}, {name}")
                of_changes([row for row in rows if int(row["id"][-1]) % 2 == half], wrong=given.wrong)
            continue
        if "goes" in rows[0]:
            of_parts(rows)
            continue
        counts = of_worlds(rows) if "world" in rows[0] else of_pairs(rows)
        counts.show(path.stem)
        if given.wrong:
            print("\n".join(f"    {text}" for text in counts.wrong))
    return 0


def of_pairs(rows: Iterable[dict[str, Any]]) -> Counts:
    """Each pair in a memory of its own."""
    counts = Counts()
    for row in rows:
        with Memory.open("sqlite://") as memory:
            facts = _tell(memory, [row["a"], row["b"]])
            counts.told += 2
            counts.kept += sum(map(bool, facts))
            _count(counts, row["label"], row.get("rewording", ""), facts, [0], memory, (row["a"], row["b"]))
    return counts


def of_worlds(rows: Iterable[dict[str, Any]]) -> Counts:
    """Each world in a memory of its own, statement by statement."""
    worlds: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        worlds[row["world"]].append(row)
    counts = Counts()
    for world in worlds.values():
        texts = [row["text"] for row in world]
        places = {row["n"]: place for place, row in enumerate(world)}
        with Memory.open("sqlite://") as memory:
            facts: list[set[str]] = []
            for number, row in enumerate(world):
                facts += _tell(memory, [row["text"]], number)
                counts.told += 1
                counts.kept += bool(facts[-1])
                of = [places[one] for one in row["of"]]
                label = "different" if row["relation"] == "new" else row["relation"]
                _count(counts, label, "", [*facts], of or range(number), memory, texts)
    return counts


def of_changes(rows: Iterable[dict[str, Any]], *, wrong: bool) -> None:
    """Prints of excerpts, each in a memory of its own, how much of what is no longer so is an active fact no more, and
    how much of what stands is one."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        days: dict[int, list[dict[str, str]]] = defaultdict(list)
        for number, told in enumerate(row["messages"]):
            days[told["day"]].append({"role": "user", "content": told["text"], "id": f"m{number}"})
        with Memory.open("sqlite://") as memory:
            for day, messages in days.items():
                memory.observe(messages, session=f"d{day}")
            active = memory.facts(status=Status.ACTIVE)
        for name in ("gone", "stands"):
            for number, words in row[name]:
                begin = row["messages"][number]["text"].index(words)
                spans = [fact for fact in active if fact.message_id == f"m{number}"]
                held = any(fact.span_start < begin + len(words) and begin < fact.span_end for fact in spans)
                counts[row["kind"]][name] += 1
                counts[row["kind"]][f"{name}, right"] += held == (name == "stands")
                if wrong and held != (name == "stands"):
                    print(f"    {row['id']} {name}: {words} ({' / '.join(told['text'] for told in row['messages'])})")
    for kind, one in counts.items():
        shown = (f"{name} {one[f'{name}, right']} of {one[name]}" for name in ("gone", "stands") if one[name])
        print(f"  {kind}: {', '.join(shown)}")


def of_parts(rows: Iterable[dict[str, Any]]) -> None:
    """Prints how much is left of facts of several statements of which a newer one replaces one, or all."""
    for name, half in (("odd numbers", 1), ("even numbers", 0)):
        counts: Counter[str] = Counter()
        for row in (row for row in rows if int(row["id"][-1]) % 2 == half):
            found = untouched(row["older"], row["newer"], Category(row["category"]))
            left = row["older"][found.begin : found.end] if found else ""
            counts["in part" if row["stays"] else "altogether"] += 1
            counts["rest left"] += bool(row["stays"]) and row["stays"] in left and row["goes"] not in left
            counts["old value left"] += bool(left) and row["goes"] in left
            counts["something left"] += bool(left) and not row["stays"]
        print(
            f"parts, {name}: of {counts['in part']} replaced in part the rest is left of {counts['rest left']}, the old"
            f" value of {counts['old value left']}; of {counts['altogether']} replaced altogether something is left of"
            f" {counts['something left']}"
        )


def _tell(memory: Memory, texts: Sequence[str], first: int = 0) -> list[set[str]]:
    """For each text, told in a session of its own, the facts that it made or confirmed."""
    found = []
    for number, text in enumerate(texts, first):
        session = f"s{number}"
        hello = [{"role": "user", "content": "Good morning."}, {"role": "assistant", "content": "Good morning!"}]
        memory.observe([*hello, {"role": "user", "content": text, "id": f"m{number}"}], session=session)
        rows = memory.candidates(session=session)
        found.append(
            {
                row.fact_id
                for row in rows
                if row.fact_id and row.decision != "rejected" and row.span.message_id == f"m{number}"
            }
        )
    return found


def _count(
    counts: Counts,
    label: str,
    rewording: str,
    facts: Sequence[set[str]],
    of: Iterable[int],
    memory: Memory,
    texts: Sequence[str],
) -> None:
    """Counts what the last statement did to the older ones; `of` are those that its label speaks of."""
    new = facts[-1]
    known = {fact.id: fact for fact in memory.facts()}
    meant: set[str] = set().union(*(facts[place] for place in of))
    gone = {one.id for one in known.values() if one.superseded_by in new and _last(one, known, new)}
    linked = {name for one in new for name in known[one].contradicts.split()} if new else set()
    merged = new & set().union(*facts[:-1], set())
    ties = {"superseded": gone - new, "linked": linked, "merged": merged}
    for tie, names in ties.items():
        for name in sorted(names):
            right = label in _RIGHT[tie] and name in meant
            counts.tied[tie] += 1
            counts.tied[f"right {tie}"] += right
            if not right:
                counts.wrong.append(f"{tie} ({label}): {known[name].content} => {texts[len(facts) - 1]}")
    if label == "different":
        counts.innocents += 1
        counts.innocents_tied += any(ties.values())
        return
    counts.wanted[label] += 1
    counts.wanted[rewording] += bool(rewording)
    hit = any(names & meant for tie, names in ties.items() if label in _RIGHT[tie])
    counts.found[label] += hit
    counts.found[rewording] += hit and bool(rewording)
    counts.replaced += label == "update" and bool(ties["superseded"] & meant)


_RIGHT = {"superseded": ("update", "contradict"), "linked": ("update", "contradict"), "merged": ("same",)}


def _last(fact: Fact, known: dict[str, Fact], new: set[str]) -> bool:
    """Whether this very statement superseded the fact, and it did not itself confirm it."""
    return fact.status is Status.SUPERSEDED and fact.id not in new and fact.superseded_by in known


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
