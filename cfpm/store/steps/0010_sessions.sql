-- Step 9: the sessions, what they are about and how far they are; and what hosts told beside the words of messages. The
-- rows of sessions are derived from the log, where a file is older.

CREATE TABLE sessions (
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  title TEXT NOT NULL,
  task TEXT NOT NULL,
  cwd TEXT NOT NULL,
  project TEXT NOT NULL,
  model TEXT NOT NULL,
  agent TEXT NOT NULL,
  started TEXT,
  updated TEXT,
  opening BOOLEAN NOT NULL,
  turns INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  done BOOLEAN NOT NULL,
  parent TEXT NOT NULL,
  parent_turn INTEGER NOT NULL,
  rewound TEXT NOT NULL,
  PRIMARY KEY (namespace, session)
) WITHOUT ROWID;

CREATE TABLE message_details (
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  message_id TEXT NOT NULL,
  model TEXT NOT NULL,
  reply TEXT NOT NULL,
  input INTEGER,
  output INTEGER,
  cache_read INTEGER,
  cache_written INTEGER,
  cost FLOAT,
  signature TEXT NOT NULL,
  user_visible BOOLEAN NOT NULL,
  agent_visible BOOLEAN NOT NULL,
  hidden_by TEXT NOT NULL,
  stands_before TEXT NOT NULL,
  said_as TEXT NOT NULL,
  PRIMARY KEY (namespace, session, message_id)
) WITHOUT ROWID;
