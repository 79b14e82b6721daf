-- Step 3: vectors of messages and facts, derived from their texts. `cfpm reindex` makes those of older rows; until then
-- such rows are found by words alone. A vector belongs to the embedder of its space and is compared with no other.

CREATE TABLE vector_spaces (
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX vector_space_name ON vector_spaces (name);

CREATE TABLE turn_vectors (
  seq INTEGER NOT NULL,
  space INTEGER NOT NULL,
  vector BLOB NOT NULL,
  pieces BLOB NOT NULL,
  PRIMARY KEY (seq)
);

CREATE TABLE fact_vectors (
  seq INTEGER NOT NULL,
  space INTEGER NOT NULL,
  vector BLOB NOT NULL,
  pieces BLOB NOT NULL,
  PRIMARY KEY (seq)
);
