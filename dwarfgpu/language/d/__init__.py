"""What D has otherwise than C: `operators`, and how it computes (`number_rules`)."""
