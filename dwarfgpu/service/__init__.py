"""One question, one answer: typed results with text and data for every front end.

- `value`: variables and expressions; `lanes`: these in many lanes; `eval`: both, and
  operations, for the command `eval`; `explain`: how a value comes about, or why there is none.
- `frame`: call frames and registers; `code`: machine instructions; `symbol`: names.
- `machine`: waves, queues, memory; `core`: core files; `run`: kernels that run, and waves that
  resume.
- `file`, `where`, `check`: what a file has, where it describes variables, its mistakes.

`answer` is the result of a question for one lane, `output` a part of one; `error_text` and
`gdb_error_text` are the words of errors.
"""
