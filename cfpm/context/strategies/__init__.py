"""Strategies that make a long history short, one per file. Each is pure apart from the facts and the summariser that it
is given; when to compact is the business of `cfpm.context.machine`."""
