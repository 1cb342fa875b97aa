"""`dwarfgpu COMMAND …`: dispatch, errors as one line, exit status.

Exit status: 0 a result with all its bits, 1 no result or one with unknown bits, 2 usage or
unreadable input.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Sequence
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any, NoReturn, Protocol, cast

from dwarfgpu import __version__
from dwarfgpu.base.input_files import recorded_inputs
from dwarfgpu.errors import DwarfGpuError, UsageError, shortened
from dwarfgpu.service.error_text import (
    empty,
    error_json,
    error_line,
    exhausted,
    one_line,
    unwrapped,
)
from dwarfgpu.terminal.streams import HelpFormatter, help_columns, lose_output, standard_streams

COMMANDS = {
    "eval": "evaluate a variable of a code object, or operations given as text or hex",
    "explain": "evaluate step by step, and explain the value, or why it is missing",
    "asm": "assemble operations into bytes",
    "dis": "disassemble bytes into operations, losslessly",
    "check": "find errors in the debug information of files, or in one expression",
    "where": "show where in the code a variable has a location, and where it is optimized out",
    "location": "draw where every bit of a variable is: registers, memory, pieces",
    "convert": "convert an address between address spaces",
    "dispatch": "set up a kernel launch without running it: registers and memory",
    "run": "execute a kernel on simulated wavefronts, and show the resulting memory",
    "waves": "list the waves of a state or core file: where they are, and which failed",
    "lanes": "show the location and values of each lane of a wave, as a table or grid",
    "bt": "show the call frames of a stopped wave or thread, as GDB does",
    "disas": "disassemble machine code, with source lines and branches",
    "frames": "show call frame information: entries, instructions, rules at each program location",
    "info": "describe a file: its target, kernels, units and code objects",
    "conformance": "run conformance cases for DWARF evaluators",
    "debug": "examine a stopped machine interactively",
    "gdb-path": "print the path of the script to source in GDB",
    "completion": "print a completion script for a shell, or the manual page",
}
_OTHER_NAMES = {
    "assemble": "asm",
    "backtrace": "bt",
    "disassemble": "disas",
    "inspect": "info",
    "print": "eval",
    "threads": "waves",
    "unwind": "bt",
}
"""Names that the commands have in GDB and in other tools, for a suggestion."""
_WITHOUT_JSON = ("debug", "gdb-path", "completion")
"""Commands that have no answer to print as an object."""


_EXAMPLES = {
    "eval": """examples:
  dwarfgpu eval --demo t
  dwarfgpu eval 'regx v3; LLVM_push_lane; lit4; mul; LLVM_offset' --lane 3
  dwarfgpu eval k.co --state stopped.json --lane all t
See docs/eval.md.

""",
    "explain": """examples:
  dwarfgpu explain --demo --lane 4 t
  dwarfgpu explain 'regx s4; piece 4; piece 4'
See docs/eval.md.

""",
    "where": """examples:
  dwarfgpu where --demo t
  dwarfgpu where k.co nest::t
  dwarfgpu where --all k.co --against old/k.co
See docs/where.md.

""",
    "location": """examples:
  dwarfgpu location --demo --lane 4 t
  dwarfgpu location k.co --state stopped.json --lane 3 wide 's.at[1]'
See docs/location.md.

""",
    "check": """examples:
  dwarfgpu check k.co build/
  dwarfgpu check --explain empty-fde
  dwarfgpu check build/ --disable empty-fde --sarif > check.sarif
  dwarfgpu check k.co --json > known.json; dwarfgpu check k.co --baseline known.json
  dwarfgpu check 'regx v6; lit4; mul'
See docs/check.md.

""",
    "asm": """example:
  dwarfgpu asm 'DW_OP_regx SGPR30, DW_OP_piece 0x4' --format cfi_escape
See docs/expression-syntax.md.

""",
    "dis": """examples:
  dwarfgpu dis '.cfi_escape 0x30, 0x36, 0xe9, 0x02'
  dwarfgpu dis --cfi '0f 04 30 36 e9 02'
See docs/expression-syntax.md.

""",
    "convert": """examples:
  dwarfgpu convert 'private_lane#0x10' --to private_wave --lane 3
  dwarfgpu convert 'private_lane#0x10' --to global --lane 3 --scratch-base 0x7e0000000000
  dwarfgpu convert 'generic#0x1000000000010'
See docs/address-spaces.md.

""",
    "dispatch": """examples:
  dwarfgpu dispatch k.co nest --grid 128 --workgroup 64 --arg in=@in.npy --arg out=buffer:512 \\
      --arg limit=10 --save start.json
  dwarfgpu waves --state start.json
  dwarfgpu eval --state start.json --wave all --lane all '$_kernarg' '$_workitem_id'
  dwarfgpu eval --state start.json --wave 2 --lane 5 '$_kernarg.limit' '$_kernarg.in[3]'
See docs/dispatch.md.

""",
    "run": """examples:
  dwarfgpu run --demo
  dwarfgpu run k.co nest --grid 128 --workgroup 64 --arg in=range:128 --arg out=zeros:512 \\
      --arg limit=10 --out out=out.npy
  dwarfgpu run gpucore.4711 --break k.hip:12 --print x --save there.json
See docs/run.md.

""",
    "waves": """examples:
  dwarfgpu waves app.core
  dwarfgpu waves app.core --gpu-core gpucore.4711 --faulty
  dwarfgpu waves app.core --save wave.json
See docs/howto-gpu-core.md.

""",
    "lanes": """examples:
  dwarfgpu lanes --demo t
  dwarfgpu lanes --demo t --grid
  dwarfgpu lanes k.co --state stopped.json --lane active t a
See docs/lanes.md.

""",
    "bt": """examples:
  dwarfgpu bt k.co --state stopped.json --lane 3
  dwarfgpu bt --state stopped.json --json
See docs/frames.md.

""",
    "disas": """examples:
  dwarfgpu disas k.co nest
  dwarfgpu disas k.co nest.hip:14 --arrows always
  dwarfgpu disas k.co 0x1680,+0x40 --no-source
See docs/disas.md.

""",
    "frames": """examples:
  dwarfgpu frames k.co
  dwarfgpu frames k.co --pc 0x1684
See docs/frames.md.

""",
}
_STATUS = "exit status: 0 complete, 1 no result or unknown bits, 2 usage error"
_STATUSES = {
    "disas": "exit status: 0 all bytes are instructions, 1 some are not, 2 usage error",
    "check": "exit status: 0 nothing worse than notes, 1 findings,\n"
    "             2 unreadable, limit reached, or usage error",
    "where": "exit status: 0 success, 1 a part is unreadable, worse or below the minimum,\n"
    "             2 usage error",
    "bt": "exit status: 0 the outermost frame or --limit was reached, 1 neither,\n"
    "             2 usage error",
    "completion": "exit status: 0 complete, 2 usage error",
    "conformance": "exit status: 0 no case failed, 1 some failed, 2 an unreadable file or\n"
    "             usage error",
    "debug": "exit status: 0 complete, 1 a command of a script or a pipe failed,\n"
    "             2 usage error, or STATUS of `quit STATUS`",
    "frames": "exit status: 0 complete, 1 a part is unreadable or the address is not described,\n"
    "             2 usage error",
    "info": "exit status: 0 complete, 1 a part is unreadable, 2 usage error",
    "run": "exit status: 0 complete, 1 a wave could not continue, a file of --out is not\n"
    "             written, or an expression of --print was wrong at every stop,\n"
    "             2 usage error",
    "waves": "exit status: 0 complete, 1 some waves are not read, 2 usage error",
}


class Command(Protocol):
    """The interface of a command's module."""

    def configure(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


_WITH_EXPRESSIONS = (" eval", " explain", " lanes", " location")
"""The ends of the names of commands whose words may be expressions."""


def _is_option_name(word: str) -> bool:
    """Return whether a word is written as the name of an option is: `--debug-dir`, `-e`."""
    return word.replace("-", "_").isidentifier() and word.lstrip("-")[:1].isalpha()


class _Word(str):
    """An argument after `--`, which is not an option whatever it begins with."""


def _may_be_help(word: str) -> bool:
    """Return whether an argument is `--help`, or may have `-h` among letters."""
    return word == "--help" or (word[:1] == "-" != word[1:2] and "h" in word)


class _Parser(argparse.ArgumentParser):
    """Errors of usage go the way of all errors, and `--` ends the options.

    `parse_intermixed_args` drops `--` when it takes the options out, and then reads what comes
    after it as options.
    """

    def parse_known_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; without the usage, which takes 1 ms to format, where nothing shows it:
        only help does."""
        self.usage = None if any(map(_may_be_help, args)) else self.prog
        return super().parse_known_intermixed_args(args, namespace)

    def _parse_optional(self, arg_string: str) -> Any:
        return None if isinstance(arg_string, _Word) else super()._parse_optional(arg_string)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Return the value of an option: `--lane=--` has one, which argparse takes for the end of
        the options before Python 3.13, and makes an empty list."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments, which the error of an option without its argument needs."""
        self._arguments = list(args)
        return super().parse_known_args(args, namespace)

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        """Return how many arguments an option takes; what follows one that lacks them may be one
        that begins with a hyphen, such as the expression `-v`."""
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError as error:
            for option, following in pairwise(self._arguments):
                is_option = following.partition("=")[0] in self._option_string_actions
                if option in action.option_strings and following[:1] == "-" and not is_option:
                    from shlex import quote  # few mistakes need it

                    argument = quote(f"{option}={following}")
                    error.message += f"; if {following} is meant, write {argument}"
                    break
            raise

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        return self._all_known(self.parse_known_intermixed_args(args, namespace))

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        return self._all_known(self.parse_known_args(args, namespace))

    def _all_known(self, parsed: tuple[argparse.Namespace, list[str]]) -> argparse.Namespace:
        namespace, extra = parsed
        if extra:
            self._refuse(extra)
        return namespace

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = action.choices
        if choices is None or value in choices:
            return
        from dwarfgpu.base.suggest import nearest  # most values are right

        listed = ", ".join(map(str, choices))
        message = f"invalid choice: {value!r} (choose from {listed})"
        raise argparse.ArgumentError(
            action, f"{message}{nearest(str(value), list(map(str, choices)))}"
        )

    def error(self, message: str) -> NoReturn:
        from dwarfgpu.options.program_name import INSTALLED, program_name

        advice = self.prog.replace(INSTALLED, program_name(), 1)
        from dwarfgpu.base.suggest import followed  # most requests are right

        raise UsageError(followed(shortened(message), f"see {advice} --help"))

    def _refuse(self, arguments: Sequence[str]) -> NoReturn:
        """Raise `UsageError` for arguments that the command does not take.

        Words after an unknown option are among them, whether or not they would be right without it.
        """
        unknown = [
            word for word in arguments if word.startswith("-") and not isinstance(word, _Word)
        ]
        message = f"unrecognized arguments: {' '.join(unknown or arguments)}"
        if not unknown:
            if "--arg" in self._option_string_actions:
                message += "; an argument of the kernel is one word: --arg NAME=VALUE"
            self.error(message)
        names = {word: word.partition("=")[0] for word in unknown}
        options = {word: name for word, name in names.items() if _is_option_name(name)}
        expressions = [word for word in unknown if not self._has(f"-{options.get(word)}")]
        nearest = dict.fromkeys(map(self._nearest_option, options.values()))
        self.error(f"{message}{self._in_parentheses(expressions)}{''.join(nearest)}")

    def name_of(self, destination: str) -> str:
        """Return how an argument is written: `--debug-dir`, or as in the help."""
        for action in self._actions:
            if action.dest == destination:
                return action.option_strings[-1] if action.option_strings else f"{action.metavar}"
        return destination

    def _has(self, option: str) -> bool:
        return option in self._option_string_actions

    def _in_parentheses(self, words: Sequence[str]) -> str:
        """Return how to write words that may be meant as expressions, in the commands that take
        expressions."""
        from shlex import quote

        written = [quote(f"({word})") for word in words if word[1:2] not in ("", "-")]
        if not written or not self.prog.endswith(_WITH_EXPRESSIONS):
            return ""
        return f"; write {' '.join(written)}: an expression cannot begin with a hyphen"

    def _nearest_option(self, typed: str) -> str:
        """Return `; did you mean --core?` for an option that the command does not have."""
        from dwarfgpu.base.suggest import nearest_meaning

        if self._has(f"-{typed}"):
            return f"; did you mean -{typed}?"
        for number in (typed.removesuffix("s"), f"{typed}s"):  # --args for --arg
            if self._has(number) and number.startswith("--"):
                return f"; did you mean {number}?"
        commands = [name for name in COMMANDS if typed in _options_of(name)]
        if commands and typed.startswith("--"):
            return f"; {typed} is an option of {', '.join(commands)}"
        # The hyphens are equal in all of them.
        options = {name.lstrip("-"): name for name in self._option_string_actions}
        return nearest_meaning(typed.lstrip("-"), options)

    def _print_message(self, message: str, file: object = None) -> None:
        """Print help, which argparse would lose where it cannot be written."""
        sys.stdout.write(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status. Ctrl-C raises `KeyboardInterrupt`."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with standard_streams(), recorded_inputs():
        if sys.stdout is None:
            print("dwarfgpu: the output cannot be written: it is closed", file=sys.stderr)
            return 2
        try:
            status = _run(arguments)
            sys.stdout.flush()
            return status
        except OSError as error:  # every read is done by someone who knows the file's name
            lose_output()
            if isinstance(error, BrokenPipeError):
                return 1
            print(f"dwarfgpu: the output cannot be written: {error.strerror}", file=sys.stderr)
            return 2


def _parsed_arguments(parser: _Parser, words: list[str]) -> argparse.Namespace:
    """Return the arguments; an empty one, as from an unset variable, is not an absent one."""
    args: argparse.Namespace = parser.parse_intermixed_args(words)
    if hasattr(args, "after_options"):  # where `--` makes a difference for words without a hyphen
        args.after_options = [word for word in words if isinstance(word, _Word)]
    for name, value in list(vars(args).items()):
        if isinstance(value, list):  # perhaps the default of the parser, which is kept
            plain = [str(word) if isinstance(word, _Word) else word for word in value]
            setattr(args, name, plain)
        if value == "":
            raise UsageError(empty(parser.name_of(name)))
    return args


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    command = next((argument for argument in arguments if not argument.startswith("-")), None)
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    schema = "dwarfgpu-error-1"
    try:
        with unwrapped():
            if command in COMMANDS and arguments[0] == command:
                parser, module = _parser_of(command)
                schema = getattr(module, "SCHEMA", schema)
                words = [*options[1:], *map(_Word, arguments[len(options) + 1 :])]
                args = _parsed_arguments(parser, words)
                if hasattr(args, "max_steps"):
                    # many do not evaluate
                    from dwarfgpu.expr.operation_budget import budget_of_command

                    with budget_of_command():
                        return module.run(args)
                return module.run(args)
            if command is not None and arguments[0] == command and command not in COMMANDS:
                raise UsageError(f"{shortened(command)} is not a command{_advice(command)}")
            return _overview(arguments)
    except SystemExit as leaving:  # --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except (DwarfGpuError, MemoryError, RecursionError, ModuleNotFoundError) as raised:
        # Not kept here: an error and the frame to which it came would keep each other, and all that
        # the command has read.
        return _failed(exhausted(raised), schema if "--json" in options else None)


def _failed(error: DwarfGpuError, schema: str | None) -> int:
    """Print an error, with a schema as JSON; the exit status."""
    if schema is not None:
        import json

        print(json.dumps({"schema": schema, **error_json(error)}))
    else:
        for remark in error.remarks if isinstance(error, UsageError) else ():
            print(one_line(f"note: {remark}"), file=sys.stderr)
        print(f"dwarfgpu: {error_line(error)}", file=sys.stderr)
    return 2 if isinstance(error, UsageError) else 1


def _advice(command: str) -> str:
    """Return a suggestion, and where the commands are listed."""
    from dwarfgpu.base.suggest import followed, nearest
    from dwarfgpu.options.program_name import program_name

    meant = _OTHER_NAMES.get(command)
    suggestion = f"; did you mean {meant}?" if meant else nearest(command, COMMANDS)
    return followed(suggestion, f"see {program_name()} --help")


@cache
def _parser_of(command: str) -> tuple[_Parser, Command]:
    """Return the parser and the module of a command; a program that runs many makes it once."""
    parser = _Parser(
        prog=f"dwarfgpu {command}",
        description=COMMANDS[command],
        epilog=f"{_EXAMPLES.get(command, '')}{_STATUSES.get(command, _STATUS)}",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    return parser, configure_command(command, parser)


def configure_command(command: str, parser: argparse.ArgumentParser) -> Command:
    """Add the arguments of a command to a parser; the module of the command."""
    module = cast(Command, import_module(_module_of(command)))
    if command not in _WITHOUT_JSON:
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    module.configure(parser)
    return module


def _options_of(command: str) -> Collection[str]:
    """Return the options of a command."""
    return _parser_of(command)[0]._option_string_actions


def _module_of(command: str) -> str:
    """Return the module of a command: the prompt is a front end of its own, beside the command
    line."""
    return (
        "dwarfgpu.repl.start" if command == "debug" else f"dwarfgpu.cli.{command.replace('-', '_')}"
    )


def _overview(arguments: list[str]) -> int:
    from textwrap import fill  # only help needs it

    columns = max(help_columns(), 30)  # a name, and a few words beside it
    listed = (
        fill(
            COMMANDS[name],
            columns,
            initial_indent=f"  {name:12} ",
            subsequent_indent=15 * " ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for name in COMMANDS
    )
    parser = _Parser(
        prog="dwarfgpu",
        description="An exact, explainable engine for DWARF on heterogeneous machines.",
        epilog="\n".join(["commands:", *listed]) + "\n\nRun dwarfgpu COMMAND --help for details.",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"dwarfgpu {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", nargs="?")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.parse_args(arguments)
    parser.print_help()
    return 0 if not arguments else 2


if __name__ == "__main__":
    raise SystemExit(main())
