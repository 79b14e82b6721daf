-- Step 1: the first tables. A step that has been released is never edited: a change is a new file with the next number.
-- `tables.py` declares the same tables with SQLModel and says what they hold; a test compares the two.

CREATE TABLE memory_turns (
  seq INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  position INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  origin TEXT NOT NULL,
  created_at TEXT,
  agent TEXT NOT NULL,
  cut INTEGER NOT NULL,
  tool_calls TEXT NOT NULL,
  call_id TEXT,
  is_error BOOLEAN,
  exit_code INTEGER,
  text TEXT NOT NULL,
  PRIMARY KEY (seq)
);
CREATE UNIQUE INDEX turn_message ON memory_turns (namespace, session, message_id);
CREATE INDEX turn_position ON memory_turns (namespace, session, turn, position);

CREATE TABLE memory_calls (
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  call_id TEXT NOT NULL,
  message INTEGER NOT NULL,
  PRIMARY KEY (namespace, session, call_id)
) WITHOUT ROWID;

CREATE TABLE memory_facts (
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  category TEXT NOT NULL,
  "key" TEXT NOT NULL,
  content TEXT NOT NULL,
  status TEXT NOT NULL,
  pinned BOOLEAN NOT NULL,
  source TEXT NOT NULL,
  confidence FLOAT NOT NULL,
  evidence_count INTEGER NOT NULL,
  created_at TEXT,
  updated_at TEXT,
  last_validated_at TEXT,
  valid_from TEXT,
  valid_to TEXT,
  stale_at TEXT,
  event_time TEXT,
  validation_command TEXT,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  role TEXT NOT NULL,
  message_id TEXT NOT NULL,
  span_start INTEGER NOT NULL,
  span_end INTEGER NOT NULL,
  topic TEXT NOT NULL,
  value TEXT NOT NULL,
  superseded_by TEXT NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX fact_category ON memory_facts (namespace, category, status, pinned, updated_at);
CREATE INDEX fact_expiry ON memory_facts (namespace, stale_at) WHERE status = 'active' AND pinned = 0 AND stale_at IS NOT NULL;
CREATE UNIQUE INDEX fact_id ON memory_facts (id);
CREATE UNIQUE INDEX fact_key ON memory_facts (namespace, category, "key");
CREATE INDEX fact_listing ON memory_facts (namespace, status, pinned, updated_at);
CREATE INDEX fact_topic ON memory_facts (namespace, topic) WHERE status = 'active' AND topic <> '';
CREATE INDEX fact_utility ON memory_facts (namespace, category, confidence, evidence_count, updated_at)
  WHERE status = 'active' AND pinned = 0 AND source IN ('cfpm_auto', 'model');

CREATE TABLE fact_blocks (
  namespace TEXT NOT NULL,
  category TEXT NOT NULL,
  block TEXT NOT NULL,
  fact INTEGER NOT NULL,
  PRIMARY KEY (namespace, category, block, fact)
) WITHOUT ROWID;

CREATE TABLE fact_counts (
  namespace TEXT NOT NULL,
  category TEXT NOT NULL,
  active INTEGER NOT NULL,
  learnt INTEGER NOT NULL,
  PRIMARY KEY (namespace, category)
) WITHOUT ROWID;

CREATE TABLE memory_candidates (
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  decision TEXT NOT NULL,
  reason TEXT NOT NULL,
  rule TEXT NOT NULL,
  detail TEXT NOT NULL,
  category TEXT NOT NULL,
  content TEXT NOT NULL,
  role TEXT NOT NULL,
  message_id TEXT NOT NULL,
  span_start INTEGER NOT NULL,
  span_end INTEGER NOT NULL,
  fact_id TEXT NOT NULL,
  confidence FLOAT NOT NULL,
  extractor TEXT NOT NULL,
  marks TEXT NOT NULL,
  line TEXT NOT NULL,
  event_time TEXT,
  validation_command TEXT,
  created_at TEXT,
  reviewed BOOLEAN NOT NULL,
  PRIMARY KEY (seq)
);
CREATE UNIQUE INDEX candidate_id ON memory_candidates (id);
CREATE INDEX candidate_session ON memory_candidates (namespace, session);
CREATE INDEX candidate_verdict ON memory_candidates (namespace, decision, reason, category);

CREATE TABLE memory_events (
  seq INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  number INTEGER NOT NULL,
  fact_id TEXT NOT NULL,
  action TEXT NOT NULL,
  cause TEXT NOT NULL,
  at TEXT,
  "before" TEXT NOT NULL,
  "after" TEXT NOT NULL,
  PRIMARY KEY (seq)
);
CREATE INDEX event_fact ON memory_events (namespace, fact_id, number);
CREATE INDEX event_moment ON memory_events (namespace, at, fact_id, number);
CREATE UNIQUE INDEX event_number ON memory_events (namespace, number);

CREATE TABLE seen_lines (
  namespace TEXT NOT NULL,
  line_hash TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (namespace, line_hash)
) WITHOUT ROWID;

CREATE TABLE recall_events (
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  "query" TEXT NOT NULL,
  block_hash TEXT NOT NULL,
  fact_ids TEXT NOT NULL,
  at TEXT,
  PRIMARY KEY (seq)
);
CREATE INDEX recall_block ON recall_events (namespace, block_hash);
CREATE UNIQUE INDEX recall_id ON recall_events (id);
CREATE INDEX recall_session ON recall_events (namespace, session);

CREATE TABLE gate_events (
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  tool TEXT NOT NULL,
  dialect TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  command TEXT NOT NULL,
  rewritten TEXT NOT NULL,
  changes TEXT NOT NULL,
  at TEXT,
  PRIMARY KEY (seq)
);
CREATE UNIQUE INDEX gate_id ON gate_events (id);
CREATE INDEX gate_session ON gate_events (namespace, session);

CREATE TABLE schema_migrations (
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  applied_by TEXT NOT NULL,
  PRIMARY KEY (version)
);

-- Contentless full-text indices: the text itself is in the tables. Row ids are `seq`. CJK characters are separated by
-- spaces before they come here (search.py), because unicode61 takes a whole run of them for one word.
CREATE VIRTUAL TABLE turns_text USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE facts_text USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2');
