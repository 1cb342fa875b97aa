"""Expressions as text and hex, to bytes and back."""
