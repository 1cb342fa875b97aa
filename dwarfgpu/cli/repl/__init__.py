"""The prompt of `dwarfgpu debug`.

The command layer (`command`, `shell`, `table` and the commands themselves) is plain Python and
knows no terminal; `prompt` and `lexer` alone know prompt_toolkit and pygments, and are loaded only
where there is a terminal to talk to.
"""
