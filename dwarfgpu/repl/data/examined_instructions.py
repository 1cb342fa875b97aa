"""Instructions by address at the prompt: `x/i`, `display/i`, `set disassemble-next-line`."""

from __future__ import annotations

from collections.abc import Iterator

from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language.address_symbols import symbolizer
from dwarfgpu.language.source_lines import step_at
from dwarfgpu.repl.output import Output, Part
from dwarfgpu.repl.shell import Shell
from dwarfgpu.service.code.disassembly import CodeLine
from dwarfgpu.service.code.disassembly_listing import (
    code_record,
    code_text,
    function_name,
    marked,
    offset_text,
    words_text,
)
from dwarfgpu.service.code.session_code import (
    code_lines,
    code_lines_before,
    code_lines_between,
    function_at,
    instruction_text,
    listed,
    require_few_instructions,
)
from dwarfgpu.service.frame.focus import frame_pc, require_frame
from dwarfgpu.session.session import Session
from dwarfgpu.view.format_options import Symbolize


def examined_instructions(
    shell: Shell, address: int, count: int
) -> Iterator[tuple[Output, CodeLine | None]]:
    """Yield the lines of `x/i` with their instructions; a line that cannot be read has none."""
    session, is_before = shell.session, count < 0
    options = shell.settings.format_options()
    symbol_of = symbolizer(session, options)
    following = address
    if is_before or shell.console.is_json:
        require_few_instructions(session, abs(count))
    try:
        if is_before:
            lines = code_lines_before(session, address, -count)
            if len(lines) < -count:
                begin = lines[0].address if lines else address
                yield _without_line(session, begin, symbol_of), None
        for line in lines if is_before else code_lines(session, address, count):
            where = f"{line.address:#x}{_symbol(symbol_of(line.address))}"
            code = instruction_text(session, line, options)
            text = f"{marked(session, line.address)}{where}:\t{code}"
            yield Output(text, code_record(session, line), "asm_insns"), line
            following = line.address + len(line.data)
    except UsageError as error:
        where = f"{marked(session, following)}{following:#x}{_symbol(symbol_of(following))}:\t"
        yield Output(where, {}, ends_line=False), None
        raise error


def _without_line(session: Session, begin: int, symbol_of: Symbolize) -> Output:
    """Return GDB's message about the code before the first instruction that a line describes."""
    last = begin - 1 & (1 << session.architecture.address_bits) - 1
    missing = f"No line number information available for address {last:#x}"
    return Output(f"{missing}{_symbol(symbol_of(last))}", {"missing": f"{last:#x}"})


def _symbol(name: str | None) -> str:
    return f" <{name}>" if name else ""


def next_line(shell: Shell, *, has_source: bool) -> Iterator[Part]:
    """Yield the code of the source line of the frame in focus, according to `set
    disassemble-next-line`; without a line, the next instruction.

    In a calling frame the line is that of the call. As in GDB, a function has none of the code of a
    function inlined into it.
    """
    choice = shell.settings.word("disassemble-next-line")
    if choice == "off" or (choice == "auto" and has_source):
        return
    session, options = shell.session, shell.settings.format_options()
    if has_source and session.inline_level:
        return
    try:
        pc, location = frame_pc(session), require_frame(session)
    except DwarfGpuError:
        return
    step = step_at(session, location) if has_source else None
    begin, end = (pc, pc + 1) if step is None else (step.begin, step.end)
    read = listed if shell.console.is_json else code_lines_between
    for line in read(session, begin, end):
        function = function_at(session, line.address)
        where = ""
        if function is not None:
            offset = line.address - function.range.begin
            where = offset_text(function_name(session, function), offset, options)
        text = code_text(session, line, where, options, words_text(session, line))
        yield Output(text, code_record(session, line), "asm_insns")
