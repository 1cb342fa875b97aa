"""Location coverage: where in its scope a variable has a location or a value.

`coverage` measures one variable, `find_variables` chooses those of a question, `instances` their
inlined copies, and `compare_builds` compares two files.
"""
