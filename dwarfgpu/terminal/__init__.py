"""Standard streams and the terminal.

`input` reads what a command is given, `streams` are the standard streams, `progress` shows how far
a long task is.
"""
