"""What keeps a long history within a model's window: compaction, trims, budgets, offloading. Sends nothing itself."""
