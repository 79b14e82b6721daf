-- Step 13: a block shows what a fact took the place of, where a part of that may still hold.

CREATE INDEX fact_replaced ON memory_facts (superseded_by) WHERE status = 'superseded';
