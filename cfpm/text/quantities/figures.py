"""Finds the values in a text: amounts, dates, times, versions, counts, each in one spelling. No meaning."""

from __future__ import annotations

import re
from typing import NamedTuple

from cfpm.text.grammar.lexicon import lexicon
from cfpm.text.grammar.words import classify

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_AMOUNT = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
_SPAN = r"(?:ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?)"
_SMALL = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty"

VALUE = (
    rf"(?P<money>(?:[$€£¥]|\b(?:usd|eur|gbp)\s)\s?{_AMOUNT}\s?(?:[km]\b|million\b|thousand\b)?"
    rf"|{_AMOUNT}\s?(?:dollars|euros|pounds|yuan|usd|eur)\b)"
    rf"|(?P<percent>\b{_AMOUNT}\s?(?:%|percent\b))"
    rf"|(?P<date>\b{_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b(?:,?\s\d{{4}}\b)?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}\b(?:,?\s\d{{4}}\b)?"
    rf"|\b\d{{4}}-\d\d-\d\d\b)"
    r"|(?P<clock>\b\d{1,2}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|o'clock)(?![\w])|\b\d{1,2}:\d\d\b)"
    r"|(?P<version>\bv\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+(?:\.\d+)*\b)"
    rf"|(?P<span>\b{_AMOUNT}[\s-]?{_SPAN}\b)"
    rf"|(?P<count>(?<![\w.@#/-]){_AMOUNT}(?:[a-z]{{1,4}}\b|(?:/\d+)?(?![\w/@]))|\b(?:{_SMALL.replace(' ', '|')})\b)"
)
"""The kinds, the more telling first. To be compiled without regard to case."""

_LIKE_A_YEAR = re.compile(r"(?:19|20)\d\d")
_SPLIT = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s*-?\s*(.*)")
_DAY = re.compile(r"\d{1,2}(?=\D|$)")
_YEAR = re.compile(r"\b\d{4}\b")
_LETTERS = re.compile(r"[a-z]+")
_UNITS = {"ms": "ms", "mi": "minute", "h": "hour", "hr": "hour", "hrs": "hour", "s": "second", "se": "second"}


class Figure(NamedTuple):
    """A value in one spelling. `unit` is empty where the kind says all: "$5" is money 5, "1,200" a count.

    "4/5" counts fifths; "5/4" counts nothing and is a pair, as of blood pressure.
    """

    kind: str
    value: str
    unit: str = ""


def figure(kind: str, text: str) -> Figure | None:
    """The value of a match of `VALUE`; None for what has the form but says nothing, such as a date without a day."""
    lower = text.lower()
    match kind:
        case "date":
            return _date(lower)
        case "clock":
            return _clock(lower)
        case "version":
            return Figure(kind, lower.lstrip("v"))
        case _:
            if _LIKE_A_YEAR.fullmatch(text):
                return None
            return _amount(kind, lower.lstrip("$€£¥ "))


def _amount(kind: str, text: str) -> Figure | None:
    found = _SPLIT.match(text.removeprefix("usd ").removeprefix("eur ").removeprefix("gbp "))
    if found is None:
        return Figure("count", lexicon().number.get(text, text))
    number, unit = found[1].replace(",", ""), found[2].strip()
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    if kind == "money":
        scale = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000}.get(unit, 1)
        return Figure(kind, str(round(float(number) * scale)) if scale > 1 else number)
    if kind == "percent":
        return Figure(kind, number)
    if kind == "span":
        return Figure(kind, number, _UNITS.get(unit) or _UNITS.get(unit[:2]) or classify(unit).value)
    if unit in ("st", "nd", "rd", "th"):
        return None
    if unit.startswith("/") and float(number) > float(unit[1:]):
        return Figure("pair", f"{number}{unit}")
    if unit == "k":
        return Figure(kind, str(round(float(number) * 1_000)))
    return Figure(kind, number, unit)


def _date(text: str) -> Figure | None:
    if text[:4].isdigit():
        _, month, day = text.split("-")
        return Figure("date", f"{int(month)}-{int(day)}")
    plain = _YEAR.sub("", text)
    name = next((word for word in _LETTERS.findall(plain) if word[:3] in lexicon().month), "")
    day_found = _DAY.search(plain)
    if not name or day_found is None:
        return None
    return Figure("date", f"{lexicon().month[name[:3]]}-{int(day_found[0])}")


def _clock(text: str) -> Figure:
    hour, _, rest = re.sub(r"[\s.']", "", text).partition(":")
    half = (
        "pm" if text.rstrip(".").endswith(("pm", "p.m")) else "am" if text.rstrip(".").endswith(("am", "a.m")) else ""
    )
    hours = int(re.sub(r"\D", "", hour))
    if half == "pm" and hours < 12:
        hours += 12
    minutes = re.sub(r"\D", "", rest) or "00"
    return Figure("clock", f"{hours}:{minutes}")
