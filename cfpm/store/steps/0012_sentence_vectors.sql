-- Step 12: which sentence of a message answers a question is told by a vector for each, read in its surroundings.

CREATE TABLE sentence_vectors (
  seq INTEGER NOT NULL,
  space INTEGER NOT NULL,
  vectors BLOB NOT NULL,
  PRIMARY KEY (seq)
);
