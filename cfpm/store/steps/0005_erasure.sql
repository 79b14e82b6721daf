-- Step 5: forgetting by keyed hashes, without words and without a limit; the record of what was erased; messages and
-- sessions of which nothing is taken in any more. The tombstones of facts that were forgotten before are made by
-- `migrations.py` behind this.

CREATE TABLE database_keys (
  name TEXT NOT NULL,
  "key" BLOB NOT NULL,
  PRIMARY KEY (name)
) WITHOUT ROWID;

CREATE TABLE tombstones (
  seq INTEGER NOT NULL,
  space TEXT NOT NULL,
  fact_id TEXT NOT NULL,
  exact TEXT NOT NULL,
  speaker TEXT NOT NULL,
  weight INTEGER NOT NULL,
  words INTEGER NOT NULL,
  numbers INTEGER NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX tombstone_exact ON tombstones (space, exact);
CREATE INDEX tombstone_fact ON tombstones (fact_id);

CREATE TABLE tombstone_words (
  word INTEGER NOT NULL,
  tombstone INTEGER NOT NULL,
  weight INTEGER NOT NULL,
  number BOOLEAN NOT NULL,
  PRIMARY KEY (word, tombstone)
) WITHOUT ROWID;

CREATE TABLE erasures (
  seq INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  selector TEXT NOT NULL,
  erased_by TEXT NOT NULL,
  at TEXT,
  counts TEXT NOT NULL,
  last_turn INTEGER NOT NULL,
  finished BOOLEAN NOT NULL,
  PRIMARY KEY (seq)
);

CREATE TABLE kept_out (
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (name)
) WITHOUT ROWID;
