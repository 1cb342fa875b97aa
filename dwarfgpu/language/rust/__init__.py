"""What Rust has otherwise than C: `names`, slices, `operators`, and how it computes
(`number_rules`)."""
