"""Turns into drafts: one module per kind of fact, run in order by `extractor.py`."""

from cfpm.extractor.authorities import Authorities
from cfpm.extractor.calls import made
from cfpm.extractor.evidence import Removal, removals, working_paths
from cfpm.extractor.extractor import Earlier, extract
from cfpm.extractor.tools import Work, reads_boot_file, work_of

__all__ = [
    "Authorities",
    "Earlier",
    "Removal",
    "Work",
    "extract",
    "made",
    "reads_boot_file",
    "removals",
    "work_of",
    "working_paths",
]
