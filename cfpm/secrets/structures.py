"""Replaces the secrets in JSON-like values, where the key says what a value is. Not for plain texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

from cfpm.model.patterns import lazy_pattern
from cfpm.secrets.redaction import Numbers, has_placeholder, redact
from cfpm.secrets.values import is_placeholder, is_scrambled, is_strong, is_uuid, word_list

_KEY_WORD = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_Slot = tuple[object, dict[str, object] | list[object], str | int, str]
"""A value to copy, the container and place that it goes to, and the key that it stands under."""


def redact_value(value: object, numbers: Numbers = "named") -> object:
    """A copy without secrets, of the same structure: mappings as dicts, tuples as lists, other values as they are.

    A value under a key that names a secret is replaced as a whole when it looks like one: anything that is no
    placeholder under `password`, what has no words in it under `token`, `secret`, `api_key` and the like.
    """
    root: list[object] = [None]
    waiting: list[_Slot] = [(value, root, 0, "")]
    while waiting:
        source, target, place, key = waiting.pop()
        copy: object = source
        match source:
            case str():
                copy = _redacted(key, source, numbers)
            case int() if not isinstance(source, bool) and _names_password(key) and abs(source) > 999:
                copy = "[redacted:password]"
            case Mapping():
                keyed: dict[str, object] = dict.fromkeys(_keys(source))
                copy = keyed
                waiting += [(item, keyed, name, name) for name, item in zip(keyed, source.values(), strict=True)]
            case list() | tuple():
                listed: list[object] = [None] * len(source)
                copy = listed
                waiting += [(item, listed, index, key) for index, item in enumerate(source)]
        target[place] = copy  # type: ignore[index]
    return root[0]


def _keys(source: Mapping[object, object]) -> list[str]:
    """The keys, themselves redacted; two that become the same are numbered, so that no entry is lost."""
    names: dict[str, None] = {}
    for key in source:
        name = base = _name(str(key))
        number = 2
        while name in names:
            name, number = f"{base} ({number})", number + 1
        names[name] = None
    return list(names)


@lru_cache(maxsize=512)
def _name(key: str) -> str:
    # The calls of a host bear the same few keys again and again.
    return redact(key).text


def _redacted(key: str, text: str, numbers: Numbers) -> str:
    password, secret = _names(key) if key else (False, False)
    if (password or secret) and not has_placeholder(text) and not is_placeholder(text):
        if password and _may_be_password(text):
            return "[redacted:password]"
        if secret and _may_be_secret(text):
            return "[redacted:named-secret]"
    return redact(text, numbers).text


@lru_cache(maxsize=512)
def _names(key: str) -> tuple[bool, bool]:
    """Whether a key names a password, and whether it names another secret."""
    return _names_password(key), _names_secret(key)


@cache
def _endings(of: str) -> tuple[str, ...]:
    return tuple(word_list(of))


def _parts(key: str) -> list[str]:
    return [word.lower() for word in _KEY_WORD.findall(key)]


def _names_password(key: str) -> bool:
    """The last word of the key says it: `dbPassword`, `user_pass`, but not `bypass` or `password_hint`."""
    if key.lower().rstrip("0123456789").endswith(_endings("password_keys")):
        return True
    return not word_list("short_password_keys").isdisjoint(_parts(key)[-1:])


def _names_secret(key: str) -> bool:
    parts = _parts(key)
    if parts[-1:] == ["key"]:
        return not word_list("kinds_of_key").isdisjoint(parts[-2:-1])
    return parts[-1:] == ["auth"] or key.lower().endswith(_endings("secret_keys"))


def _may_be_password(text: str) -> bool:
    """One word of four characters or more; of several words only when one of them can be nothing but a password."""
    words = text.split()
    return len(text) >= 4 and (len(words) == 1 or (1 < len(words) <= 6 and any(map(is_strong, words))))


def _may_be_secret(text: str) -> bool:
    """No sentence; one word without words in it, or a scheme such as Bearer in front of one."""
    words = text.split()
    if not 1 <= len(words) <= 2:
        return False
    last = words[-1]
    return is_uuid(last) or is_strong(last) or (len(last) >= 8 and is_scrambled(last))
