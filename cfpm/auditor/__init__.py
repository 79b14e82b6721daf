"""Judges drafts: reason codes, one rule per code, and their order."""

from cfpm.auditor.auditor import RULES, audit, judge
from cfpm.auditor.reasons import REASONS, Reason
from cfpm.auditor.view import View

__all__ = ["REASONS", "RULES", "Reason", "View", "audit", "judge"]
