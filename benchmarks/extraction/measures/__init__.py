"""One module for each set: how it is read and what is counted. `measure` in each answers with a `Result`."""
