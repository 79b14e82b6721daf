-- Step 9: documents that the user adds, in chunks with lines, to be looked up by word and meaning.

CREATE TABLE documents (
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  digest TEXT NOT NULL,
  version INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  added_at TEXT,
  PRIMARY KEY (seq)
);
CREATE UNIQUE INDEX document_id ON documents (id);
CREATE UNIQUE INDEX document_name ON documents (namespace, name);

CREATE TABLE document_chunks (
  seq INTEGER NOT NULL,
  document TEXT NOT NULL,
  number INTEGER NOT NULL,
  place TEXT NOT NULL,
  first_line INTEGER NOT NULL,
  last_line INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (seq)
);
CREATE UNIQUE INDEX chunk_place ON document_chunks (document, number);
CREATE VIRTUAL TABLE documents_text USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE document_vectors (
  seq INTEGER NOT NULL,
  space INTEGER NOT NULL,
  vector BLOB NOT NULL,
  pieces BLOB NOT NULL,
  PRIMARY KEY (seq)
);
