-- Step 8: what tool calls did, one row a deed, so that commands and files of a project are added up without reading
-- its messages. The rows are derived: `cfpm reindex` reads those of older messages, which `deed_gaps` remembers.

CREATE TABLE memory_deeds (
  seq INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  verb TEXT NOT NULL,
  what TEXT NOT NULL,
  destination TEXT NOT NULL,
  folder TEXT NOT NULL,
  purpose TEXT NOT NULL,
  names TEXT NOT NULL,
  outcome INTEGER,
  result INTEGER,
  at TEXT,
  PRIMARY KEY (seq)
);
CREATE INDEX deed_listing ON memory_deeds (namespace, seq);
CREATE INDEX deed_turn ON memory_deeds (turn);

CREATE TABLE deed_gaps (
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (first)
);
INSERT INTO deed_gaps (first, last)
SELECT first, last FROM (SELECT min(seq) AS first, max(seq) AS last FROM memory_turns) WHERE first IS NOT NULL;
