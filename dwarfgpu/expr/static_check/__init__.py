"""The static checker of expressions: abstract interpretation over every path."""
