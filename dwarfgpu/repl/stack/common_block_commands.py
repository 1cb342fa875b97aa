"""`info common`: the common blocks of Fortran in the frame in focus."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.die import Die
from dwarfgpu.dwarf.scope.declarations import declaration_of
from dwarfgpu.dwarf.scope.variable import Variable
from dwarfgpu.repl.command import command
from dwarfgpu.repl.output import Group, NestedOutput, Output, Part, heading
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.answer import machine_interface
from dwarfgpu.service.frame.focus import contents, require_listable, variables
from dwarfgpu.service.value.listed_values import ListedValues
from dwarfgpu.session.session import Session


@command("info common", topic="stack")
def info_common(shell: Shell, argument: str) -> Iterator[Part]:
    """Show the common blocks of Fortran of the frame.

    Usage: info common [NAME]

    NAME selects a block, by its name or by that of its symbol ("blk_" of "blk"); "__BLNK__" is the
    blank one.
    """
    session = shell.session
    if not _is_described(session):
        yield Output("No symbol table info available.", {"blocks": []})
        return
    named = {
        block: members
        for block, members in _common_blocks(session).items()
        if argument in ("", block.linkage_name) or argument.lower() == (block.name or "").lower()
    }
    if not named:
        text = f"No common block '{argument}'." if argument else "No common blocks."
        yield Output(text, {"blocks": []})
    values, options = ListedValues(session.limits), shell.settings.format_options()
    for number, (block, members) in enumerate(named.items()):
        of_block = Group("blocks", {"name": block.name})
        title = f"Contents of F77 COMMON block '{block.name}':"
        yield NestedOutput(of_block, heading(f"\n{title}" if number else title))
        for variable in values.shown(members):
            reading = session.read(variable)
            text = contents(session, reading, options)
            values.count(variable, text)
            record = machine_interface(text, variable.readable_type_text, reading.location)
            line = f"{variable.name} = {text}"
            part = Output(line, {"name": variable.name, **record}, "variables")
            yield NestedOutput(of_block, part)
            for note in reading.notes:
                shell.console.note(note, once=True)
    if values.unlisted:
        raise values.end()


def _is_described(session: Session) -> bool:
    has_code = session.pc is not None and session.code_object is not None
    return has_code and session.frame.subprogram is not None


def _common_blocks(session: Session) -> dict[Die, list[Variable]]:
    """Return the common blocks of the function in focus, with their variables."""
    require_listable(session, "local")
    blocks: dict[Die, list[Variable]] = {}
    for variable in variables(session, "local"):
        above = declaration_of(variable.die).parent()
        if above is not None and above.tag == dw.TAG_COMMON_BLOCK:
            blocks.setdefault(above, []).append(variable)
    return blocks
