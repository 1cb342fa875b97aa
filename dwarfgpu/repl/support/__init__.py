"""Commands about commands: help, settings, scripts, other programs, LLDB's names."""
