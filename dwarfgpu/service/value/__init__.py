"""Values and locations of variables and expressions.

`subject` decides whether a text is a variable or an expression, `expression_answer` evaluates it,
`reading_answer` answers for a variable, `locate` says where one is; `value_history` has `$1`.
"""
