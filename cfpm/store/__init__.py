"""Everything the memory keeps, in one SQLite file: open it with `Store.open`."""
