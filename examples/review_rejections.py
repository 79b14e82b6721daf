"""Look through what a memory refused, and take one refusal back: `review_rejections.py URL NAMESPACE [ID]`."""

from __future__ import annotations

import sys
from collections import defaultdict

from cfpm import Candidate, Decision, Memory, utc_now


def by_reason(memory: Memory) -> dict[str, list[Candidate]]:
    """The rejected candidates of the memory, by reason code."""
    grouped: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in memory.candidates(decision=Decision.REJECTED):
        grouped[candidate.reason].append(candidate)
    return dict(sorted(grouped.items()))


def main(url: str, namespace: str, accept: str | None = None) -> None:
    """Prints three refusals a reason with their stories' ids; accepts the candidate with the id `accept`."""
    with Memory.open(url, namespace=namespace, clock=utc_now) as memory:
        if accept is not None:
            print(f"now believed: {memory.accept(accept).content}")
        for reason, candidates in by_reason(memory).items():
            print(f"{reason}: {len(candidates)}")
            for candidate in candidates[:3]:
                print(f"  {candidate.id} {candidate.role}: {candidate.content}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:4])
