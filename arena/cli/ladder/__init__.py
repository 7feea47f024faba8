"""`arena ladder`, and what `arena check --ladder` shows of it."""
