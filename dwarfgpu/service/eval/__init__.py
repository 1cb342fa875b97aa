"""The answers of `eval`: variables and operations, for a lane, for lanes, for waves."""
