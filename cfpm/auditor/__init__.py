"""Judges drafts: reason codes, one rule per code, and their order."""

from cfpm.auditor.auditor import RULES, audit, judge
from cfpm.auditor.context import AuditContext
from cfpm.auditor.reasons import REASONS, Reason

__all__ = ["REASONS", "RULES", "AuditContext", "Reason", "audit", "judge"]
