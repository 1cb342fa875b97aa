"""The prompt of `dwarfgpu debug`.

The conversation (`shell`, `command`, `table`) and the folders of commands, which follow GDB's
topics, are plain Python and know no terminal; `terminal` alone knows prompt_toolkit and pygments,
and its prompt is loaded only where there is a terminal to talk to.
"""
