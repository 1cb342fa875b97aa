"""The table of the prompt's commands, by class and with the subcommands of `info`, `set` and
`show`: a new command is declared in a module of this package and has a line here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dwarfgpu.base.records import evolve
from dwarfgpu.repl.command import Command, command, subcommand_list
from dwarfgpu.repl.data.display_commands import display, info_display, undisplay
from dwarfgpu.repl.data.dump_commands import DUMPS
from dwarfgpu.repl.data.examine_commands import x
from dwarfgpu.repl.data.explain_commands import check, explain, location, where
from dwarfgpu.repl.data.find_commands import find
from dwarfgpu.repl.data.maintenance_commands import maintenance
from dwarfgpu.repl.data.pretty_printer_commands import info_pretty_printer
from dwarfgpu.repl.data.print_commands import call, init_if_undefined, output, print_
from dwarfgpu.repl.data.printf_commands import echo, printf
from dwarfgpu.repl.data.save_commands import generate_core_file, load, save
from dwarfgpu.repl.data.type_commands import info_vtbl, ptype, whatis
from dwarfgpu.repl.data.undo_commands import diff, redo, undo
from dwarfgpu.repl.files.demangle_commands import demangle
from dwarfgpu.repl.files.disassemble_commands import disassemble
from dwarfgpu.repl.files.file_commands import core_file, file, sharedlibrary
from dwarfgpu.repl.files.folder_commands import cd, pwd
from dwarfgpu.repl.files.list_commands import info_line, list_
from dwarfgpu.repl.files.process_commands import (
    inferior,
    info_auxv,
    info_inferiors,
    info_proc,
    info_program,
)
from dwarfgpu.repl.files.search_commands import forward_search, reverse_search
from dwarfgpu.repl.files.source_file_commands import (
    compare_sections,
    info_files,
    info_sharedlibrary,
    info_source,
    info_sources,
)
from dwarfgpu.repl.files.source_path_commands import directory, unset
from dwarfgpu.repl.files.symbol_commands import info_address, info_scope, info_symbol
from dwarfgpu.repl.files.symbol_list_commands import (
    info_functions,
    info_module,
    info_modules,
    info_types,
    info_variables,
)
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.running.break_commands import break_, hbreak, rbreak, tbreak, thbreak
from dwarfgpu.repl.running.breakpoint_commands import (
    clear,
    commands,
    condition,
    delete,
    disable,
    enable,
    ignore,
    info_breakpoints,
    info_watchpoints,
)
from dwarfgpu.repl.running.catch_commands import catch, tcatch
from dwarfgpu.repl.running.resume_commands import RUNNING
from dwarfgpu.repl.running.save_breakpoints_commands import save_breakpoints
from dwarfgpu.repl.running.signal_commands import info_signals
from dwarfgpu.repl.running.watch_commands import awatch, rwatch, watch
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.stack.backtrace_commands import backtrace, info_stack
from dwarfgpu.repl.stack.common_block_commands import info_common
from dwarfgpu.repl.stack.frame_commands import (
    down,
    down_silently,
    frame,
    pc,
    select_frame,
    up,
    up_silently,
)
from dwarfgpu.repl.stack.frame_info_commands import info_frame
from dwarfgpu.repl.stack.frame_spec import frame_words
from dwarfgpu.repl.stack.locals_commands import info_args, info_locals
from dwarfgpu.repl.stack.register_commands import (
    info_all_registers,
    info_float,
    info_registers,
    info_vector,
)
from dwarfgpu.repl.support.absent_commands import with_absent
from dwarfgpu.repl.support.help_commands import apropos, complete, help_, quit_
from dwarfgpu.repl.support.lldb_commands import with_foreign
from dwarfgpu.repl.support.script_commands import dont_repeat, end, eval_, if_, while_
from dwarfgpu.repl.support.setting_commands import info_set, set_, show
from dwarfgpu.repl.support.shell_commands import pipe, python, shell_
from dwarfgpu.repl.support.source_commands import source
from dwarfgpu.repl.support.user_commands import alias, define, define_prefix, document
from dwarfgpu.repl.support.with_commands import with_
from dwarfgpu.repl.waves.apply_commands import (
    faas,
    frame_apply,
    laas,
    lane_apply,
    lfaas,
    taas,
    tfaas,
    thread_apply,
)
from dwarfgpu.repl.waves.lane_commands import info_lanes, lane, lane_find, lane_name
from dwarfgpu.repl.waves.lane_values_commands import lanes
from dwarfgpu.repl.waves.thread_commands import (
    info_threads,
    info_waves,
    thread,
    thread_find,
    thread_name,
)
from dwarfgpu.repl.waves.topology_commands import (
    dispatch,
    info_agents,
    info_dispatches,
    info_queues,
    queue,
)

_GPU_INFO: Final[tuple[Command, ...]] = (
    info_agents,
    info_dispatches,
    info_lanes,
    info_queues,
    info_threads,
    info_waves,
)
_GPU_COMMANDS: Final[tuple[Command, ...]] = (
    dispatch,
    faas,
    evolve(frame, subcommands=(frame_apply, *frame_words(frame)), takes_other=True),
    inferior,
    laas,
    evolve(lane, subcommands=(lane_apply, lane_find, lane_name)),
    lfaas,
    maintenance,
    queue,
    taas,
    tfaas,
    evolve(thread, subcommands=(thread_apply, thread_find, thread_name)),
)
_INFO: Final = (
    info_address,
    info_auxv,
    info_inferiors,
    info_proc,
    info_program,
    info_signals,
    info_all_registers,
    info_args,
    info_breakpoints,
    info_display,
    info_files,
    evolve(info_frame, subcommands=frame_words(info_frame), takes_other=True),
    info_functions,
    info_line,
    info_common,
    info_locals,
    info_float,
    info_pretty_printer,
    info_registers,
    info_vector,
    info_scope,
    info_set,
    info_sharedlibrary,
    info_source,
    info_sources,
    info_stack,
    info_symbol,
    info_module,
    info_modules,
    info_types,
    info_variables,
    info_vtbl,
    info_watchpoints,
    *_GPU_INFO,
)


@command("info", topic="data", aliases=("i", "inf"), subcommands=_INFO)
def info(shell: Shell, argument: str) -> Iterator[Part]:
    """Show information about the program being debugged."""
    yield from subcommand_list("info", _INFO)


_OWN: Final[tuple[Command, ...]] = (
    *RUNNING,
    *_GPU_COMMANDS,
    *DUMPS,
    compare_sections,
    check,
    explain,
    lanes,
    location,
    where,
    alias,
    apropos,
    backtrace,
    awatch,
    break_,
    call,
    catch,
    cd,
    clear,
    commands,
    complete,
    condition,
    demangle,
    directory,
    disassemble,
    display,
    define,
    define_prefix,
    delete,
    diff,
    disable,
    document,
    dont_repeat,
    down,
    down_silently,
    echo,
    enable,
    end,
    file,
    core_file,
    find,
    forward_search,
    reverse_search,
    hbreak,
    rbreak,
    rwatch,
    help_,
    if_,
    ignore,
    info,
    init_if_undefined,
    list_,
    load,
    output,
    pc,
    pipe,
    print_,
    printf,
    pwd,
    eval_,
    ptype,
    python,
    quit_,
    redo,
    generate_core_file,
    evolve(save, subcommands=(save_breakpoints,), takes_other=True),
    select_frame,
    set_,
    sharedlibrary,
    shell_,
    show,
    source,
    tbreak,
    thbreak,
    tcatch,
    undisplay,
    undo,
    up,
    up_silently,
    unset,
    watch,
    whatis,
    with_,
    x,
    while_,
)
COMMANDS: Final = with_absent(with_foreign(_OWN))
"""With LLDB's names for them, and those of GDB that do not apply."""
