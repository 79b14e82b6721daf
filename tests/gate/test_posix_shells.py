"""Real shells run the original and the rewritten command, and their programs receive the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cfpm.gate.probe import Dialect
from cfpm.gate.shells.posix.reader import read
from tests.gate.posix_reading import rewritten
from tests.gate.posix_shells import SHELLS, Sandbox

COMMANDS = (
    'args ~/Desktop $HOME/Desktop/a ${HOME}/Desktop/ "$HOME/Desktop" "$HOME"/Desktop/*.txt',
    'args $HOME"/Desktop/a b" ~/"Desktop/a b" ~/\'Desktop/a b\' "$HOME"/"Desktop" "$HOME/"Desktop/x',
    'args $XDG_DESKTOP_DIR/x "${XDG_DESKTOP_DIR}/y" `xdg-user-dir DESKTOP`',
    'args $(xdg-user-dir DESKTOP) "$(xdg-user-dir DESKTOP)/z" "`xdg-user-dir DESKTOP`"/*',
    'args --out=$HOME/Desktop "--out=$HOME/Desktop/b c" --out="$HOME/Desktop" of=$HOME/Desktop/x',
    'D=~/Desktop E="$HOME/Desktop"; args "$D" $E; F=~/Desktop args "$F"',
    "args one > ~/Desktop/one.txt; args two >> $HOME/Desktop/one.txt 2>&1; cat < ~/Desktop/one.txt",
    "cat > ~/Desktop/doc <<'EOF'\n~/Desktop $HOME\nEOF\nargs ~/Desktop",
    'for d in ~/Desktop "$HOME/Desktop/q"; do args "$d" && args ~/Desktop; done',
    'if [ -d ~/Desktop ] && test -e "$HOME/Desktop/seen.txt"; then args yes ~/Desktop/[s]een.txt; fi',
    'docker run -v ~/Desktop:/data -v "$HOME/Desktop:/other" image; scp ~/Desktop/a host:~/Desktop',
    "args \"$(printf '%s' ~/Desktop)\" | cat; (cd ~/Desktop && args *)",
    "cp ~/Desktop/seen.txt ~/Desktop/copy; args '~/Desktop' \"~/Desktop\" ~/Desktop-backup x~/Desktop ~/Desktop\\ x",
    'args é“~/Desktop” ü ~/Desktop/ü "$HOME/Desktop/日本" # ~/Desktop',
    "case a in a) args ~/Desktop;; esac; ! args ~/Desktop || args $HOME/Desktop & wait",
)
PLACES = (
    "args ~/Desktop",
    'args "$HOME/Desktop/x y"',
    'args "$HOME"/Desktop/y',
    'args ~/"Desktop/a b" "$HOME"/"Desktop"',
    'args --out="$HOME/Desktop"',
    'args "--out=$HOME/Desktop/z z"',
    'D=~/Desktop; args "$D"',
    'D="$HOME/Desktop"; args "$D/"',
    "args \"$(printf '%s' ~/Desktop/q)\"",
    "[ -d ~/Desktop ] && args there",
    'for d in ~/Desktop/* "$HOME/Desktop/q"; do args "$d"; done',
    "args hi > ~/Desktop/out.txt",
    'args ~/Desktop:/x "$HOME/Desktop:/y"',
    "cd ~/Desktop && args *",
)
HOSTILE = st.lists(
    st.sampled_from(
        (
            *(*" '\"`;&|%!^\\*?[]{}()<>#~$-=,@\n\t:", "a", "ü", "桌面", "\u202e", "\u200f"),
            *("$(touch PWNED)", "`touch PWNED`", "';touch PWNED;'", '";touch PWNED;"', "$HOME", "${x}", "!!", "{a,b}"),
        )
    ),
    min_size=1,
    max_size=7,
).map("".join)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)


@pytest.mark.parametrize("dialect", SHELLS)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_same_reaches_the_programs(sandbox: Sandbox, dialect: Dialect, command: str) -> None:
    home = sandbox.root / "home"
    changed = rewritten(command, f"{home}/Desktop", dialect)

    assert changed != command
    before = sandbox.run(command, dialect, home)
    assert before.received
    assert sandbox.run(changed, dialect, home) == before


@pytest.mark.slow
@pytest.mark.parametrize("dialect", SHELLS)
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@example(name="o'neil $(touch PWNED) `touch PWNED`")
@example(name="-rf !! ^ % * ~ {a,b}")
@example(name="'; touch PWNED; echo '")
@given(name=HOSTILE)
def test_a_hostile_folder_is_received_exactly_or_not_written(sandbox: Sandbox, dialect: Dialect, name: str) -> None:
    plain, hostile = sandbox.root / "plain", sandbox.root / "homes" / name
    path = f"{hostile}/Desktop"
    written = [line for line in PLACES if all(probe.write(path) is not None for probe in read(line, dialect).probes)]

    originals, changed = "\n".join(written), "\n".join(rewritten(line, path, dialect) for line in written)
    expected = sandbox.run(originals, dialect, hostile)
    after = _run_with_home(sandbox, changed, dialect, hostile, plain)

    assert after == expected.received
    assert not any("PWNED" in files for _, _, files in os.walk(sandbox.root))


def _run_with_home(sandbox: Sandbox, command: str, dialect: Dialect, folder: Path, home: Path) -> bytes:
    """What the programs receive when the home is another: nothing that was replaced may hang on it."""
    sandbox.run(":", dialect, folder)
    return sandbox.run(command, dialect, home).received


def test_the_places_of_the_property_are_all_probes() -> None:
    for line in PLACES:
        reading = read(line, Dialect.DASH)
        assert reading.probes, line
        assert reading.seen == (), line
