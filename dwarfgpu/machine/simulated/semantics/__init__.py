"""Translate machine instructions to Python code that executes them."""
