"""Symbols in words and in lists."""
