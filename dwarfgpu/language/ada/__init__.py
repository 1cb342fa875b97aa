"""What Ada has otherwise than C: `names` and packages, attributes, bounds, `operators`, and how it
computes (`number_rules`)."""
