"""Broken, half, random and huge commands for a POSIX shell: always a reading, and never a probe that is not there."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect, Effect, Reading
from cfpm.gate.shells.posix.reader import read

pytestmark = pytest.mark.slow

LONG = """set -e; D="$HOME/Desktop/größe $(date +%F)"; export OUT=~/Documents/out
for f in ~/Desktop/*.txt "$HOME"/Music/*; do
  if [ -f "$f" ] && [[ ! -d ~/Desktop/'a b' ]]; then cp -- "$f" "${D}/$(basename "$f")" || echo "no ~/Desktop"; fi
done | tee >(grep -v '^#' > ~/Downloads/log.txt) # comment with ~/Desktop and 'quote
cat > $(xdg-user-dir DOWNLOAD)/note <<'EOF'
it's in ~/Desktop
EOF
case "$1" in ~/Desktop|"$HOME/Music") bash -c 'ls ~/Desktop';; *) ssh h "ls ~/Desktop" `date`;; esac
"""
HUGE = 1_000_000


def sound(command: str, reading: Reading) -> bool:
    """Whether spans lie in the command, in order and apart, and every probe can be asked to write."""
    spans = sorted([(p.start, p.end) for p in reading.probes] + [(s.start, s.end) for s in reading.seen])
    apart = all(before[1] <= after[0] for before, after in pairwise(spans))
    inside = all(0 <= start < end <= len(command) for start, end in spans)
    writes = all(p.write("/ab") for p in reading.probes if not p.write("/a:'\"$`\\!") or True)
    ordered = list(reading.probes) == sorted(reading.probes, key=lambda probe: probe.start)
    return apart and inside and writes and ordered


@pytest.mark.parametrize("dialect", [Dialect.BASH, Dialect.SH, Dialect.ZSH])
def test_every_prefix_of_a_long_command(dialect: Dialect) -> None:
    for end in range(len(LONG) + 1):
        assert sound(LONG[:end], read(LONG[:end], dialect)), end


def test_ten_thousand_random_byte_strings() -> None:
    source = random.Random(4)
    fragments = [b"~/Desktop", b'"$HOME"/Music', b"$(xdg-user-dir DESKTOP)", b"${XDG_MUSIC_DIR", b"<<A\n", b"$("]
    fragments += [b"`", b'"', b"'"]
    for _ in range(10_000):
        raw = b"".join(
            source.choice(fragments) if source.random() < 0.3 else source.randbytes(source.randrange(6))
            for _ in range(source.randrange(12))
        )
        for command in (raw.decode("utf-8", "surrogateescape"), raw.decode("utf-8", "replace"), raw.decode("latin-1")):
            assert sound(command, read(command, Dialect.BASH))


def test_ten_thousand_random_commands() -> None:
    source = random.Random(5)
    fragments = [*" \n;|&<>(){}[]$'\"`\\#=:~/é", "~/Desktop", "$HOME/Music", '"${HOME}"/', "if ", "<<E\n", "E\n"]
    for _ in range(10_000):
        command = "".join(source.choice(fragments) for _ in range(source.randrange(25)))
        assert sound(command, read(command, Dialect.ZSH))


@pytest.mark.parametrize(
    "unit",
    ["ls ~/Desktop; ", "$(", "<<", '"$HOME/Desktop', "${HOME", "`", "~/Desktop", "a=~/Desktop ", "xdg-user-dir  "],
)
def test_a_megabyte_is_not_read(unit: str) -> None:
    command = (unit * (HUGE // len(unit) + 1))[:HUGE] + " ~/Desktop"
    reading = read(command, Dialect.BASH)

    assert reading.probes == ()
    assert {seen.reason for seen in reading.seen} == {Reason.TOO_LONG}


@pytest.mark.parametrize(
    "unit", ["ls ~/Desktop; ", '"$HOME/Desktop ', "$(ls ", "<<A ", "~/Desktop ", "((", "a | ", "{)"]
)
def test_the_longest_that_is_read(unit: str) -> None:
    command = "echo " + unit * (199_000 // len(unit))

    assert sound(command, read(command, Dialect.BASH))


def test_a_deep_nest_of_long_expansions_is_not_read_at_every_level() -> None:
    command = "ls ~/Desktop " + "${x:-" * 900 + "a" * 150_000 + "}" * 900
    reading = read(command, Dialect.BASH)

    assert len(reading.probes) == 1
    assert reading.effect is Effect.ACTS
