"""Call frame information: its instructions, its rules, and the rows they make (A.6.4)."""
