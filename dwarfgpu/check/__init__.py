"""What is wrong with the debug information of a file, told without a machine (`docs/check.md`)."""
