"""The `decide` package: typed questions about a state, one row a question."""
