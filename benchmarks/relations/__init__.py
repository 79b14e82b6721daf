"""Whether a statement that repeats, replaces or denies an older one meets it, in labelled pairs and worlds."""
