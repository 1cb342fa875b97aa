"""Commands that show, explain and write values, types and memory."""
