"""A machine that runs, as the debugger sees and changes it."""
