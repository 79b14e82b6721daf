"""Checks of values that are given to a name: whether the name holds a secret, and whether the value can be one."""

from __future__ import annotations

import re
from typing import Literal

from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.checks import Span, before, scrambled
from cfpm.secrets.values import (
    is_chosen,
    is_expression,
    is_harmless_name,
    is_invented,
    is_joined_unlike_names,
    is_mixed,
    is_passphrase,
    is_placeholder,
    is_scrambled,
    is_strong,
    is_typed,
    is_uuid,
    is_words_of_secrets,
    word_list,
)

Manner = Literal["assigned", "said", "passed", "spaced", "path"]
"""How a value comes after a name: `=`, `is`, as the next argument, after a space, after a slash."""

_VALUE_CHARS = 64
"""Characters of a value that the table looks at; a longer one is replaced to the end of the word all the same."""
_LONG_WORD = 16
"""Characters from which letters alone can be a key: the case of its letters changes as in no word."""
_SHORT = 8
"""Characters below which the value of a token has to look like a typed password."""
_LONG = 16
"""Characters from which a value given to anything called a key can be taken for one that opens something."""
_IN_PATH = 32
"""Characters from which a part of a path after `/token/` is a token and not a name."""
_TOKEN_END = lazy_pattern(r"[^\s\"'`<>]*")
_NEXT_PARAMETER = lazy_pattern(r"&(?:lt\b|[A-Za-z_.\-]{1,40}=)")
_MORE = lazy_pattern(r"[;,|(){}\[\]\\](?P<part>[^\s\x00-\x1f\"'`<>=;,|(){}\[\]\\]{1,64})(?P<named>[=:]?)")
_SHORT_NAMES = ("pass", "pw", "pwd", "psw")
_FLAG = lazy_pattern(r"(?:^|[\s\"'])--?[A-Za-z\-]*\Z")
_LOGIN_BEFORE = lazy_pattern(
    r"(?:user|login|account|mail|\bid\b|@|ssh|ftp|-pass(?:in|out)?\s)[^\n]{0,60}(?:\n[ \t]{0,8}(?:[-*•][ ])?)?\Z",
    re.IGNORECASE,
)
_OWN_BEFORE = lazy_pattern(
    r"(?:my|our|his|her|their|root|admin|sudo|db|database|wi-?fi|login|default|temporary|initial|new|old|current|the|user)"
    r"\s(?:\w{1,16}\s)?\Z",
    re.IGNORECASE,
)
_KEY_BEFORE = lazy_pattern(
    r"(?:api|access|secret|private|auth|crypt|encryption|signing|account|master|licen[sc]e|activation|product|storage"
    r"|shared|hmac|deploy|webhook|session|service|client|[ar]es|app|subscription|functions?|host|team|user"
    r"|wpa2?|wi-?fi|network|unseal|unlock|recovery|security|pre-?shared)[_\-. ]?\Z"
    r"|[?&]\Z|(?<![a-z])p\Z",
    re.IGNORECASE,
)
_FIRST_PART = lazy_pattern(r"\.|::|->|\?\.")
_ASSIGNED_TO = lazy_pattern(
    r"(?P<name>[A-Za-z][A-Za-z0-9_.\-]{1,60})[\"'`)\]>]{0,4}\s{0,4}(?:=>|:=|[:=])\s{0,4}[\"'`]?\Z"
)
_NAME_PARTS = lazy_pattern(r"[A-Z]?[a-z]+[0-9]?|[A-Z]+(?![a-z])")


def _span(match: re.Match[str]) -> Span | None:
    return _quoted(match) if match["quote"] else _unquoted(match)


def _accepted(match: re.Match[str], span: Span) -> Span | None:
    """The span, unless the name is about a secret only, or the value stands for one. Asked last: it takes longest."""
    start, end = span
    if is_harmless_name(match["tail"]) or is_placeholder(match.string[start:end]):
        return None
    rest = _TOKEN_END.match(match.string, end) if end - start >= _VALUE_CHARS else None
    return start, rest.end() if rest else end


def _unquoted(match: re.Match[str]) -> Span | None:
    """The value without the punctuation of the sentence; None for a call, an index, a dotted name."""
    start, end = match.span("secret")
    if match.string[end : end + 1] in ("(", "[", "{"):
        return None
    value = _NEXT_PARAMETER.split(match["secret"], maxsplit=1)[0].rstrip(".:?*_")
    if not value or _is_part_of_program(value):
        return None
    return start, start + len(value)


def _is_part_of_program(value: str) -> bool:
    """Names with dots between them, unless the first or any of them can only be a password."""
    if not is_expression(value):
        return False
    return not is_strong(_FIRST_PART.split(value, maxsplit=1)[0]) and not is_chosen(value)


def _quoted(match: re.Match[str]) -> Span | None:
    """The value up to its quotation mark; of several words only when one of them can be nothing but a password."""
    start, end = match.span("secret")
    ended = match.string.startswith(match["quote"], end) or match.string[end : end + 1] in ("", "\n", "\r")
    words = match["secret"].split()
    if not words or not (ended or end - start >= _VALUE_CHARS):
        return None
    return (start, end) if len(words) == 1 or _are_chosen(words) else None


def _are_chosen(words: list[str]) -> bool:
    """Several words of which one can only be a password, or that have a number at their end and make no sentence."""
    if len(words) > 6:
        return False
    return any(map(is_strong, words)) or (
        words[-1].rstrip("!?.").isdigit() and word_list("sentence").isdisjoint(word.lower() for word in words)
    )


def _name(match: re.Match[str]) -> str:
    return match.string[match.start() : match.start("tail")]


def _is_part_of_word(match: re.Match[str]) -> bool:
    """`bypass`, `passing`: a short name counts only where a word begins and ends with it."""
    return _name(match).lower() in _SHORT_NAMES and (before(match, 1).islower() or match["tail"][:1].islower())


_LONGER_NAME = lazy_pattern(r"(?P<first>[A-Za-z]{1,20})[_-]\Z|(?P<camel>[a-z]{1,20})\Z")


def _is_bare_pass(match: re.Match[str]) -> bool:
    """`pass`, a word of many meanings, also in `first_pass` and `renderPass`; not in `mqtt_pass` and `dbPass`."""
    if _name(match).lower() != "pass":
        return False
    longer = _LONGER_NAME.search(before(match, 24))
    if longer is None or (longer["camel"] and not match[0][0].isupper()):
        return True
    return (longer["first"] or longer["camel"]).lower() in word_list("passes")


def _is_flag(match: re.Match[str]) -> bool:
    """The name belongs to an option such as `--db-password`."""
    return _FLAG.search(before(match, 24)) is not None


def _manner(match: re.Match[str]) -> Manner | None:
    """How the name comes to its value; None for ways in which only a quoted value is given, and this one is bare."""
    op, quoted = match["op"], bool(match["quote"])
    core = op.strip()
    if core in ("", "-", "–", "—", "|"):
        return "spaced"
    if core.startswith("</"):
        return "assigned"
    if core == "/":
        return "path"
    if core in (",", "(", "||", "??", "or"):
        return "passed" if quoted else "spaced" if op.startswith(" (") else None
    if core.rstrip(" :").endswith(("is", "was", "are")):
        return "said"
    return "assigned" if quoted or "\n" not in op or _BLOCK.match(core) else None


_BLOCK = lazy_pattern(r":[ ]?[|>]")
"""A text of YAML whose lines stand below its key."""


def password(match: re.Match[str]) -> Span | None:
    """A value given to something that is called a password."""
    if not _may_be_password(match):
        return None
    manner, span = _manner(match), _span(match)
    if span is None or manner is None:
        return None
    value = match.string[slice(*span)]
    if not _fits_password(match, manner, value) or (_is_part_of_word(match) and not is_strong(value)):
        return None
    accepted = _accepted(match, span)
    return accepted if accepted is None or match["quote"] else _with_signs(match.string, accepted)


def _with_signs(text: str, span: Span) -> Span:
    """A bare password goes on behind a sign that mostly ends a value, when what comes then looks like more of it."""
    start, end = span
    while (more := _MORE.match(text, end)) and is_mixed(more["part"]) and not more["named"]:
        end = more.end("part")
    return start, end


def _may_be_password(match: re.Match[str]) -> bool:
    """A quick look, which spares the words of ordinary sentences and test reports the long one."""
    value, op = match["secret"], match["op"]
    if is_mixed(value):
        return True
    return not _is_bare_pass(match) and (
        len(value) >= _LONG_WORD or op[:1] in (":", "=") or "s" in op or bool(match["quote"])
    )


def _fits_password(match: re.Match[str], manner: Manner, value: str) -> bool:
    """The less the words before it say that a password comes, the more the value has to look like one."""
    is_pass = _is_bare_pass(match)
    match manner:
        case "spaced" if _is_flag(match):
            return is_mixed(value) or is_invented(value)
        case "spaced" if _is_setting(match) or match["op"].strip() == "|":
            return is_typed(value) or is_strong(value)
        case "spaced" if match["quote"] and _IN_SQL.search(before(match, 80)):
            return True
        case "spaced":
            return is_strong(value) and not is_pass
        case "passed" if _name(match).isupper() and match["op"].startswith(","):
            return is_mixed(value) or is_invented(value) or is_scrambled(value)
        case "passed":
            return (is_strong(value) or is_scrambled(value) or is_typed(value)) and not is_pass
        case "said" if is_pass:
            return False
        case _ if is_pass and match["op"][:1] == " " and match["op"].lstrip()[:1].isalpha():
            return False
        case _ if is_pass:
            return _fits_pass(match, value)
        case _:
            return (
                is_mixed(value)
                or is_scrambled(value)
                or _is_word_of_password(match, manner, value)
                or _is_phrase_of_password(match, manner, value)
            )


def _fits_pass(match: re.Match[str], value: str) -> bool:
    """Of what `pass` is given, since that word has many meanings."""
    if is_joined_unlike_names(value) and is_passphrase(value):
        return not value.islower()
    return is_mixed(value) and (match["op"] == "=" or is_strong(value) or _follows_account(match))


_IN_SQL = lazy_pattern(r"\b(?:create|alter|set)\s[^;\n]{1,70}\Z", re.IGNORECASE)
_SETTING = lazy_pattern(
    r"(?:\bset(?:x|env)?[ ](?:-{1,2}[a-z]{1,10}[ ])?[A-Z0-9_]{0,40}"
    r"|\b(?i:user(?:name)?|login|account)[ ]?:?[ ][^\s:]{1,40}[ ])\Z"
)


def _is_setting(match: re.Match[str]) -> bool:
    """Its shell sets the name to what comes next, or a login stands before it: `user ada password ...`."""
    return _SETTING.search(before(match, 64)) is not None


def _follows_account(match: re.Match[str]) -> bool:
    return _LOGIN_BEFORE.search(before(match, 80)) is not None


def _is_word_of_password(match: re.Match[str], manner: Manner, value: str) -> bool:
    """A plain word counts after `my password is`, and after `DB_PASSWORD=` in capitals."""
    if len(value) < 5 or not value.isalpha() or value.lower().endswith(("ed", "ing", "ly", "able")):
        return False
    if manner == "said":
        own = _OWN_BEFORE.search(before(match, 40)) is not None and _ends_clause(match)
        return own or (is_invented(value) and not _GOES_ON.match(match.string, match.end("secret")))
    if manner == "assigned" and match["quote"]:
        return not match["tail"] and not is_words_of_secrets(value)
    after = match.end("secret")
    bare = match["op"][:1] != " " and not _IN_CALL.match(match.string, after)
    if bare and is_invented(value) and (match["op"] == "=" or not _GOES_ON.match(match.string, after)):
        return True
    return match["op"] == "=" and _name(match).isupper() and (value.islower() or _is_environment(match))


_FEW_JOINTS = 3
"""Hyphens from which small words in a sentence are a password and no adjective."""


def _is_phrase_of_password(match: re.Match[str], manner: Manner, value: str) -> bool:
    """Words that could also be a name of a program count where they are quoted, or all that its line says; small ones
    in a sentence where they are four: `case-sensitive-only` tells about one."""
    if not is_passphrase(value):
        return False
    if manner == "said" and value.islower() and value.count("-") < _FEW_JOINTS:
        return False
    if is_joined_unlike_names(value) or match["quote"] or _follows_account(match):
        return True
    after = match.string[match.end("secret") : match.end("secret") + 1]
    return after in ("", "\n", "\r") and match["op"].strip() in (":", "=") and not match["op"].startswith(" ")


_GOES_ON = lazy_pattern(r"[ ](?!btw|please|for now)[A-Za-z]")
_IN_CALL = lazy_pattern(r"\s{0,4}[,)(.}\]]|;?[ \t]{0,4}\r?\n[ \t]{0,40}[}\])]")
"""What stands behind a name of a program: the next argument, the end of a call or of an object."""


def _is_environment(match: re.Match[str]) -> bool:
    """`DB_PASSWORD=Value` is all of its line, as in the files that hold an environment."""
    ended = match.string[match.end("secret") : match.end("secret") + 1] in ("", "\n", "\r")
    return ended and not is_words_of_secrets(match["secret"]) and _LINE_OF_NAME.search(before(match, 64)) is not None


_LINE_OF_NAME = lazy_pattern(r"(?:^|\n)(?:export[ ])?[A-Z0-9_]{0,60}\Z")


def _ends_clause(match: re.Match[str]) -> bool:
    end = match.end("secret")
    return match.string[end : end + 1] in ("", *"\n\r,;)\"'。，；！") or match["secret"].endswith((".", "!"))


def named(match: re.Match[str]) -> Span | None:
    """A value given to something that is called a secret or a token."""
    value = match["secret"]
    if not (is_mixed(value) or len(value) >= _LONG_WORD) or _is_glued(match) or before(match, 1) == ":":
        return None
    manner, span = _manner(match), _span(match)
    if span is None or manner is None:
        return None
    value = match.string[slice(*span)]
    return _accepted(match, span) if _fits_secret(match, manner, value) else None


def _is_glued(match: re.Match[str]) -> bool:
    """`tokenizer`, `keyboard`: the name goes on in small letters, so it is another word."""
    return match["tail"][:1].islower() and _name(match)[-1:].islower()


def _fits_secret(match: re.Match[str], manner: Manner, value: str) -> bool:
    if manner == "path":
        return len(value) >= _IN_PATH and "/" not in value and is_scrambled(value)
    if len(value) < _SHORT or (manner == "spaced" and not _is_flag(match)):
        return is_strong(value)
    own = _name(match).lower() == "secret" and manner in ("assigned", "said") and match["tail"] in ("", "_key")
    return is_scrambled(value) or is_uuid(value) or (own and is_typed(value))


def named_key(match: re.Match[str]) -> Span | None:
    """A value given to a key that opens something. A key of no kind has to be quoted, long and of both cases."""
    span = named(match)
    if span is None or _KEY_BEFORE.search(before(match, 16)) is not None or _is_key_of_service(match):
        return span
    if not match["quote"]:
        return None
    value = match.string[slice(*span)]
    return span if len(value) >= _LONG and value.lower() != value != value.upper() and " " not in value else None


_JOINT = lazy_pattern(r"[_\-]")
_SERVICE = lazy_pattern(r"(?<![A-Za-z0-9])(?:[A-Z0-9]{1,20}[_\-]){1,5}\Z")


def _is_key_of_service(match: re.Match[str]) -> bool:
    """`OPENWEATHER_KEY`, `DD-APPLICATION-KEY`: a name of the environment or of a header, given a long value."""
    if not _name(match).isupper() or match["tail"] or len(match["secret"]) < _LONG:
        return False
    name = _SERVICE.search(before(match, 40))
    return name is not None and word_list("plain_keys").isdisjoint(_JOINT.split(name[0].lower()))


def assigned(match: re.Match[str]) -> Span | None:
    """A long value with no words in it, given to a name that says that it opens something, or whose service it is."""
    given = _ASSIGNED_TO.search(before(match, 72))
    if given is None:
        return None
    parts = [part.lower() for part in _NAME_PARTS.findall(given["name"])]
    if not parts or (is_harmless_name(parts[-1]) and parts[-1] not in word_list("telling")):
        return None
    if parts[-1] in ("sig", "signature"):
        return scrambled(match) if _IN_ADDRESS.search(before(match, 72)) is not None else None
    return scrambled(match) if not word_list("telling").isdisjoint(parts) else None


_IN_ADDRESS = lazy_pattern(r"[?&;][A-Za-z\-]{0,40}=\Z")
_OPENED_BY = lazy_pattern(
    r"(?:log-?[io]n|sign-?in|authenticate|unlock|unseal|secret|token|apikey"
    r"|(?:api|access|auth|secret|private|unseal|licen[cs]e)[ _-]?(?:key|token))"
    r"(?:[ ](?:is|was|to|with|using|#?[0-9]{1,2}|key))?[ ]?:?[ ]{1,2}[\"'`]?\Z",
    re.IGNORECASE,
)


def opened(match: re.Match[str]) -> Span | None:
    """A long value with no words in it behind a word such as login or token."""
    return scrambled(match) if _OPENED_BY.search(before(match, 48)) is not None else None


_GLUED_TO = lazy_pattern(r"(?:secret|token|passw(?:or)?d|api_?key|access_?key|credential)s?[_-]\Z", re.IGNORECASE)
_GLUED_VALUE = lazy_pattern(r"[A-Za-z0-9/+]{20,200}(?![A-Za-z0-9/+])")


def glued_value(match: re.Match[str]) -> Span | None:
    """A long value that is glued to its name by `_` or `-`."""
    value = _GLUED_VALUE.match(match.string, match.end())
    if value is None or not is_strong(value[0]) or value[0].isupper() or value[0].islower():
        return None
    return value.span() if is_scrambled(value[0]) else None


_NUMBERS = lazy_pattern(r"[0-9]+")
_MANY_NUMBERS = 3


def glued_run(match: re.Match[str]) -> Span | None:
    """The same without a sign between: names of programs go on in this way, with a digit or two."""
    span = glued_value(match)
    return span if span and len(_NUMBERS.findall(match.string[slice(*span)])) >= _MANY_NUMBERS else None


def default(match: re.Match[str]) -> Span | None:
    """The second argument of a look-up in the environment."""
    span = _quoted(match) if match["quote"] else None
    value = match.string[slice(*span)] if span else ""
    return span if is_mixed(value) and not is_placeholder(value) else None


def foreign(match: re.Match[str]) -> Span | None:
    """A value of ASCII characters in a sentence of another script."""
    start = match.start("secret")
    value = match["secret"].rstrip(".,;:!?\"'`)>]")
    plain = value.isalpha() and not match[0][0].isascii()
    likely = is_mixed(value) or plain if match["op"] else is_strong(value)
    refused = "(" in value or is_expression(value) or is_placeholder(value)
    return (start, start + len(value)) if likely and not refused else None


def foreign_secret(match: re.Match[str]) -> Span | None:
    span = foreign(match)
    return span if span and is_scrambled(match.string[slice(*span)]) else None


_RUNNING_ON = lazy_pattern(r"[(\[{]")


def prose(match: re.Match[str]) -> Span | None:
    """A value that a sentence gives to a password, in whatever language: it has to look like a typed one."""
    span = _span(match)
    if span is None or is_harmless_name(match["tail"] or "") or _is_half_a_word(match):
        return None
    start, end = span
    bare = match.string[start:end].rstrip("”»“」』")
    end = start + len(bare)
    direct = not match["op"].strip()
    likely = is_strong(bare) if direct else is_mixed(bare) and len(bare) >= _SHORTEST
    phrase = not direct and is_joined_unlike_names(bare) and is_passphrase(bare)
    likely = likely or (phrase and not (bare.islower() and bare.count("-") < _FEW_JOINTS))
    if not likely or is_placeholder(bare) or is_measure(bare):
        return None
    return start, end


def _is_half_a_word(match: re.Match[str]) -> bool:
    """`passion`, `passes`, `pwned`: in a sentence, a short name is a word of its own."""
    tail = match["tail"]
    return tail is not None and _name(match).lower() in _SHORT_NAMES and (bool(tail) or before(match, 1).isalpha())


_SHORTEST = 6
"""Characters below which a word with a digit in a sentence is more often a version, an amount or a name."""
_MEASURE = lazy_pattern(
    r"[~+<>=]?[0-9][0-9.,]*(?:[-–/x×][0-9][0-9.,]*)*[%°]?[A-Za-z]{0,4}|[A-Za-z]{1,8}[-_ ]?[0-9]{1,3}|v[0-9.]+.*"
    r"|[0-9][0-9TZ:.,+/-]*|[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}"
)


def is_measure(text: str) -> bool:
    """`12-16`, `1,000`, `8chars`, `SHA256`, `v2.1-beta`, the address of a network card: what sentences about
    passwords also have digits in."""
    return _MEASURE.fullmatch(text) is not None
