"""Questions about one text that may be a path. Pure; what a path is made of stands in `grammar` and `validity`."""

from __future__ import annotations

from functools import lru_cache

from cfpm.model.patterns import lazy_pattern
from cfpm.paths.boundaries import opens_name
from cfpm.paths.finder import each_path, find_paths
from cfpm.paths.grammar import Flavour, canonical, extension, flavour_of, is_date, is_symbolic, segments
from cfpm.paths.lexicon import names
from cfpm.paths.validity import has_path_shape, is_word_pair

MAX_PATH_LIKE = 320
"""UTF-8 bytes; the limit of the original (cfpm-reference, 2.5)."""

_MARKUP = lazy_pattern(r"\s*(?:[-*+•>]\s+|\d{1,3}[.)]\s+)+")
_SEPARATOR = lazy_pattern(r"[/\\]")
_ONE_SEGMENT = lazy_pattern(r"/[^\s/\\:*?\"<>|]+/?")
_PUNCTUATION = lazy_pattern(r"[\s\"'`*“”‘’「」『』《》«»()\[\]<>,;:.!?，。；：、！？（）【】·•-]*(?:\d+(?::\d+)?)?")


@lru_cache(maxsize=1_024)
def is_path_like(text: str, *, named: bool = False) -> bool:
    """True when the text, without quotes around it, is one path and nothing else.

    `named`: a tool named it as a path, so `/word` is a directory and no slash command.
    """
    path = _bare(text)
    if not 3 <= len(path.encode("utf-8", "replace")) <= MAX_PATH_LIKE or "\n" in path or is_date(path):
        return False
    if path in names("known_files") or (named and _ONE_SEGMENT.fullmatch(path)):
        return True
    if (is_symbolic(path) and not path.startswith("~")) or is_word_pair(segments(path)):
        return False
    found = find_paths(f'"{path}"')
    return len(found) == 1 and found[0].path == path


def is_project_relative(path: str) -> bool:
    """True for `src/main.rs`, `packages/core`, `./run.sh` and bare well-known files such as `README.md`."""
    bare = _bare(path)
    if bare in names("known_files"):
        return True
    if flavour_of(bare) is not Flavour.RELATIVE or is_symbolic(bare):
        return False
    parts = segments(bare)
    if len(parts) < 2 or is_word_pair(parts) or not has_path_shape(bare, Flavour.RELATIVE):
        return False
    return bool(extension(parts[-1])) or parts[-1] in names("known_files") or parts[0] in names("source_folders")


def is_known_folder(path: str) -> bool:
    """True when the path ends with Desktop, Documents or Downloads, whatever lies before (home, OneDrive)."""
    parts = segments(_bare(path))
    return len(parts) > 1 and parts[-1].lower() in names("known_folders")


def is_temporary(path: str) -> bool:
    """True for what a system may clear at any time: /tmp, /var/tmp, /var/folders, AppData\\Local\\Temp, *.tmp."""
    plain = canonical(_bare(path)).replace("\\", "/").lower()
    head = plain.removeprefix("/private")
    if head.startswith(("/tmp/", "/var/tmp/", "/var/folders/", "/dev/shm/")) or head in ("/tmp", "/var/tmp"):
        return True
    if (
        "/appdata/local/temp/" in plain + "/"
        or "/windows/temp/" in plain + "/"
        or plain.startswith(("%temp%", "%tmp%"))
    ):
        return True
    last = plain.rsplit("/", 1)[-1]
    return last.endswith(".tmp") or last.startswith(".tmp")


def is_generated(path: str) -> bool:
    """True for what lies in a folder that tools fill, such as node_modules, __pycache__ or .git; not for the folder
    itself."""
    return any(part.lower() in names("generated_folders") for part in segments(_bare(path))[:-1])


@lru_cache(maxsize=128)
def is_clean_path_line(line: str) -> bool:
    """True when the line is a path, perhaps quoted or bulleted, or holds only paths and punctuation."""
    if "/" not in line and "\\" not in line:
        # Well-known names have no spaces, so that the last word of a longer line settles most of them.
        last = line.rsplit(maxsplit=1)[-1:]
        if not last or _bare(last[0]) not in names("known_files"):
            return False
    mark = _MARKUP.match(line)
    rest = (line[mark.end() :] if mark else line).strip()
    if not rest:
        return False
    if _bare(rest) in names("known_files"):
        return True
    if _opens_with_prose(rest):
        return False
    position = 0
    for path in each_path(rest):
        if _PUNCTUATION.fullmatch(rest, position, path.start) is None:
            return False
        position = path.end
    return position > 0 and _PUNCTUATION.fullmatch(rest, position) is not None


def _opens_with_prose(line: str) -> bool:
    """A fast test: True means that words stand before the first path, which is then not looked for.

    A path begins in the word that holds the separator, or before it with a quoted name in capitals.
    """
    separator = _SEPARATOR.search(line)
    before = line.rfind(" ", 0, separator.start()) + 1 if separator else 0
    return before > 0 and _PUNCTUATION.fullmatch(line, 0, before) is None and not opens_name(line, before)


def _bare(text: str) -> str:
    return text.strip().strip("\"'`*“”‘’「」『』《》")
