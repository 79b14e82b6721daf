"""The way of one turn: records to turns, a turn to drafts, verdicts and changes, all in one transaction."""
