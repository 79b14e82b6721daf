"""Takes turns back: their messages go into a session of their own, where no recall finds them. Changes no fact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cfpm.model import Origin
from cfpm.store.rows import message_from
from cfpm.store.schema import MESSAGE_COLUMNS, listed
from cfpm.store.search import NOT_SEARCHED, index_text
from cfpm.store.trail import CHANGED

if TYPE_CHECKING:
    from cfpm.store.store import Store

_FROM = (
    f"SELECT seq, {listed(MESSAGE_COLUMNS)} FROM memory_turns"
    " WHERE namespace = ? AND session = ? AND turn >= ? ORDER BY seq"
)
_SAID_AS = (
    "INSERT INTO message_details (namespace, session, message_id, model, reply, signature, user_visible, agent_visible,"
    " hidden_by, stands_before, said_as) VALUES (?, ?, ?, '', '', '', 1, 1, '', '', ?)"
    " ON CONFLICT DO UPDATE SET said_as = excluded.said_as"
)
_MOVE = (
    f"UPDATE memory_turns SET session = ?, origin = '{Origin.REWOUND.value}'"
    " WHERE namespace = ? AND session = ? AND turn >= ?"
)
_MOVE_DETAILS = "UPDATE message_details SET session = ? WHERE namespace = ? AND session = ? AND message_id = ?"
_MOVE_STATE = tuple(
    f"UPDATE OR REPLACE {table} SET session = ? WHERE namespace = ? AND session = ? AND message_id = ?"
    for table in ("memory_approvals", "memory_state")
)
_LEANING = "UPDATE sessions SET parent = ? WHERE namespace = ? AND parent = ? AND parent_turn > ? AND session <> ?"


def take_back(store: Store, namespace: str, session: str, first: int, into: str) -> list[str]:
    """Moves a session's messages of turns from `first` on, and what goes on from them, into a new session; returns
    their ids. Inside the caller's transaction."""
    db, sessions = store.connection, store.sessions
    rows = [(row[0], message_from(row[1:])) for row in db.rows(_FROM, (namespace, session, first))]
    place = (namespace, session)
    said = [(seq, one.message) for seq, one in rows]
    searched = [(seq, message) for seq, message in said if message.origin not in NOT_SEARCHED]
    with store.trail.on_record(CHANGED):
        sql = "INSERT INTO turns_text (turns_text, rowid, text) VALUES ('delete', ?, ?)"
        db.many(sql, ((seq, index_text(message.text)) for seq, message in searched))
        store.call_index.remove(said)
        store.deeds.remove(dict(rows))
        db.many("DELETE FROM turn_vectors WHERE seq = ?", ((seq,) for seq, _ in said))
        store.sentence_vectors.remove([seq for seq, _ in said])
        store.vectors.renew([])
        calls = ((*place, call.id) for _, message in said for call in message.tool_calls)
        db.many("DELETE FROM memory_calls WHERE namespace = ? AND session = ? AND call_id = ?", calls)
        others = (message for _, message in said if message.origin is not Origin.SAID)
        db.many(_SAID_AS, ((*place, message.id, message.origin.value) for message in others))
        db.many(_MOVE_DETAILS, ((into, *place, message.id) for _, message in said))
        for move in _MOVE_STATE:
            db.many(move, ((into, *place, message.id) for _, message in said))
        db.run(_MOVE, (into, *place, first))
    known, shared = sessions.get(*place), sessions.parent_turn(*place)
    parent, end = session, first
    if known is not None and shared is not None and first < shared:
        # What is taken back goes on from what the session shared so far.
        parent, end = known.parent, shared
        sessions.set(*place, {"parent_turn": first})
    if rows:
        named = ("title", "cwd", "project", "agent")
        about = {name: getattr(known, name) for name in named} if known else {}
        opening = sessions.opening(*place)
        sessions.set(
            namespace, into, {**about, "parent": parent, "parent_turn": end, "rewound": session, "opening": opening}
        )
        db.run(_LEANING, (into, *place, first, into))
        sessions.recount(namespace, into)
    sessions.recount(*place)
    store.namespace_index.known.clear()
    return [message.id for _, message in said]
