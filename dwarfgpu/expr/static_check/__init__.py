"""The static checker of expressions: abstract interpretation over every path.

`checker` goes over the operations with an `abstract_stack` of values (`abstract_value`),
`operand_rules` checks what is wrong whatever the stack is, `extent` the size of the object that is
described.
"""
