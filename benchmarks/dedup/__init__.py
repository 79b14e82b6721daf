"""Does the pruner merge what says the same, and only that? Sentence pairs with human labels, no judge model."""
