"""Describe and list symbols.

`symbol_description` and `type_definition` answer for one, `symbol_listing` lists many.
"""
