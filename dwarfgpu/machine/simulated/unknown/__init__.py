"""What instructions make of bits that a state leaves out.

Law: the statements that execute an instruction say which bits of its results are known: they are
executed again on numbers that are known in part. No operation is named here.

`unknown_contents` observes waves; `partly_known` and `partly_known_lanes` are the numbers.
"""
