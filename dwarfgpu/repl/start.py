"""`dwarfgpu debug`: examine a stopped machine, at a prompt or by a script."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from typing import Final

from dwarfgpu.base.absolute_path import absolute_path
from dwarfgpu.base.input_files import record_input
from dwarfgpu.base.json_reader import is_decimal
from dwarfgpu.base.pattern import pattern
from dwarfgpu.errors import DwarfGpuError, UsageError, shortened
from dwarfgpu.language.wave_variables import integer_value
from dwarfgpu.options.context_options import configure as configure_machine
from dwarfgpu.options.demo import add_demo_option, with_demo
from dwarfgpu.options.given_files import given_as_file
from dwarfgpu.options.integer_options import byte
from dwarfgpu.options.launch_options import LAUNCH, configure_launch
from dwarfgpu.options.limit_options import given_file_limits
from dwarfgpu.options.unit_options import is_core
from dwarfgpu.repl.greeting import greet, show_core
from dwarfgpu.repl.json_answer import Answer
from dwarfgpu.repl.lazy_commands import ALL_COMMANDS
from dwarfgpu.repl.open_files import FileOpener, focused, recorded_session, wave_names
from dwarfgpu.repl.opened_machine import OpenedMachine
from dwarfgpu.repl.session_streams import Streams
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.terminal import plain_prompt
from dwarfgpu.repl.terminal.kept_interrupts import interrupts_kept
from dwarfgpu.repl.terminal.plain_prompt import StartupCommand
from dwarfgpu.service.error_text import one_line
from dwarfgpu.service.gdb_error_text import error_text
from dwarfgpu.session.session import Session
from dwarfgpu.terminal.input import is_object
from dwarfgpu.terminal.streams import is_terminal, usable

GDB_VERSION: Final = (13, 1)
"""The version whose texts are used."""
_OF_CODE: Final = ("load_address", "target", "mangled")
"""Options of a dispatch besides those of the launch: of its code."""
_DEBUG_FOLDERS: Final = pattern(r"set\s+debug-file-d[a-z]*(?:\s+(?P<folders>.*))?")


class _ChangeFolder(argparse.Action):
    """`-cd`: later names are relative to it."""

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


class _SourceFolder(argparse._AppendAction):
    """`-d`: sources are searched there first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, str)
        if not os.path.isdir(values):
            raise UsageError(f"{option_string}: {values} is not a folder")
        namespace.source_folders = [*namespace.source_folders, absolute_path(values)]


class _Program(argparse.Action):
    """`-se`, `-e` and `-s`, `-exec` and `-symbols`: dwarfgpu reads one file for both."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(values, str)
        if namespace.file not in (None, values):
            raise UsageError(
                f"{option_string} {values}: {namespace.file} is given already; give the folder "
                "of a separate debug file with --debug-dir"
            )
        namespace.file = values


def _command(text: str) -> StartupCommand:
    """Return what `-ex` adds to the list it shares with `-x`: they run in command-line order."""
    return StartupCommand(text, is_script=False)


def _script(path: str) -> StartupCommand:
    """Return what `-x` adds to that list."""
    return StartupCommand(path, is_script=True)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", metavar="FILE", help="a code object with DWARF")
    parser.add_argument("core_file", nargs="?", metavar="CORE", help="a core file of it, as --core")
    parser.add_argument("--file", metavar="FILE", help="same as FILE, as for the other commands")
    add_demo_option(parser)
    script = parser.add_argument_group("scripts")
    script.add_argument(
        "-ex", "--ex", "-eval-command", "--eval-command", action="append", type=_command,
        dest="given", default=[], metavar="COMMAND",
        help="run a command; with -x in the order given",
    )  # fmt: skip
    script.add_argument(
        "-x", "--x", "-command", "--command", action="append", type=_script,
        dest="given", default=[], metavar="SCRIPT",
        help="run the commands of a file, and stop at the first that fails",
    )  # fmt: skip
    script.add_argument(
        "--batch", "-batch", action="store_true",
        help="exit after -ex and -x, with status 1 if a command failed",
    )  # fmt: skip
    script.add_argument(
        "--interpreter", choices=("text", "json"), default="text",
        help="json: print answers as JSON lines, like set output json",
    )  # fmt: skip
    script.add_argument(
        "-q", "--q", "--quiet", "-quiet", "-silent", "--silent", action="store_true", dest="quiet",
        help="do not print the banner"
    )  # fmt: skip
    _configure_gdbs(parser)
    configure_machine(parser)
    launch = parser.add_argument_group("kernel launch")
    launch.add_argument(
        "--dispatch", metavar="KERNEL", help="set up a kernel as dwarfgpu dispatch does"
    )
    configure_launch(launch)


def _configure_gdbs(parser: argparse.ArgumentParser) -> None:
    """Define the options that GDB's users have in their fingers."""
    as_gdb = parser.add_argument_group("options of GDB")
    as_gdb.add_argument(
        "-c", "--c", "-core", dest="core", default=argparse.SUPPRESS, metavar="CORE",
        help="same as --core"
    )  # fmt: skip
    as_gdb.add_argument(
        "-cd", "--cd", action=_ChangeFolder, metavar="FOLDER", help="use FOLDER as the working "
        "folder"
    )  # fmt: skip
    as_gdb.add_argument(
        "-d", "--d", "-directory", "--directory", action=_SourceFolder, dest="source_folders",
        default=[], metavar="FOLDER", help="search FOLDER for source files first, as the command "
        "directory",
    )  # fmt: skip
    as_gdb.add_argument(
        "-se", "--se", "-s", "-e", "-exec", "--exec", "-symbols", "--symbols", action=_Program,
        dest="file", default=argparse.SUPPRESS, metavar="FILE", help="same as --file",
    )  # fmt: skip
    as_gdb.add_argument(
        "-iex", "--iex", "-init-eval-command", "--init-eval-command", action="append",
        type=_command, dest="given_first", default=[], metavar="COMMAND",
        help="run a command before those of -ex and -x",
    )  # fmt: skip
    as_gdb.add_argument(
        "-ix", "--ix", "-init-command", "--init-command", action="append", type=_script,
        dest="given_first", default=[], metavar="SCRIPT", help="run a script before -ex and -x",
    )  # fmt: skip
    as_gdb.add_argument(
        "-nx", "--nx", "-nh", "--nh", "-n", "-nw", "--nw", "--nowindows", action="store_true",
        dest="has_no_init", help="ignored: no file is read at startup, and there are no windows",
    )  # fmt: skip
    as_gdb.add_argument(
        "-args", "--args", nargs=argparse.REMAINDER, dest="program", metavar="FILE ARGUMENT",
        help="FILE; its arguments are ignored, because nothing runs",
    )  # fmt: skip
    as_gdb.add_argument(
        "-p", "-pid", "--pid", metavar="PID", help="refused: there is no process to attach to"
    )  # fmt: skip


def _take_gdbs(args: argparse.Namespace) -> None:
    """Apply what GDB's positional arguments and options mean here."""
    if args.program is not None:
        if args.path is not None or not args.program:
            raise UsageError("--args: give one FILE after it, and none before")
        args.path, *arguments = args.program
        if arguments:
            print(
                "note: the arguments of the program are ignored: it does not run", file=sys.stderr
            )
    if args.core_file is not None and args.core is not None:
        raise UsageError("give one CORE, with or without --core")
    if args.core is None and args.path is not None and is_core(args.path):
        args.path, args.core_file = args.core_file, args.path  # also with the program behind it
    args.core = args.core_file or args.core
    if args.core is None and args.file is not None and is_core(args.file):
        args.core, args.file = args.file, None
    if args.path is not None and not os.path.lexists(args.path):
        _require_no_command(args.path)
    if args.path is not None and args.path.endswith(".json") and args.state is None:
        raise given_as_file(args.path)
    is_process = args.core_file is not None and not os.path.exists(args.core_file)
    if args.pid is not None or (is_process and is_decimal(args.core_file)):
        raise UsageError("cannot attach to a process: dwarfgpu reads core files and state files")


def _require_no_command(word: str) -> None:
    """Raise `UsageError` for a word that is a command of the prompt, not a file."""
    first, *_ = word.split() or [""]
    if any(first in command.words for command in ALL_COMMANDS):
        raise UsageError(f"{word} is not a file: give a command of the prompt with -ex {word!r}")


def run(args: argparse.Namespace) -> int:
    try:
        return _begun(args)
    except DwarfGpuError as error:
        if args.interpreter == "json":  # a reader of answers gets the reason
            answer = Answer("")
            answer.fail(shortened(error_text(error)), error)
            print(answer.text(is_last=False), flush=True)
        raise


def _begun(args: argparse.Namespace) -> int:
    _take_gdbs(args)
    if args.lane == "all":
        raise UsageError("--lane all: the prompt works on one lane at a time")
    if args.path is not None and args.file is not None:
        raise UsageError("give one FILE, with or without --file")
    if args.demo and args.path is not None and is_object(args.path):
        raise UsageError(f"{args.path}: give FILE or --demo, not both")
    args.file = args.path or args.file
    if args.dispatch is not None:
        return _dispatched(args)
    goes_on = args.state is not None or args.core is not None or args.demo
    for name in LAUNCH:
        if getattr(args, name) and (name != "fill" or not goes_on):
            option = name.replace("_", "-")
            raise UsageError(f"--{option} applies to a dispatch: give --dispatch KERNEL")
    byte(args.fill, "--fill")
    return with_demo(args, _run, lane="")


_ENDING_SIGNALS: Final = (
    "SIGHUP", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGXCPU",
)  # fmt: skip
"""Signals that other programs and the system send, and that end a process."""


class _Ending:
    """The handler of a signal that ends the process: a function is called before."""

    def __init__(self, clean: Callable[[], None], restore: Callable[[int], object]) -> None:
        """`restore` gives a signal the handler back that it had."""
        self._clean, self._restore = clean, restore

    def __call__(self, number: int, _: object) -> None:
        self._restore(number)  # a second signal ends what waits for a terminal
        self._clean()
        os.kill(os.getpid(), number)


@contextmanager
def _cleaned_up(clean: Callable[[], None]) -> Iterator[None]:
    """Call a function too when the terminal is closed, or a signal ends the process.

    A signal that the program which embeds the prompt handles stays its own.
    """
    names = _ENDING_SIGNALS if current_thread() is main_thread() else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    end = _Ending(clean, lambda number: signal.signal(number, before[number]))
    mine = [number for number in numbers if _ends_process(number, before[number])]
    for number in mine:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in mine:
            signal.signal(number, before[number])


def _ends_process(number: int, handler: object) -> bool:
    """Return whether a signal with this handler ends the process, or is meant to."""
    if handler == signal.SIG_DFL or isinstance(handler, _Ending):
        return True
    is_to_end = signal.Signals(number).name in ("SIGHUP", "SIGTERM")
    return is_to_end and handler not in (signal.SIG_IGN, None)


def _remove(folder: str) -> None:
    from shutil import rmtree

    rmtree(folder, ignore_errors=True)


def _dispatched(args: argparse.Namespace) -> int:
    """Return the first instruction of a kernel that is dispatched on paper."""
    if args.file is None or args.state is not None or args.core is not None or args.demo:
        raise UsageError("--dispatch KERNEL needs FILE, and neither --state, --core nor --demo")
    if args.grid is None or args.workgroup is None:
        raise UsageError("--dispatch KERNEL needs --grid and --workgroup")
    # Only here: it knows the simulated machine.
    from tempfile import TemporaryDirectory

    from dwarfgpu.options.opened_launch import launch
    from dwarfgpu.options.opened_session import DispatchedFile

    with TemporaryDirectory(prefix="dwarfgpu-") as folder, _cleaned_up(partial(_remove, folder)):
        state = str(Path(folder) / "dispatch.json")
        launch_options = {name: getattr(args, name) for name in (*LAUNCH, *_OF_CODE)}
        arguments = argparse.Namespace(
            file=str(Path(args.file).absolute()),
            kernel=args.dispatch,
            save=state,
            beside=None,
            agent=None,
            **launch_options,
            **given_file_limits(args),
        )
        launched, notes, _ = launch(arguments, has_guards=True)
        for note in dict.fromkeys(notes):
            print(one_line(f"note: {note}"), file=sys.stderr)
        args.dispatched = DispatchedFile(arguments.file, args.target)
        args.file, args.state = None, state
        args.load_address = args.target = None
        args.launched = launched
        return _run(args)


def debug_shell(
    session: Session,
    *,
    stdin_is_script: bool,
    machine: OpenedMachine | None = None,
    is_batch: bool = False,
) -> Shell:
    """Return the shell of a session on the standard streams; its assignments can be undone.

    `stdin_is_script`: stdin has its commands. `UsageError` for a lane that the wave does not have.
    """
    session = recorded_session(focused(session))
    streams = Streams(usable(sys.stdout), usable(sys.stderr))
    shell = Shell(
        session,
        ALL_COMMANDS,
        streams,
        machine or OpenedMachine(wave_names(session)),
        stdin_is_script=stdin_is_script,
        is_batch=is_batch,
    )
    for name, number in zip(("_gdb_major", "_gdb_minor"), GDB_VERSION, strict=True):
        shell.values.named[name] = integer_value(session.architecture, number)
    return shell


def _run(args: argparse.Namespace) -> int:
    args.lane = args.lane or None
    for command in args.given_first:  # which GDB runs before it opens files
        if (match := _DEBUG_FOLDERS.fullmatch(command.text.strip())) and not command.is_script:
            from dwarfgpu.repl.files.search_folder_commands import debug_folders  # seldom given

            args.debug_dir = list(debug_folders(match["folders"] or ""))
    opened = FileOpener.of(args).opened()
    is_interactive = not args.batch and at_terminal()
    if not args.batch and not is_interactive:
        record_input("/dev/stdin", "script")
    shell = debug_shell(
        opened.session,
        machine=opened.machine,
        stdin_is_script=not args.batch and not is_interactive,
        is_batch=args.batch,
    )
    shell.settings.set("output", args.interpreter)
    if args.demo and args.state is not None:
        shell.source_path.set_directories(str(Path(args.state).parent / "source"))
    for folder in args.source_folders:
        shell.source_path.set_directories(f"{folder}:{shell.source_path.directories}")
    if shell.is_of_core:
        show_core(shell)
    for note in opened.session.notes:
        if args.interpreter == "text":
            shell.console.note(note, once=True)
    if is_interactive and not args.quiet:
        greet(shell)
    plain_prompt.run_startup_commands(shell, [*args.given_first, *args.given])
    has_talked = is_interactive and not shell.is_over
    if not args.batch and not shell.is_over:
        interact(shell, is_interactive=is_interactive)
    if shell.exit_status is not None:
        return shell.exit_status
    return 1 if shell.failures and not has_talked else 0


def at_terminal() -> bool:
    """Return whether a user is present at a terminal."""
    return is_terminal(sys.stdin) and is_terminal(sys.stdout)


def interact(shell: Shell, *, is_interactive: bool) -> None:
    """Read commands from stdin, with line editing if possible."""
    from dwarfgpu.repl.terminal.whole_imports import load_whole  # a batch reads no commands

    load_whole()
    if is_interactive and os.environ.get("TERM", "dumb") != "dumb":
        from dwarfgpu.repl.terminal.first_prompt import modes_before, show_first_prompt

        with _cleaned_up(modes_before()), ExitStack() as leaving:
            with interrupts_kept() as kept:
                restore = show_first_prompt(shell)
                leaving.callback(restore)
                # Only a session on a terminal pays for loading prompt_toolkit, while its user
                # types.
                from dwarfgpu.repl.terminal import prompt

                converse = prompt.conversation(shell, restore)
            if kept:
                shell.console.streams.complain("Quit")
            converse()
    else:
        plain_prompt.converse(shell, prompts=is_interactive)
