-- Step 4: indices that grow at their end. One in the order of ids, reasons or facts is written all over in every turn:
-- the six of candidates and events were 17 of the 65 pages that a turn wrote. What they answered is found by the three
-- in their place, which hold all that a listing filters by, so that no row is read in vain; and how many candidates
-- have a verdict is counted.

DROP INDEX candidate_id;
DROP INDEX candidate_session;
DROP INDEX candidate_verdict;
CREATE UNIQUE INDEX candidate_session ON memory_candidates (namespace, session, id);
CREATE INDEX candidate_trail ON memory_candidates (namespace, seq, decision, reason);

CREATE TABLE candidate_counts (
  namespace TEXT NOT NULL,
  decision TEXT NOT NULL,
  reason TEXT NOT NULL,
  category TEXT NOT NULL,
  candidates INTEGER NOT NULL,
  PRIMARY KEY (namespace, decision, reason, category)
) WITHOUT ROWID;
INSERT INTO candidate_counts (namespace, decision, reason, category, candidates)
  SELECT namespace, decision, reason, category, count(*) FROM memory_candidates GROUP BY 1, 2, 3, 4;

DROP INDEX event_fact;
DROP INDEX event_moment;
DROP INDEX event_number;
CREATE INDEX event_number ON memory_events (namespace, number, at, fact_id);

-- One listing for two: by category as before, of all categories together sorted in the index.
DROP INDEX fact_category;
DROP INDEX fact_listing;
CREATE INDEX fact_listing ON memory_facts (namespace, status, category, pinned, updated_at);
CREATE INDEX fact_pinned ON memory_facts (namespace, status, updated_at) WHERE pinned = 1;
