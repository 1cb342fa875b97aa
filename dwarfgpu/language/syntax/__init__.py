"""Tokens, syntax tree and parser of source expressions."""
