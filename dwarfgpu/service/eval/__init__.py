"""The answers of `eval`: variables and operations, for a lane, for lanes, for waves.

`eval_answer` is for a lane or for lanes, `wave_answer` for waves, `operations_answer` for bare
operations.
"""
