"""Where variables are described: coverage, ranges, changes between two files.

`coverages` finds them, `coverage_listing` and `coverage_json` show them, `against` compares files.
"""
