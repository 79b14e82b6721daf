-- Step 6: what was decided about the words of a message is asked for with every recall, so that a session's candidates
-- are found by their turn.

DROP INDEX candidate_session;
CREATE UNIQUE INDEX candidate_session ON memory_candidates (namespace, session, turn, id);
