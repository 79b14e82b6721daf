"""The second looks that a match can need: at numbers, logins, and what is encoded. None of them measures entropy."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from itertools import groupby, pairwise

from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.values import is_placeholder, is_scrambled, is_strong, is_typed

Span = tuple[int, int]
Check = Callable[[re.Match[str]], Span | None]
"""Takes a match and gives the characters to replace, or None when it is no secret."""


def whole(match: re.Match[str]) -> Span:
    """The group `secret`, or all of the match when the pattern has no such group."""
    return match.span("secret") if "secret" in match.re.groupindex else match.span()


def text_of(match: re.Match[str]) -> str:
    start, end = whole(match)
    return match.string[start:end]


def kept(match: re.Match[str], accepted: bool) -> Span | None:
    return whole(match) if accepted else None


def before(match: re.Match[str], chars: int) -> str:
    """Up to `chars` characters in front of the match."""
    return match.string[max(0, match.start() - chars) : match.start()]


_ISSUER = lazy_pattern(
    r"""
      4[0-9]{12}(?:[0-9]{3}){0,2}                                                       # Visa
    | 5[1-5][0-9]{14} | 2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}  # Mastercard
    | 3[47][0-9]{13}                                                                    # American Express
    | 3(?:0[0-5]|[689][0-9])[0-9]{11}                                                   # Diners Club
    | 6(?:011|4[4-9][0-9]|5[0-9]{2})[0-9]{12}                                           # Discover
    | 35(?:2[89]|[3-8][0-9])[0-9]{12} | (?:2131|1800)[0-9]{11}                          # JCB
    | 62[0-9]{14,17}                                                                    # UnionPay
    | (?:5018|5020|5038|5[6-8][0-9]{2}|6304|6390|67[0-9]{2}|0604)[0-9]{8,15}            # Maestro
    """,
    re.VERBOSE,
)
_USUAL_LENGTHS = (14, 15, 16)
"""Digits for which an issuer's number is believed without the word card: others are as often orders or samples."""
_CARD_NAME = lazy_pattern(r"(?:card|visa|maestro|amex|karte|卡)[^\n]{0,40}\Z", re.IGNORECASE)
_SSN_NAME = lazy_pattern(r"(?:ssn|social[ \-]security)[^0-9\n]{0,40}\Z", re.IGNORECASE)


def luhn(digits: str) -> bool:
    """The check digit of card numbers (ISO/IEC 7812-1). `digits` holds digits only."""
    total = 0
    for index, digit in enumerate(map(int, reversed(digits))):
        doubled = digit * 2 if index % 2 else digit
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def card(match: re.Match[str]) -> Span | None:
    """The right check digit, and either the first digits of a known issuer or a text that calls it a card."""
    digits = re.sub(r"[^0-9]", "", text_of(match))
    if not luhn(digits) or len(set(digits)) == 1:
        return None
    issued = len(digits) in _USUAL_LENGTHS and _ISSUER.fullmatch(digits) is not None
    return kept(match, issued or _CARD_NAME.search(before(match, 48)) is not None)


def named_card(match: re.Match[str]) -> Span | None:
    """The right check digit, whatever the issuer."""
    digits = re.sub(r"[^0-9]", "", text_of(match))
    return kept(match, luhn(digits) and len(set(digits)) > 1)


_NAMED_NUMBER = 64
"""Characters behind its name in which a number of a person is looked for."""


def national_id(match: re.Match[str]) -> Span | None:
    """The first number behind the name that has the check digits of a country."""
    from cfpm.secrets.national import numbers

    found = next(numbers(match.string, match.end(), min(len(match.string), match.end() + _NAMED_NUMBER)), None)
    return found if found and "\n\n" not in match.string[match.end() : found[0]] else None


_IBAN_LENGTHS = {
    country: int(length)
    for country, length in re.findall(
        r"([A-Z]{2})([0-9]{2})",
        "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
        "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
        "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 "
        "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "
        "YE30",
    )
}
"""Characters of an account number by country, from the SWIFT registry of ISO 13616."""


def iban(match: re.Match[str]) -> Span | None:
    """ISO 13616: country and check digits moved to the end, letters as 10 to 35, remainder 1 modulo 97."""
    compact = text_of(match).replace(" ", "").upper()
    if _IBAN_LENGTHS.get(compact[:2]) != len(compact):
        return None
    number = int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4]))
    return kept(match, number % 97 == 1)


def ssn(match: re.Match[str]) -> Span | None:
    return kept(match, _SSN_NAME.search(before(match, 64)) is not None)


_FILLER = lazy_pattern(r"([xX0*])\1{7}")
_LINE_END = lazy_pattern(r"[^\n\"'`\\]*")
_SQL = lazy_pattern(r"\b(?:user|role|login|grant|alter|create)\b", re.IGNORECASE)
_NETRC_LOGIN = lazy_pattern(r"login\s{1,8}[^\s]{1,100}\s{1,8}\Z", re.IGNORECASE)
_LOGIN_NAME = lazy_pattern(r"(?:id|user|username|login|account)[ ]?[/:&]?[ ]?\(?\Z", re.IGNORECASE)
_KEY_NAME = lazy_pattern(
    r"(?:keys?|licen[sc]e|serial)(?:[ ](?:is|number|code|no\.?))?[ ]{0,3}[:=]?[ ]{0,3}[\"'`]?\Z", re.IGNORECASE
)
_WORDS = r"(?: [^\s|;&]+)*\Z"
_JOINED = lazy_pattern(r"(?:(?<!name )(?<!package )(?:mysql|mariadb)[a-z\-]*|\b(?:7z[ar]?|rar|unrar))" + _WORDS)
_SPACED = lazy_pattern(
    r"(?:sshpass|(?:docker|podman|registry|az|oc|cf|crane|skopeo|argocd) login|psexec"
    r"|mongo(?:sh|dump|restore|export|import)?)" + _WORDS
)
_CAPITAL = lazy_pattern(r"(?:(?:un)?zip|sqlcmd|bcp|ipmitool|mosquitto_[ps]ub)" + _WORDS)
_OTHER_OPTIONS = {
    "a": lazy_pattern(r"(?:redis-cli|redis-benchmark)" + _WORDS),
    "k": lazy_pattern(r"openssl (?:enc|[a-z0-9]+)" + _WORDS),
    "w": lazy_pattern(r"ldap[a-z]+" + _WORDS),
}

_CURL = lazy_pattern(
    r"curl(?:\\\n|[^\n|]){0,400}?\s(?:-u|-U|--user|--proxy-user)[ =]?(?:\\{0,3}[\"'])?"
    r"[^\s:\"'$<{(\\]{1,64}:([^\s\"'\\]{1,128})"
)
_COMMAND_CHARS = 400
"""How far from its address an option of a command may stand."""


def token(match: re.Match[str]) -> Span | None:
    """The prefix of a vendor and the right characters: refused only when they are filler (`ghp_xxxxxxxx`)."""
    return kept(match, _FILLER.search(text_of(match)) is None)


def strong(match: re.Match[str]) -> Span | None:
    """What no word of a sentence looks like."""
    value = text_of(match).rstrip(".,;:!?)")
    start = whole(match)[0]
    return (start, start + len(value)) if is_strong(value) and not is_placeholder(value) else None


_NO_PASSWORD = lazy_pattern(
    r".*(?:://|/).*|.*\.[A-Za-z]{1,5}(?:#L[0-9-]+)?|.*[(){}\[\]→].*|[^@]+@[\w.\-]+(?::[0-9]+)?|[0-9]+[:.].*|[A-Za-z_.\-]+[0-9]{0,2}:|[0-9.:,\-]+[a-zA-Z]{0,3}"
)
"""A file, a path, a call, an address, the key of an entry, a number: what stands where a password could."""


def typed(match: re.Match[str]) -> Span | None:
    """What people make up for a password, or what no word looks like."""
    start, end = whole(match)
    value = text_of(match).rstrip(".,;:?)*")
    return (start, start + len(value)) if end > start and _is_made_up(value) else None


def _is_made_up(value: str) -> bool:
    made_up = is_strong(value) or is_typed(value)
    return made_up and not is_placeholder(value) and _NO_PASSWORD.fullmatch(value) is None


_BOTH_CASES = lazy_pattern(r"(?=.*[a-z])(?=.*[A-Z])|.*[!@#$%^&*~+]")


def alone(match: re.Match[str]) -> Span | None:
    """A value in its own line: nothing but its looks tells it from a word."""
    return typed(match) if _BOTH_CASES.match(text_of(match)) else None


_MIXED_WORD = lazy_pattern(
    r"(?:(?<=[\s\"'`(:,/=])|\A)(?=[^\s]{0,31}[a-z])(?=[^\s]{0,31}[A-Z])(?=[^\s]{0,31}[0-9])(?=[^\s]{0,31}[!@#$%^&*~?])"
    r"(?P<secret>[A-Za-z0-9!@#$%^&*~?_.\-]{8,32})(?=[\s\"'`),.;\x1b，。]|\Z)"
)
_NEARBY = 60
"""Characters before and behind a telling word in which a value without a name is looked for."""


def nearby(match: re.Match[str]) -> Span | None:
    """A word of all four kinds of characters in the same line, that is no address and no name."""
    text = match.string
    start = max(text.rfind("\n", max(0, match.start() - _NEARBY), match.start()) + 1, match.start() - _NEARBY, 0)
    stop = text.find("\n", match.end(), match.end() + _NEARBY)
    stop = stop if stop >= 0 else min(len(text), match.end() + _NEARBY)
    for found in _MIXED_WORD.finditer(text, start, stop):
        value = found["secret"].rstrip(".,?")
        if _is_made_up(value) and _SIGN_WITHIN.search(value):
            return found.start("secret"), found.start("secret") + len(value)
    return None


_SIGN_WITHIN = lazy_pattern(r"[A-Za-z0-9][!#$%^&*~?][A-Za-z0-9]|[0-9][!#$%^&*~]\Z|@[A-Za-z0-9]*[0-9]")
_USER_BEFORE = lazy_pattern(
    r"(?:(?<![A-Za-z])|(?<=\[[0-9]m)|(?<=[\[;][0-9]{2}m))(?:u|usr|user|login|id)[ ]?[:=][ ]?[^\s:=]{1,60}\Z",
    re.IGNORECASE,
)


def after_user(match: re.Match[str]) -> Span | None:
    return login(match) if _USER_BEFORE.search(before(match, 72)) is not None else None


_MAIL = lazy_pattern(r"[\w.]@[\w\-]+\.")


def in_call(match: re.Match[str]) -> Span | None:
    """An argument in quotation marks; a bare one only behind an address, since it is a name of the program."""
    return typed(match) if match["quote"] or _MAIL.search(match[0]) else None


_A_YEAR = lazy_pattern(r"(?:19|20)[0-9]{2}")


def unlocking(match: re.Match[str]) -> Span | None:
    return kept(match, _A_YEAR.fullmatch(text_of(match)) is None)


_OTHER_CODE = lazy_pattern(
    r"(?:exit|status|error|http|return|zip|postal|area|country|response|product|promo|colou?r|source|char|key|course|dial|item"
    r"|discount|coupon|voucher|tracking|bar|qr)[ _-]?\Z",
    re.IGNORECASE,
)


def otp(match: re.Match[str]) -> Span | None:
    """Not the code of an error, of a town, of an article."""
    return unlocking(match) if _OTHER_CODE.search(before(match, 16)) is None else None


_CODE_IS = lazy_pattern(
    r"(?:(?<![A-Za-z0-9_.,/-])|(?<=\[[0-9]m)|(?<=[\[;][0-9]{2}m))(?:[A-Z]-)?"
    r"(?P<secret>[0-9]{4,8})[ ](?:is|as|ist|est)[ ](?:your|the|my|a)[ ](?:\w{1,20}[ ]){0,3}\Z"
)


def code_in_front(match: re.Match[str]) -> Span | None:
    found = _CODE_IS.search(before(match, 80))
    shift = max(0, match.start() - 80)
    if found is None or _A_YEAR.fullmatch(found["secret"]):
        return None
    return found.start("secret") + shift, found.end("secret") + shift


_WORDS_IN_ROW = lazy_pattern(r"(?<![a-z])[a-z]{3,8}(?:[ ,\n]{1,3}[a-z]{3,8}){11,40}(?![a-z])")
_WORD_OF_ROW = lazy_pattern(r"[a-z]+")
_LEAST_IN_ROW = 12
_WORDS_IN_LIST = r"(?P<secret>(?:[\s,;|]{0,4}\(?[0-9]{1,2}[.):][ ]{0,3}[a-z]{3,8}){12,24})"
_LIST_BEHIND = lazy_pattern(r"[^\n]{0,60}?" + _WORDS_IN_LIST)
_LIST_BEFORE = lazy_pattern(r"(?<![0-9])" + _WORDS_IN_LIST + r"[^\n]{0,30}\n?[^\n]{0,30}\Z")
_LIST_CHARS = 400


def seed_words(match: re.Match[str]) -> Span | None:
    """Twelve or more words without one of a sentence, in a row or a numbered list beside the name."""
    text, end = match.string, match.end()
    stop = min(len(text), end + _LIST_CHARS)
    row = _row_of_words(text, end, stop) or _row_of_words(text, max(0, match.start() - _LIST_CHARS), match.start())
    if row:
        return row
    found, shift = _LIST_BEHIND.match(text, end, stop), 0
    if found is None:
        found, shift = _LIST_BEFORE.search(before(match, _LIST_CHARS)), max(0, match.start() - _LIST_CHARS)
    if found is None or not _STOP_WORDS.isdisjoint(re.findall(r"[a-z]+", found["secret"])):
        return None
    return found.start("secret") + shift, found.end("secret") + shift


def _row_of_words(text: str, start: int, end: int) -> Span | None:
    """A dozen words and more without one that makes a sentence."""
    for found in _WORDS_IN_ROW.finditer(text, start, end):
        for said, words in groupby(_WORD_OF_ROW.finditer(text, *found.span()), lambda one: one[0] in _STOP_WORDS):
            row = [] if said else list(words)
            if len(row) >= _LEAST_IN_ROW:
                return row[0].start(), row[-1].end()
    return None


_NUMBERED = lazy_pattern(r"(?<![0-9])([0-9]{1,2})[.):]?[ ]{1,3}([a-z]{3,8})[\s,;|]{1,6}")


def numbered_words(match: re.Match[str]) -> Span | None:
    """The words from the first to the twelfth: the numbers leave none out."""
    behind = match.start() + (not match[0][0].isdigit())
    entries = [*_NUMBERED.finditer(match.string, max(0, behind - _LIST_CHARS), behind)][-11:]
    if [int(entry[1]) for entry in entries] != list(range(1, 12)):
        return None
    tight = all(one.end() == after.start() for one, after in pairwise(entries))
    if not tight or not _STOP_WORDS.isdisjoint(entry[2] for entry in entries):
        return None
    return entries[0].start(), match.end()


def cookie_option(match: re.Match[str]) -> Span | None:
    """The value of curl's option for cookies, from its name on."""
    command = before(match, _COMMAND_CHARS).rpartition("\n")[2]
    value = text_of(match).partition("=")[2]
    return kept(match, "curl" in command and is_scrambled(value.partition(";")[0]))


_BASE58 = {char: at for at, char in enumerate("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")}


def base58(match: re.Match[str]) -> Span | None:
    """The last four bytes are the beginning of the hash of the others."""
    number = 0
    for char in text_of(match):
        number = number * 58 + _BASE58[char]
    whole_bytes = number.to_bytes(40, "big").lstrip(b"\0")
    body, check = whole_bytes[:-4], whole_bytes[-4:]
    return kept(match, hashlib.sha256(hashlib.sha256(body).digest()).digest()[:4] == check)


def vendor(match: re.Match[str]) -> Span | None:
    """As `token`, for a rule that says less about the characters: there are no words in them."""
    return kept(match, _FILLER.search(text_of(match)) is None and is_scrambled(text_of(match)))


def login(match: re.Match[str]) -> Span | None:
    """Whatever stands where a password has to stand, unless it stands for one."""
    return kept(match, not is_placeholder(text_of(match)))


def scrambled(match: re.Match[str]) -> Span | None:
    value = text_of(match).rstrip(".=")
    return kept(match, is_scrambled(value) and not is_placeholder(value))


def cookie(match: re.Match[str]) -> Span | None:
    """A cookie header is replaced to its end when one of its first values is scrambled."""
    values = [pair.partition("=")[2].strip() for pair in text_of(match).split(";")]
    if not any(len(value) >= 12 and " " not in value and is_scrambled(value) for value in values):
        return None
    start, end = whole(match)
    rest = _LINE_END.match(match.string, end)
    return start, rest.end() if rest else end


def sql(match: re.Match[str]) -> Span | None:
    """`IDENTIFIED BY` of a statement about a user: a bare value only in the same line."""
    head = before(match, 160)
    quoted = match.string[match.start("secret") - 1] in "\"'`"
    near = _SQL.search(head if quoted else head.rpartition("\n")[2])
    return login(match) if near or is_strong(text_of(match)) else None


def netrc(match: re.Match[str]) -> Span | None:
    return login(match) if _NETRC_LOGIN.search(before(match, 120)) else None


def pair(match: re.Match[str]) -> Span | None:
    """Name and password after their names, as in `ID/PW: ada/secret`."""
    return kept(match, _LOGIN_NAME.search(before(match, 16)) is not None and is_strong(text_of(match)))


_LOGIN_BEFORE_HOST = lazy_pattern(r"(?<![A-Za-z0-9_:.@-])[A-Za-z0-9_.\-]{1,40}:(?P<secret>[^\s:/@\"'`<>]{6,64})\Z")


def userinfo(match: re.Match[str]) -> Span | None:
    """`root:password@host` without a scheme: the password has to be a strong one."""
    head = before(match, 110)
    word = head.rsplit(None, 1)[-1] if head and not head[-1].isspace() else ""
    found = _LOGIN_BEFORE_HOST.search(word) if ":" in word else None
    if found is None or not is_strong(found["secret"]) or is_placeholder(found["secret"]):
        return None
    shift = match.start() - len(word)
    return found.start("secret") + shift, found.end("secret") + shift


_BYTES = 200
"""Above which the greatest of bytes by chance lies nearly always; places and numbers in a row stay below it."""


def bytes_of_key(match: re.Match[str]) -> Span | None:
    """Numbers up to 255, as chance makes them: none of the small ones in a row."""
    told = [part.strip() for part in text_of(match).split(",")]
    numbers = [int(part, 16 if part.lower().startswith("0x") or not part.isdigit() else 10) for part in told]
    return kept(match, _BYTES < max(numbers) <= 255 and len(set(numbers)) * 4 > len(numbers) * 3)


_LITERAL_BEFORE = lazy_pattern(r"[\"'](?P<secret>[^\s\"']{6,64})[\"']\Z")


def literal_before(match: re.Match[str]) -> Span | None:
    """The literal that a method of text is called on, where people make up a password so."""
    head = before(match, 70)
    found = _LITERAL_BEFORE.search(head)
    if (
        found is None
        or not (is_typed(found["secret"]) or is_strong(found["secret"]))
        or is_placeholder(found["secret"])
    ):
        return None
    shift = match.start() - len(head)
    return found.start("secret") + shift, found.end("secret") + shift


_STOP_WORDS = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "of",
        "to",
        "in",
        "on",
        "for",
        "and",
        "or",
        "you",
        "your",
        "my",
        "our",
        "this",
        "that",
        "it",
        "not",
        "be",
        "how",
        "what",
    ]
)
"""Words of an English sentence: words that were drawn for a passphrase seldom have one."""


def passphrase(match: re.Match[str]) -> Span | None:
    """Words in quotation marks that make no sentence."""
    words = re.split(r"[ -]", text_of(match).lower())
    return kept(match, _STOP_WORDS.isdisjoint(words))


_LISTED_CODE = lazy_pattern(
    r"[\s,;:]{1,4}(?:[-*•][ ]{1,3}|\(?[0-9]{1,2}[.):][ ]{1,3})?[\"'`]?"
    r"(?P<code>(?=[^\n]{0,24}[0-9])[A-Za-z0-9]{4,8}(?:[- ][A-Za-z0-9]{4,8}){0,4}|[0-9]{6,10})"
    r"(?![A-Za-z0-9_-])[\"'`]?"
)
_LISTED_CODES = 24


def grouped(match: re.Match[str]) -> Span | None:
    """Groups of letters and digits, of which at least two hold a digit."""
    groups = re.split(r"[ -]", text_of(match))
    digits = sum(any(map(str.isdigit, group)) for group in groups)
    return kept(match, digits > 1 or (len(groups) == 1 and digits > 0))


def recovery_codes(match: re.Match[str]) -> Span | None:
    """The codes that follow, as one stretch: one in a line, numbered or not, or side by side."""
    first = _LISTED_CODE.match(match.string, match.end())
    if first is None or not any(map(str.isdigit, first["code"])):
        return None
    return first.start("code"), codes_end(match.string, first.end("code"))


def codes_end(text: str, end: int) -> int:
    """Where the codes end that are listed behind one that ends at `end`: there, when none is."""
    for _ in range(_LISTED_CODES):
        code = _LISTED_CODE.match(text, end)
        if code is None or not any(map(str.isdigit, code["code"])):
            break
        end = code.end("code")
    return end


def product_key(match: re.Match[str]) -> Span | None:
    return kept(match, _KEY_NAME.search(before(match, 40)) is not None)


def command_password(match: re.Match[str]) -> Span | None:
    """`-p` belongs to a command that takes a password there, in the way in which it is written."""
    command = before(match, 240).rpartition("\n")[2]
    if match["option"] == "P":
        return login(match) if _CAPITAL.search(command) else None
    if match["option"] != "p":
        return login(match) if match["gap"] and _OTHER_OPTIONS[match["option"]].search(command) else None
    known = _SPACED if match["gap"] else _JOINED
    return login(match) if known.search(command) and not match["secret"].replace(":", "").isdigit() else None


def curl_login(match: re.Match[str]) -> Span | None:
    """The password that curl's option `-u` gives for the address."""
    text, at = match.string, match.start()
    start = text.rfind("curl", max(0, at - _COMMAND_CHARS), at)
    if start < 0:
        return None
    found = _CURL.match(text, start, at + _COMMAND_CHARS)
    return found.span(1) if found and not is_placeholder(found[1]) else None


_OPENING = lazy_pattern(r"-{4,5} ?(?P<edge>BEGIN|END) [A-Z0-9 ]{0,40}\Z")
_MARK = lazy_pattern(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{1,60}-{4,5}")
_BODY = lazy_pattern(r"[A-Za-z0-9+/]{16,}={0,2}")
_REST = lazy_pattern(r"[A-Za-z0-9+/=]*")
_LAST_LINE = lazy_pattern(r"[\s\\nr]{1,4}[A-Za-z0-9+/]{1,64}={1,2}(?![A-Za-z0-9+/=])")
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-"
_PUTTY_LINES = lazy_pattern(r"Private-Lines: ?[0-9]{1,4}((?:\s{1,4}[A-Za-z0-9+/=]{1,80}(?![A-Za-z0-9+/=:\-])){1,200})")
_AWS_SECRET = lazy_pattern(r"(?<![A-Za-z0-9/+])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_NEAR = 200
"""Characters after the id of a key in which its secret is looked for."""
_PEM_CHARS = 60_000
"""The longest private key that is looked at as one: an ML-DSA key in a log with a time before each line has 15,000."""
_GAP = 160
"""Characters without base64 that may stand inside a key: armour headers, the time of a log line, string syntax."""
_JWK_CHARS = 4_000
"""Characters around a member of a JSON Web Key in which its type may stand: an RSA key of 8,192 bits has 3,000."""


def pem(match: re.Match[str]) -> Span | None:
    """From the BEGIN line to the END line; a torn block goes as far as lines of base64 do."""
    text, after = match.string, match.end()
    opening = _OPENING.search(before(match, 64))
    if opening is None:
        return None
    start = match.start() - len(opening[0])
    if opening["edge"] == "END":
        first = _body_start(text, start)
        return (first, after) if first < start else None
    closing = _MARK.search(text, after, after + _PEM_CHARS)
    body = _body_end(text, after, closing.start() if closing else len(text))
    if body == after:
        return None
    return start, closing.end() if closing and closing[1] == "END" else body


def putty(match: re.Match[str]) -> Span | None:
    """The lines that a PuTTY key file announces as private."""
    lines = _PUTTY_LINES.search(match.string, match.end(), match.end() + _PEM_CHARS)
    return lines.span(1) if lines else None


def aws_secret_near(match: re.Match[str]) -> Span | None:
    """Forty characters of base64 within the next two lines, which are no hash."""
    near = _AWS_SECRET.search(match.string, match.end(), match.end() + _NEAR)
    return near.span() if near and is_scrambled(near[0]) and near[0].lower() != near[0] else None


def base64_around(match: re.Match[str]) -> Span | None:
    """All of the base64 in which the match stands, over line ends and string syntax."""
    text, start = match.string, match.start()
    end = _body_end(text, start, len(text))
    head = before(match, _PEM_CHARS)
    return (start - (len(head) - len(head.rstrip(_BASE64))), end) if end > start else None


def _body_end(text: str, start: int, limit: int) -> int:
    """Where the base64 that begins near `start` ends, gaps included; `start` when there is none."""
    end = start
    while run := _BODY.search(text, end, min(limit, end + _GAP)):
        rest = _REST.match(text, run.end(), limit)
        end = rest.end() if rest else run.end()
    last = _LAST_LINE.match(text, end, limit) if end > start else None
    return last.end() if last else end


def _body_start(text: str, end: int) -> int:
    """Where the lines of base64 before `end` begin; not before the last dashes, which belong to another block."""
    floor = max(0, end - _PEM_CHARS)
    dashes = text.rfind("-----", floor, end)
    first, found = end, False
    for line in reversed(text[dashes + 5 if dashes >= 0 else floor : end].splitlines(keepends=True)):
        is_body = _BODY.search(line) is not None
        if not is_body and (first != end and line.strip()):
            break
        found = found or is_body
        first -= len(line)
    return first if found else end


def _decoded(text: str) -> bytes:
    bare = text.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except (binascii.Error, ValueError):
        return b""


def jwt(match: re.Match[str]) -> Span | None:
    """The first part of a JSON Web Token is a JSON object in URL-safe base64 (not parsed: it may be nested)."""
    head = _decoded(match["head"]).strip()
    return kept(match, head.startswith(b"{") and head.endswith(b"}") and b'":' in head)


def jwk(match: re.Match[str]) -> Span | None:
    """The member stands in an object that has a `kty`."""
    around = match.string[max(0, match.start() - _JWK_CHARS) : match.end() + _JWK_CHARS]
    return kept(match, '"kty' in around)


def encoded_login(match: re.Match[str]) -> Span | None:
    """Base64 of printable characters with a colon between two parts."""
    login = _decoded(text_of(match))
    return kept(match, login.isascii() and b":" in login[1:-1] and login.decode("ascii").isprintable())
