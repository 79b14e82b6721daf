-- Step 9: what the user allowed and refused, and where a session stands: plan, todos, goal, skills and the like.

CREATE TABLE memory_approvals (
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  subject TEXT NOT NULL,
  answer TEXT NOT NULL,
  granted BOOLEAN NOT NULL,
  scope TEXT NOT NULL,
  "by" TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at TEXT,
  PRIMARY KEY (seq)
);
CREATE UNIQUE INDEX approval_id ON memory_approvals (id);
CREATE INDEX approval_session ON memory_approvals (namespace, session, seq);

CREATE TABLE memory_state (
  seq INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  session TEXT NOT NULL,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL,
  "key" TEXT NOT NULL,
  text TEXT NOT NULL,
  status TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at TEXT,
  PRIMARY KEY (seq)
);
CREATE UNIQUE INDEX state_key ON memory_state (namespace, session, agent, kind, "key");
