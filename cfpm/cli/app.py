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

APP = Group(
    "A memory for AI agents that can be audited: what was said, what is believed, and why.",
    {
        "demo": "demo:demo",
        "observe": "observe:observe",
        "recall": "recall:recall",
        "brief": "brief:brief",
        "gate": "gate:gate",
        "compact": "compact:compact",
        "chart": "chart:chart",
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
        "audit": _AUDIT,
        "install": "install:install",
        "hook": "hook:hook",
    },
    version=f"cfpm {__version__}",
)
