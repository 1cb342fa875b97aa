"""What Go has otherwise than C: `slices_and_strings`, `operators`, and how it computes
(`number_rules`)."""
