"""Meanings of encodings that differ between compilers and versions."""
