"""The prompt of `dwarfgpu debug`.

A `shell` has the session in focus and the commands, with a `console` (answers and questions), a
`script_state`, `typed_lines` and an `opened_machine`. `command` declares commands; the folders of
commands follow GDB's topics. There a module that declares commands has a name with `_commands`, and
no other has. `terminal` alone knows prompt_toolkit, which is loaded only
where there is a terminal to talk to, after the first prompt is shown.
"""
