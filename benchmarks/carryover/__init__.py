"""Of the names that a session uses again from earlier ones, how many stand in what memory puts into its prompt?"""
