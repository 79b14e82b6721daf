"""Reads PowerShell commands: a look-alike is a probe only where the grammar shows that a path means the same there.

The grammar does not know variables inside bare words (`cd $HOME\\Desktop`) nor nested types: such a word is parsed as a
plain word of the same length, and must come out as one argument of a command.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cfpm.gate.decision import Reason
from cfpm.gate.probe import Dialect, Effect, How, Probe, Reading, Seen
from cfpm.gate.shells.powershell import quoting
from cfpm.gate.shells.powershell.commands import named, takes_away, takes_home
from cfpm.gate.shells.powershell.detection import Spot, spots
from cfpm.gate.shells.powershell.grammar import Source, parse
from cfpm.gate.shells.powershell.places import Place, place_of
from cfpm.gate.shells.powershell.reads import effect_of
from cfpm.gate.shells.powershell.strings import Piece, piece_at, pieces
from cfpm.model.patterns import lazy_pattern

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 32_767
"""Characters of a command that is read: what Windows lets a command line have (Microsoft, CreateProcessW). It bounds
the time that the grammar takes to recover from garbage."""

_LONGER = lazy_pattern(r"[\w-]")
_REST = lazy_pattern(r"(?:[\\/][\w\\/.:+=~-]*)?(?=[ \t\r\n;|)}]|\Z)")
_BEFORE = lazy_pattern(r"[ \t\n](?:-[A-Za-z]\w{0,30}:)?\Z")
_BOUNDS = ("", *"\\/ \t\r\n;|)}")
_UPWARDS = lazy_pattern(r"(?:^|[\\/])\.\.(?:[\\/]|$)")
_LITERAL = lazy_pattern(r"[^$`*?\[\]\"']*")
# Quotes, dashes and blanks that PowerShell takes for ASCII ones and the grammar does not, line ends of old systems, and
# what is no Unicode.
_FOREIGN = lazy_pattern(
    r"[‘’‚‛“”„–—―\0\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ud800-\udfff\ufeff]"
    r"|\r(?!\n)|`[ \t]"
)
_HOMES = r"(?:HOME|USERPROFILE|HOMEDRIVE|HOMEPATH|SystemDrive)"
_CHANGED = lazy_pattern(
    rf"""\$\{{?(?:\w+:)?{_HOMES}\}}?\s*(?:[-+*/%]|\?\?)?=|\$\{{?(?:\w+:)?{_HOMES}\}}?(?:\+\+|--|\s*,[^;\n=]{{0,100}}=)"""
    rf"""|(?<![\w${{])env:[\\/]{{0,2}}{_HOMES}\b|\bvariable:[\\/]?HOME\b|\[ref\]\s*\$(?:\w+:)?{_HOMES}\b"""
    rf"""|SetEnvironmentVariable|\bforeach\s*\(\s*\$(?:\w+:)?{_HOMES}\s|Get-PSProvider|New-PSDrive"""
    rf"""|-(?:OutVariable|ov|ErrorVariable|ev|PipelineVariable|pv|Variable)[\s:]+["'+]{{0,2}}HOME\b"""
    rf"""|\b(?:(?:set|new|clear|remove)-variable|sv|nv|clv|rv|set)\b[^;\n|]{{0,200}}?(?<![$:\w\\/])HOME\b"""
    rf"""|(?:\bparam|\bfunction\s[\w:-]{{1,60}})\s*\([^)]{{0,300}}?\$(?:\w+:)?{_HOMES}\s*[,)=]""",
    re.IGNORECASE,
)
_OTHER_DRIVE = lazy_pattern(
    r"\b(?:HKLM|HKCU|HKCR|Cert|WSMan|Registry|SQLSERVER|Alias|Function|Variable):", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Writer:
    """The text of a path for one place. `rest` is the end of a word that is replaced as a whole."""

    form: str
    rest: str = ""
    nested: bool = False
    batch: bool = False
    only_windows: bool = False

    def __call__(self, path: str) -> str | None:
        if not quoting.writable(path) or (self.nested and not quoting.plain(path)):
            return None
        if (self.batch and not quoting.safe_for_batch(path)) or (self.only_windows and quoting.is_posix(path)):
            return None
        match self.form:
            case "double":
                return quoting.inside_double(path)
            case "single":
                return quoting.inside_single(path)
        return quoting.single_quoted(path + self.rest)


def read(command: str, dialect: Dialect) -> Reading:
    """The probes of a PowerShell command. Never raises."""
    found, more = spots(command)
    if not found:
        return Reading()
    if more or len(command) > LONGEST:
        return _all_seen(found, Reason.TOO_LONG)
    if all(_goes_on(command, spot) for spot in found):
        return _all_seen(found, Reason.LONGER_NAME)
    if _FOREIGN.search(command):
        return _all_seen(found, Reason.CANNOT_PARSE)
    source = parse(_masked(command, found))
    if source is None:
        return _unparsed(command, found)
    if "--%" in command:
        return _all_seen(found, Reason.STRING_LITERAL)
    strings = pieces(command)
    results = [_judge(command, source, spot, strings) for spot in found]
    if _CHANGED.search(command):
        results = [Seen(one.start, one.end, Reason.HOME_CHANGED) if isinstance(one, Probe) else one for one in results]
    probing = any(isinstance(one, Probe) for one in results)
    return Reading.of(results, effect_of(source) if probing else Effect.ACTS)


def _judge(command: str, source: Source, spot: Spot, strings: list[Piece]) -> Probe | Seen:
    verdict = _verdict(command, source, spot)
    if isinstance(verdict, Probe) and not _agrees(piece_at(strings, spot.start), spot, verdict):
        verdict = Reason.CANNOT_PARSE
    return Seen(spot.start, spot.end, verdict) if isinstance(verdict, Reason) else verdict


def _verdict(command: str, source: Source, spot: Spot) -> Probe | Reason:
    if _goes_on(command, spot):
        return Reason.LONGER_NAME
    nodes = source.around(spot.start)
    kinds = [node.type for node in nodes]
    if "comment" in kinds:
        return Reason.COMMENT
    if any("here_string" in kind for kind in kinds):
        return Reason.HERE_DOCUMENT
    if not nodes or "switch_clause_condition" in kinds:
        return Reason.PATTERN if nodes else Reason.UNSUPPORTED_PLACE
    if spot.how is How.SYSTEM:
        return _question(source, spot, nodes)
    if spot.variables is None:
        return Reason.STRING_LITERAL if spot.base.startswith("%") else Reason.UNSUPPORTED_PLACE
    for kind in ("verbatim_string_characters", "expandable_string_literal"):
        if kind in kinds and kinds.index(kind) >= len(kinds) - 3:
            return _in_string(command, source, spot, nodes, kinds.index(kind))
    return _bare(command, source, spot, nodes)


def _agrees(piece: Piece | None, spot: Spot, probe: Probe) -> bool:
    """Whether PowerShell's own idea of the strings fits what the grammar said."""
    if spot.how is How.SYSTEM:
        return piece is None or (piece.kind == "double" and isinstance(probe.write, _Writer) and probe.write.nested)
    if isinstance(probe.write, _Writer) and probe.write.form == "own":
        return piece is None
    return piece is not None and piece.kind in ("single", "double") and piece.start == spot.start - 1


def _question(source: Source, spot: Spot, nodes: list[Node]) -> Probe | Reason:
    wanted = (source.byte(spot.start), source.byte(spot.end))
    calls = [number for number, node in enumerate(nodes) if node.type == "invokation_expression"]
    at = next((number for number in calls if nodes[number].byte_range == wanted), None)
    if at is None:
        text = "string" in nodes[-1].type or "string" in nodes[-2].type
        return Reason.STRING_LITERAL if text else Reason.UNSUPPORTED_PLACE
    place = place_of(source, nodes, at)
    if isinstance(place, Reason):
        return place
    return _probe(spot, spot.start, spot.end, place, _Writer("own"), "")


def _in_string(command: str, source: Source, spot: Spot, nodes: list[Node], at: int) -> Probe | Reason:
    string = nodes[at]
    single = string.type == "verbatim_string_characters"
    start, end = source.start(string), source.end(string)
    if single and not spot.is_tilde:
        return Reason.STRING_LITERAL
    if start != spot.start - 1 or command[start] != ("'" if single else '"'):
        return Reason.STRING_LITERAL if spot.is_tilde else Reason.UNSUPPORTED_PLACE
    rest = command[spot.end : end - 1]
    if rest and rest[0] not in "\\/":
        return Reason.LONGER_NAME
    if _UPWARDS.search(rest):
        return Reason.UNSUPPORTED_PLACE
    place = place_of(source, nodes, at)
    if isinstance(place, Reason):
        # What PowerShell does not expand is a string before it is anything else, except to those who would expand it.
        return Reason.STRING_LITERAL if spot.is_tilde and place is not Reason.REMOTE_HOST else place
    if spot.is_tilde and not (_LITERAL.fullmatch(rest) and _at_home(command, place)):
        return Reason.STRING_LITERAL
    only_windows = spot.is_tilde and place.call is not None and named("programs_elsewhere", place.call.name)
    writer = _Writer("single" if single else "double", only_windows=only_windows)
    return _probe(spot, spot.start, spot.end, place, writer, rest)


def _bare(command: str, source: Source, spot: Spot, nodes: list[Node]) -> Probe | Reason:
    if spot.is_tilde and command[spot.start - 1 : spot.start] == ":" and nodes[-1].type == "generic_token":
        return Reason.REMOTE_HOST
    match = _rest(command, spot)
    if match is None:
        after = command[spot.end : spot.end + 1]
        return Reason.UNSUPPORTED_PLACE if after in _BOUNDS else Reason.LONGER_NAME
    wanted = (source.byte(spot.start), source.byte(match.end()))
    at = len(nodes) - 1
    if nodes[at].type != "generic_token" or nodes[at].byte_range != wanted:
        return Reason.UNSUPPORTED_PLACE
    if _UPWARDS.search(match[0]):
        return Reason.UNSUPPORTED_PLACE
    place = place_of(source, nodes, at)
    if isinstance(place, Reason):
        return place
    if spot.is_tilde and not _at_home(command, place):
        return Reason.STRING_LITERAL
    return _probe(spot, spot.start, match.end(), place, _Writer("own", match[0]), match[0])


def _probe(spot: Spot, start: int, end: int, place: Place, writer: _Writer, rest: str) -> Probe | Reason:
    call = place.call
    if call is not None and not rest.strip("\\/*.") and spot.how is How.HOME and takes_away(call, place.argument):
        return Reason.UNSUPPORTED_PLACE
    batch = call is not None and not call.is_cmdlet
    write = _Writer(writer.form, writer.rest, place.nested, batch, writer.only_windows)
    return Probe(spot.folder, spot.name, spot.how, start, end, spot.variables or (), write)


def _at_home(command: str, place: Place) -> bool:
    if place.call is None or place.argument is None or _OTHER_DRIVE.search(command):
        return False
    return takes_home(place.call, place.argument)


def _masked(command: str, found: list[Spot]) -> str:
    pieces: list[str] = []
    at = 0
    for spot in found:
        end = spot.start
        if spot.plus >= 0:
            pieces += (command[at : spot.plus], "_")
            at = spot.plus + 1
        elif spot.base and spot.start >= at and (match := _rest(command, spot)):
            end = match.end()
            pieces += (command[at : spot.start], "x" * (end - spot.start))
            at = end
    return "".join((*pieces, command[at:]))


def _rest(command: str, spot: Spot) -> re.Match[str] | None:
    """The end of a bare word that begins with the look-alike, when all of it means itself."""
    before = command[max(0, spot.start - 40) : spot.start]
    return _REST.match(command, spot.end) if _BEFORE.search(before) else None


def _goes_on(command: str, spot: Spot) -> bool:
    return spot.how is How.HOME and bool(_LONGER.match(command, spot.end))


def _unparsed(command: str, found: list[Spot]) -> Reading:
    """Nothing is a probe; what stands in single quotes would be none in any case."""
    literal = [one for one in pieces(command) if one.kind == "single"]
    reasons = (Reason.STRING_LITERAL if piece_at(literal, spot.start) else Reason.CANNOT_PARSE for spot in found)
    return Reading.of(Seen(spot.start, spot.end, reason) for spot, reason in zip(found, reasons, strict=True))


def _all_seen(found: list[Spot], reason: Reason) -> Reading:
    return Reading.of(Seen(spot.start, spot.end, reason) for spot in found)
