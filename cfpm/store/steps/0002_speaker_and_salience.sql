-- Step 2: who said it, how much it is worth its tokens, and which facts say the opposite. Rows from before have no
-- speaker, were not rated and contradict nothing.

ALTER TABLE memory_facts ADD COLUMN speaker TEXT DEFAULT '' NOT NULL;
ALTER TABLE memory_facts ADD COLUMN salience FLOAT DEFAULT 0.5 NOT NULL;
ALTER TABLE memory_facts ADD COLUMN contradicts TEXT DEFAULT '' NOT NULL;
ALTER TABLE memory_candidates ADD COLUMN speaker TEXT DEFAULT '' NOT NULL;
ALTER TABLE memory_candidates ADD COLUMN salience FLOAT DEFAULT 0.5 NOT NULL;
ALTER TABLE memory_candidates ADD COLUMN shares TEXT DEFAULT '' NOT NULL;
