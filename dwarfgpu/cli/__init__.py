"""The command line: a module for each command of `main`, with the command's name, loaded when it is
used.

Parts of a large command begin with its name (`check_files`, `run_trace`, `eval_session`).
"""
