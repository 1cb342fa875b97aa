"""`disassemble`: the code of a function or of addresses, with GDB's wording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dwarfgpu.base.limits import DEFAULT_FILE_LIMITS
from dwarfgpu.dwarf.line.line_lookup import SourceLine
from dwarfgpu.language.source_lines import why_no_line
from dwarfgpu.repl import completion
from dwarfgpu.repl.command import command
from dwarfgpu.repl.files.list_commands import default_or_frame
from dwarfgpu.repl.output import Output, Part, heading
from dwarfgpu.repl.shell import Listed, Shell
from dwarfgpu.service.value.value_history import options_of
from dwarfgpu.session.focused_frame import FramePosition, position_in_file

if TYPE_CHECKING:
    from dwarfgpu.base.text_lines import TextLines


@command("disassemble", topic="data", complete=completion.SYMBOLS)
def disassemble(shell: Shell, argument: str) -> Iterator[Part]:
    """Disassemble a function, or the code between addresses.

    Usage: disassemble [/r | /b] [/m | /s] [ADDRESS | START,END | START,+LENGTH]

    Without an argument, shows the function of the frame in focus; with one address, the function
    that contains it. => marks the pc of the frame in focus.
    /r also shows the bytes, of AArch64 as words; /b shows them one by one. /s shows source lines in
    the order of the code, /m in the order of the source.
    """
    # Only here: the decoder is much to load, and few sessions need it.
    from dwarfgpu.service.code.disassembly_listing import code_record, dump_of, listing, modifiers
    from dwarfgpu.service.code.source_text import SourceText

    session = shell.session
    letters, rest = modifiers(argument)
    dump = dump_of(session, rest, options_of(session, shell.values))
    frame = default_or_frame(shell)
    limits = DEFAULT_FILE_LIMITS if dump.function is None else dump.function.code.file.limits
    texts = SourceText(limits, lambda line: shell.source_path.text_file(_position(line)))

    def source_text(line: SourceLine) -> TextLines | None:
        """Return the text of a file: `list` goes on behind the line that is shown."""
        shell.listed = Listed(frame, _position(line), line.line, line.line + 1)
        lines = texts.lines(line)
        if lines is not None:
            shell.missing_source = None
        return lines

    options = shell.settings.format_options()
    lines = listing(session, dump, letters, source_text, options, is_json=shell.console.is_json)
    for line in lines:
        if line.code is None:
            yield heading(line.text)
        else:
            yield Output(line.text, code_record(session, line.code), "asm_insns")
    for note in texts.notes:
        shell.console.note(note)
    reason = why_no_line(session, dump.begin) if letters & {"s", "m"} else None
    if reason is not None:
        shell.console.note(reason)
    elif letters & {"s", "m"} and dump.function is not None:
        for note in dump.function.code.source_notes:
            shell.console.note(note)


def _position(line: SourceLine) -> FramePosition:
    return position_in_file(line.file, line.line, is_start=True)
