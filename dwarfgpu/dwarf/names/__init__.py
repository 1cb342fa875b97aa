"""Spelling and demangling of names."""
