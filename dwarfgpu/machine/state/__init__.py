"""A stopped machine described by a state file (docs/state-files.md).

`load` reads one, `state_document` and `write` make one, `state_differences` compares two;
`state_target` is the machine, which tests and examples also fill by hand.
"""
