"""The static checker of expressions: abstract interpretation over every path.

`checker` goes over the operations with a `stack_shape` of values (`abstract_value`), which
`abstract_stack` changes by `operand_kinds` and `piece_effects`; `operand_rules` checks what is
wrong whatever the stack is, `extent` the size of the object that is described.
"""
