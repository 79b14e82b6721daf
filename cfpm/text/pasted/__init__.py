"""Words in a message that are not its speaker's own: documents, tables, records, plays, texts to translate."""
