"""`dwarfgpu debug`: look at a stopped machine, at a prompt or by a script."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from attrs import evolve

from dwarfgpu import __version__
from dwarfgpu.errors import DwarfGpuError, UsageError
from dwarfgpu.language import TypedValue
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.machine.image import ImageTarget
from dwarfgpu.machine.state.target import StateTarget
from dwarfgpu.machine.target import WaveId
from dwarfgpu.machine.undo import recorded
from dwarfgpu.options import machine_options as options
from dwarfgpu.options.demo import with_demo
from dwarfgpu.options.launch_options import LAUNCH, configure_launch
from dwarfgpu.options.limit_options import file_limits_of, given_file_limits
from dwarfgpu.options.machine_arguments import configure as configure_machine
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.repl.answer import Answer
from dwarfgpu.repl.command import printed
from dwarfgpu.repl.commands import COMMANDS
from dwarfgpu.repl.shell import Shell, Streams
from dwarfgpu.repl.stack.commands import shown_frame
from dwarfgpu.repl.terminal import lines
from dwarfgpu.repl.terminal.colour import painted, source
from dwarfgpu.repl.terminal.lines import StartupCommand
from dwarfgpu.repl.waves.lanes import first_lane
from dwarfgpu.service.error_text import one_line, shortened
from dwarfgpu.service.focus import lane_numbers, thread_and_lane
from dwarfgpu.service.gdb_error_text import error_text
from dwarfgpu.session.backtrace import selected_number
from dwarfgpu.session.session import Session
from dwarfgpu.terminal.streams import is_terminal, usable

if TYPE_CHECKING:
    from dwarfgpu.machine.core.load import Core

"""Where `e_type` is in a file."""
GDB_VERSION: Final = (13, 1)
"""Of which the words are spoken."""


class _Append(argparse.Action):
    """`-ex` and `-x` share one list, because they run in the order in which they are given."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, str)
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*before, StartupCommand(values, self.const)])


class _ChangeFolder(argparse.Action):
    """`-cd`: what is named after it is found from there."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, str)
        try:
            os.chdir(values)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"{values}: {why}.") from None


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="FILE", help="a code object with DWARF")
    parser.add_argument("core_file", nargs="?", metavar="CORE", help="a core file of it, as --core")
    parser.add_argument("--file", metavar="FILE", help="the same, as the other commands take it")
    parser.add_argument(
        "--demo", action="store_true", help="use the kernel and the state that come with dwarfgpu"
    )
    script = parser.add_argument_group("scripts")
    script.add_argument(
        "-ex", "-eval-command", "--eval-command", action=_Append, const=False,
        dest="given", default=[], metavar="COMMAND",
        help="run a command; with -x in the order given",
    )  # fmt: skip
    script.add_argument(
        "-x", "-command", "--command", action=_Append, const=True,
        dest="given", default=[], metavar="SCRIPT",
        help="run the commands of a file, up to the first that fails",
    )  # fmt: skip
    script.add_argument(
        "--batch", "-batch", action="store_true",
        help="leave after -ex and -x; the exit status is 1 where a command failed",
    )  # fmt: skip
    script.add_argument(
        "--interpreter", choices=("text", "json"), default="text",
        help="json: answers as JSON lines, as after set output json",
    )  # fmt: skip
    script.add_argument(
        "-q", "--quiet", "-quiet", "-silent", "--silent", action="store_true", help="no banner"
    )  # fmt: skip
    _configure_gdbs(parser)
    configure_machine(parser)
    launch = parser.add_argument_group("a kernel before its first instruction")
    launch.add_argument("--dispatch", metavar="KERNEL", help="as dwarfgpu dispatch makes it")
    configure_launch(launch, is_required=False)


def _configure_gdbs(parser: argparse.ArgumentParser) -> None:
    """Options that GDB's users have in their fingers."""
    as_gdb = parser.add_argument_group("as GDB has them")
    as_gdb.add_argument(
        "-c", "-core", dest="core", default=argparse.SUPPRESS, metavar="CORE", help="as --core"
    )  # fmt: skip
    as_gdb.add_argument(
        "-cd", "--cd", action=_ChangeFolder, metavar="FOLDER", help="look for files from there"
    )  # fmt: skip
    as_gdb.add_argument(
        "-iex", "-init-eval-command", "--init-eval-command", action=_Append, const=False,
        dest="given_first", default=[], metavar="COMMAND", help="run a command before all others",
    )  # fmt: skip
    as_gdb.add_argument(
        "-ix", "-init-command", "--init-command", action=_Append, const=True,
        dest="given_first", default=[], metavar="SCRIPT", help="run a script before all others",
    )  # fmt: skip
    as_gdb.add_argument(
        "-nx", "--nx", "-nh", "--nh", "-n", "-nw", "--nowindows", action="store_true",
        dest="has_no_init", help="nothing: no file is read at the start, and there are no windows",
    )  # fmt: skip
    as_gdb.add_argument(
        "-args", "--args", nargs=argparse.REMAINDER, dest="program", metavar="FILE ARGUMENT",
        help="FILE; its arguments mean nothing, because nothing is run",
    )  # fmt: skip
    as_gdb.add_argument(
        "-p", "-pid", "--pid", metavar="PID", help="refused: there is no process to attach to"
    )  # fmt: skip


def _take_gdbs(args: argparse.Namespace) -> None:
    """What GDB's positional arguments and options mean here."""
    if args.program is not None:
        if args.path is not None or not args.program:
            raise UsageError("--args: give one FILE after it, and none before")
        args.path, *arguments = args.program
        if arguments:
            print("note: the arguments of the program mean nothing: it is not run", file=sys.stderr)
    if args.core_file is not None and args.core is not None:
        raise UsageError("give one CORE, with or without --core")
    if args.core is None and args.path is not None and is_core(args.path):
        args.path, args.core_file = args.core_file, args.path  # also with the program behind it
    args.core = args.core_file or args.core
    if args.core is None and args.file is not None and is_core(args.file):
        args.core, args.file = args.file, None
    is_process = args.core_file is not None and not Path(args.core_file).exists()
    if args.pid is not None or (is_process and args.core_file.isdigit()):
        raise UsageError("no process can be attached to: dwarfgpu looks at cores and state files")


def run(args: argparse.Namespace) -> int:
    try:
        return _begun(args)
    except DwarfGpuError as error:
        if args.interpreter == "json":  # who reads answers learns why there are none
            answer = Answer("")
            answer.fail(shortened(error_text(error)), error)
            print(answer.text(is_last=False), flush=True)
        raise


def _begun(args: argparse.Namespace) -> int:
    _take_gdbs(args)
    if args.lane == "all":
        raise UsageError("--lane all: the prompt looks at one lane at a time")
    if args.path is not None and args.file is not None:
        raise UsageError("give one FILE, with or without --file")
    args.file = args.path or args.file
    if args.dispatch is not None:
        return _dispatched(args)
    for name in LAUNCH:
        if getattr(args, name):
            option = name.replace("_", "-")
            raise UsageError(f"--{option} is about a dispatch: give --dispatch KERNEL")
    return with_demo(args, _run, lane="")


def _dispatched(args: argparse.Namespace) -> int:
    """The first instruction of a kernel that is dispatched on paper."""
    if args.file is None or args.state is not None or args.core is not None or args.demo:
        raise UsageError("--dispatch KERNEL needs FILE, and neither --state, --core nor --demo")
    if args.grid is None or args.workgroup is None:
        raise UsageError("--dispatch KERNEL needs --grid and --workgroup")
    # Only here: it knows the simulated machine.
    from dwarfgpu.options.launch import launch

    with TemporaryDirectory(prefix="dwarfgpu-") as folder:
        state = str(Path(folder) / "dispatch.json")
        launch_options = {name: getattr(args, name) for name in (*LAUNCH, "load_address", "target")}
        arguments = argparse.Namespace(
            file=str(Path(args.file).absolute()),
            kernel=args.dispatch,
            save=state,
            beside=None,
            agent=None,
            **launch_options,
            **given_file_limits(args),
        )
        _, notes, _ = launch(arguments)
        for note in dict.fromkeys(notes):
            print(one_line(f"note: {note}"), file=sys.stderr)
        args.file, args.state = None, state
        args.load_address = args.target = None
        return _run(args)


def _signal_variables(session: Session, core: Core) -> Iterator[tuple[str, TypedValue]]:
    """The signal that ended the program."""
    thread = next(iter(core.threads.values()), None)
    if thread is not None and thread.signal:
        yield "_exitsignal", integer_value(session.architecture, thread.signal)


def conversation(session: Session, *, stdin_is_script: bool) -> Shell:
    """A conversation about a session, on the standard streams: what it writes can be taken back.

    `stdin_is_script`: stdin has its commands. `UsageError` for a lane that the wave does not have.
    """
    streams = Streams(usable(sys.stdout), usable(sys.stderr))
    shell = Shell(remembering(focused(session)), COMMANDS, streams)
    shell.stdin_is_script = stdin_is_script
    shell.threads = wave_names(session)
    shell.values.has_threads = bool(shell.threads)
    for name, number in zip(("_gdb_major", "_gdb_minor"), GDB_VERSION, strict=True):
        shell.values.named[name] = integer_value(session.architecture, number)
    return shell


def _run(args: argparse.Namespace) -> int:
    args.lane = args.lane or None
    files = [args.file] if args.file else []
    stopped = options.stopped_of(args, files)
    session = options.session_of(args, files, stopped)
    is_interactive = not args.batch and at_terminal()
    shell = conversation(session, stdin_is_script=not args.batch and not is_interactive)
    shell.is_batch = args.batch
    shell.open = partial(_opened, args)
    shell.settings.set("output", args.interpreter)
    shell.file_limits = file_limits_of(args)
    shell.load, shell.state_path = partial(_load, args), args.state
    shell.load_core = partial(_load_core, args)
    if args.demo and args.state is not None:
        shell.source_path.set_directories(str(Path(args.state).parent / "source"))
    if stopped.core is not None:
        _begin_core(shell, stopped.core)
    for note in session.notes:
        if args.interpreter == "text":
            shell.note(note, once=True)
    if is_interactive and not args.quiet:
        greet(shell)
    lines.run_startup_commands(shell, [*args.given_first, *args.given])
    has_talked = is_interactive and not shell.is_over
    if not args.batch and not shell.is_over:
        interact(shell, is_interactive=is_interactive)
    if shell.exit_status is not None:
        return shell.exit_status
    return 1 if shell.failures and not has_talked else 0


def _opened(args: argparse.Namespace, looking: Session, path: str | None) -> Session:
    """The session with another code object, which looks at the same wave and lane.

    A program for a CPU has no lanes, and without a program the session has lanes of a default
    architecture: then the lane is the first of the new wave.
    """
    files = [] if path is None else [path]
    wave = str(looking.wave) if looking.target is not None else args.wave
    again = argparse.Namespace(**{**vars(args), "file": path, "wave": wave, "lane": None})
    stopped = options.stopped_of(again, files)
    session = options.session_of(again, files, stopped)
    lane = looking.lane if looking.lane in lane_numbers(session) else None
    return remembering(focused(session.focused(lane)))


def _load(args: argparse.Namespace, shell: Shell, path: str) -> None:
    """Look at another state; nothing changes where it cannot be read."""
    options_of_state = {
        "state": path,
        "core": None,
        "wave": None,
        "lane": None,
        "pc": None,
        "sysroot": None,
    }
    again = argparse.Namespace(**{**vars(args), **options_of_state})
    files = [again.file] if again.file else []
    stopped = options.stopped_of(again, files)
    shell.session = remembering(focused(options.session_of(again, files, stopped)))
    shell.core, shell.values.siginfo, shell.state_path = None, None, path
    shell.threads = wave_names(shell.session)
    shell.values.has_threads = bool(shell.threads)
    shell.open = partial(_opened, again)


def _begin_core(shell: Shell, core: Core) -> None:
    """What a conversation knows of a core file, and what it says of it first."""
    # The readers of its notes are loaded for a core file only.
    from dwarfgpu.service.core_summary import core_lines, signal_record, thread_id

    shell.core = core
    session = shell.session
    shell.threads = {wave: thread_id(session, wave, t) for wave, t in core.threads.items()}
    if core.gpu is not None:
        shell.threads |= {wave: core.gpu.target_id(wave) for wave in core.gpu.waves}
    for line in core_lines(core) if shell.settings.word("output") == "text" else ():
        shell.streams.print(f"{line}\n")
    if session.architecture.is_simt and shell.settings.word("output") == "text":
        shell.streams.print(f"[Current thread is {thread_and_lane(session)}]\n")
    signals = ((wave, signal_record(t)) for wave, t in core.threads.items())
    shell.signals = {wave: signal for wave, signal in signals if signal is not None}
    shell.values.has_threads = True
    shell.values.siginfo = lambda wave: _siginfo(core, wave)
    shell.values.named.update(_signal_variables(session, core))
    show_start(shell)


def _siginfo(core: Core, wave: WaveId) -> bytes | None:
    thread = core.threads.get(wave)
    return None if thread is None else thread.siginfo


def _require_core(path: str) -> None:
    """`UsageError` in GDB's words for a file that is no core file."""
    full = os.path.abspath(path)
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise UsageError(f"{full}: {error.strerror}.") from None
    if not is_core(path):
        raise UsageError(f'"{full}" is not a core dump: file format not recognized')


def _load_core(args: argparse.Namespace, shell: Shell, path: str | None) -> None:
    """Look at another core file or at none; nothing changes where it cannot be read."""
    if path is not None:
        path = os.path.expanduser(path)
        _require_core(path)
    options_of_core = {"state": None, "core": path, "wave": None, "lane": None, "pc": None}
    if path is None:
        options_of_core["sysroot"] = None
    again = argparse.Namespace(**{**vars(args), **options_of_core})
    again.file = shell.session.code_objects[0].file.path if shell.session.code_objects else None
    files = [again.file] if again.file else []
    try:
        stopped = options.stopped_of(again, files)
    except UsageError:
        if path is None or not files:
            raise
        again.file, files = None, []
        stopped = options.stopped_of(again, files)  # of another program
        shell.warn("core file may not match specified executable file.")
    shell.session = remembering(focused(options.session_of(again, files, stopped)))
    shell.open, shell.state_path = partial(_opened, again), None
    shell.core, shell.values.siginfo, shell.signals, shell.threads = None, None, {}, {}
    shell.values.has_threads = False
    shell.values.named.pop("_exitsignal", None)
    if stopped.core is not None:
        _begin_core(shell, stopped.core)
    for note in shell.session.notes:
        shell.note(note, once=True)


def remembering(session: Session) -> Session:
    """The session on a machine that remembers what is written."""
    target = session.target
    if isinstance(target, StateTarget):
        target = ImageTarget(target, (), True)
    return evolve(session, target=recorded(target)) if isinstance(target, ImageTarget) else session


def wave_names(session: Session) -> dict[WaveId, str]:
    """ROCgdb's names of the waves of a state that ran; of threads of a CPU, their numbers."""
    target = session.target
    machine = target.machine if isinstance(target, ImageTarget) else target
    has_started = not isinstance(target, ImageTarget) or target.has_started
    if not isinstance(machine, StateTarget) or not has_started:
        return {}
    is_simt = session.architecture.is_simt
    return {wave: machine.target_id(wave) if is_simt else f"Thread {wave}"
            for wave in machine.waves}  # fmt: skip


def focused(session: Session) -> Session:
    """The session with a lane in focus: the first active one unless one was given.

    `UsageError` for a lane that the wave does not have.
    """
    lane = first_lane(session) if session.lane is None else session.lane
    numbers = lane_numbers(session)
    if session.lane is not None and session.lane not in numbers:
        raise UsageError(f"--lane {lane}: the wave has {len(numbers) or 'no'} lanes")
    return evolve(session, lane=lane, has_frames=True)


def at_terminal() -> bool:
    """Whether somebody sits there, and reads what is said."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def interact(shell: Shell, *, is_interactive: bool) -> None:
    """Converse with whoever is on stdin, in the best way that it has."""
    if is_interactive and os.environ.get("TERM", "dumb") != "dumb":
        # Only a conversation on a terminal pays for loading prompt_toolkit.
        from dwarfgpu.repl.terminal import prompt

        prompt.converse(shell)
    else:
        lines.converse(shell, prompts=is_interactive)


def greet(shell: Shell) -> None:
    """Say who is there and where the session stands, before anything else as GDB does."""
    if shell.settings.word("output") != "text":
        return
    shell.streams.print(f'dwarfgpu {__version__}; type "help" for help, Ctrl-D to leave.\n')
    if not shell.is_of_core:
        show_start(shell)


def show_start(shell: Shell) -> None:
    """Where the session stands, with the line of source text."""
    session = shell.session
    if session.pc is None or shell.settings.word("output") != "text":
        return
    try:
        for part in shown_frame(shell, selected_number(session)):
            shell.streams.print(printed(painted(part, source) if shell.has_colours else part))
    except DwarfGpuError as error:
        shell.streams.complain(str(error))
