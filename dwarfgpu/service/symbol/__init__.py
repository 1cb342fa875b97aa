"""Describe and list symbols."""
