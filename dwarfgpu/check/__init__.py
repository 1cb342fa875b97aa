"""Check the debug information of a file without a machine (`docs/check.md`)."""
