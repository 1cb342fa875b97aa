"""What Fortran has otherwise than C: `intrinsics`, `array_sections`, `namelists`, `operators`, and
how it computes (`number_rules`)."""
