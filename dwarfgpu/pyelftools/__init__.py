"""Values, locations, text and explanations for scripts that read files with pyelftools.

    code = dwarfgpu.CodeObject.from_elffile(elffile)
    dwarfgpu.pyelftools.evaluate(die.attributes["DW_AT_location"], die, code, pc=0x1234)

`evaluate` gives what an attribute or an expression of a DIE gives, `read` what a variable has,
`explain` the steps to either; `text` shows a result in one line, `dis` an expression.
docs/howto-pyelftools.md has an example of each.

Law: a DIE only says which entry of the file is meant, and dwarfgpu reads that entry itself: what
pyelftools cannot decode changes nothing. pyelftools is not imported, and its objects stay as they
are.
"""

from dwarfgpu.pyelftools.expression_text import dis
from dwarfgpu.pyelftools.questions import evaluate, explain, read, text
from dwarfgpu.pyelftools.stopped_machine import Contents, Machine

__all__ = ["Contents", "Machine", "dis", "evaluate", "explain", "read", "text"]
