"""What Pascal has otherwise than C: `units`, strings, `functions`, `operators`, and how it computes
(`number_rules`)."""
