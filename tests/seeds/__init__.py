"""Each row of the two design documents as a case with its own name; the row number begins the name."""
