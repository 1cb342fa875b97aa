"""The prompt of `dwarfgpu debug`.

A conversation is a `shell`: the session in focus and the commands, with a `console` (answers and
questions), a `script_state`, a `history` and an `opened_machine`. `command` declares commands; the
folders of commands follow GDB's topics. `terminal` alone knows prompt_toolkit and pygments, and is
loaded only where there is a terminal to talk to.
"""
