"""Values in a text (amounts, dates, versions, counts), and what each belongs to."""
