"""`python -m benchmarks stories [FOLDER]`: what a prompt holds after stories that authors without the code wrote."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.stories.scoring import Score, memory_of, plain_search, score_facts, score_prompts
from benchmarks.stories.stories import Story
from cfpm import Memory

HERE = Path(__file__).parent / "data"


def main() -> int:
    """Prints a row for each measure, the memory beside a plain search."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks stories", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=HERE, help="Story files; without it those kept here.")
    parser.add_argument("--misses", action="store_true", help="Also name what did not come out.")
    parser.add_argument("--json", type=Path, metavar="OUT", help="Write the figures there.")
    given = parser.parse_args()
    paths = sorted(given.folder.glob("*.json"))
    if not paths:
        print(f"stories: no *.json in {given.folder}. Name a folder of story files", file=sys.stderr)
        return 2
    ours, plain = Score(), Score()
    for path in paths:
        story = Story.read(path)
        with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder) / "memory.db") as memory:
            story.told(memory)
            score_facts(story, memory, ours)
            score_prompts(story, memory_of(memory), ours)
        score_prompts(story, plain_search(story), plain)
    print(f"{len(paths)} stories: {', '.join(path.stem for path in paths)}")
    for measure, asked in ours.asked.items():
        beside = f"{plain.share(measure):6.2f}" if plain.asked[measure] else "     -"
        print(f"  {measure:<36}{ours.share(measure):6.2f}  plain search {beside}  of {asked}")
    if given.misses:
        print("\n".join(ours.misses))
    if given.json:
        figures = {measure: [ours.good[measure], asked] for measure, asked in ours.asked.items()}
        given.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
