"""Where variables are described: coverage, ranges, changes between two files."""
