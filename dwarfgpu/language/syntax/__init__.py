"""Tokens, syntax tree and parser of source expressions.

`parser` makes an `ast` of `tokens`; `type_parser` reads types, `name_parser` qualified names.
"""
