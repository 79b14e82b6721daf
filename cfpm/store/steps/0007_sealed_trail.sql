-- Step 7: the chain that seals what was said and decided, and how far the file is. What was there before is sealed by
-- the next transaction. A later step that adds a column to a sealed table seals its rows anew (`Trail.reseal`).

CREATE TABLE trail_links (
  number INTEGER NOT NULL,
  entries TEXT NOT NULL,
  digests BLOB NOT NULL,
  seal BLOB NOT NULL,
  PRIMARY KEY (number)
);

CREATE TABLE store_state (
  id INTEGER NOT NULL,
  "database" TEXT NOT NULL,
  writes INTEGER NOT NULL,
  adopted BOOLEAN NOT NULL,
  links INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  last_seal BLOB NOT NULL,
  head BLOB NOT NULL,
  PRIMARY KEY (id)
);
