"""Command-line options that several commands share, and the machines that they describe.

`context_options`, `launch_options` and `limit_options` declare them; `opened_session`,
`opened_core` and `opened_launch` open what they name.
"""
