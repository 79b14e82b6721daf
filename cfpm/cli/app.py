"""All commands by their names, in the order in which the help lists them. Only the one that is asked for is loaded."""

from __future__ import annotations

from cfpm import __version__
from cfpm.cli.parser import Group

_AUDIT = Group(
    "See every verdict and its reason, newest first.",
    {
        "stats": "audit:stats",
        "explain": "audit:explain",
        "reasons": "audit:reasons",
        "accept": "audit:accept",
        "reject": "audit:reject",
        "gate": "gate:decisions",
        "verify": "audit:verify",
        "reseal": "audit:reseal",
    },
    own="audit:audit",
)

_CONTEXT = Group(
    "What goes into an agent's prompt, and documents that it can look up: data, never facts or orders.",
    {
        "show": "prompt:show_prompt",
        "fit": "context_fit:fit",
        "add": "context:add",
        "list": "context:list_",
        "read": "context:read",
        "remove": "context:remove",
    },
)
_PROGRESS = Group("Note what was done in a session.", {"add": "state:add_progress"})

_SESSIONS = Group(
    "List the sessions, and what is done with whole ones.",
    {
        "list": "sessions:list_",
        "show": "sessions:show_",
        "resume": "sessions:resume",
        "fork": "sessions:fork",
        "rewind": "sessions:rewind",
        "delete": "sessions:delete",
        "prune": "sessions:prune",
        "transcript": "sessions:transcript",
    },
    own="sessions:list_",
)

APP = Group(
    "A memory for AI agents that can be audited: what was said, what is believed, and why.",
    {
        "demo": "demo:demo",
        "observe": "observe:observe",
        "recall": "recall:recall",
        "brief": "brief:brief",
        "show": "show:show",
        "context": _CONTEXT,
        "gate": "gate:gate",
        "compact": "compact:compact",
        "chart": "chart:chart",
        "sessions": _SESSIONS,
        "log": "sessions:log",
        "approvals": "state:approvals",
        "approve": "state:approve",
        "state": "state:state",
        "progress": _PROGRESS,
        "facts": "facts:facts",
        "remember": "facts:remember",
        "forget": "facts:forget",
        "erase": "erase:erase",
        "pin": "facts:pin",
        "unpin": "facts:unpin",
        "history": "facts:history",
        "rollback": "facts:rollback",
        "export": "transfer:export",
        "import": "transfer:import_",
        "audit-import": "importing:audit_import",
        "backup": "files:backup",
        "restore": "files:restore",
        "encrypt": "files:encrypt",
        "decrypt": "files:decrypt",
        "rekey": "files:rekey",
        "serve": "serve:serve",
        "mcp": "mcp:mcp",
        "doctor": "maintenance:doctor",
        "reindex": "maintenance:reindex",
        "purge": "maintenance:purge",
        "recheck": "maintenance:recheck",
        "audit": _AUDIT,
        "install": "install:install",
        "hook": "hook:hook",
    },
    version=f"cfpm {__version__}",
)
