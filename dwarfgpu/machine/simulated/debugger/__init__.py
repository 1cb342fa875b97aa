"""A running machine as the debugger reads and changes it."""
