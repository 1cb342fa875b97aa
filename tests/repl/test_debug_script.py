"""Scripting at the prompt of `dwarfgpu debug`: what GDB 13 says to the same lines, unless noted."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dwarfgpu.repl.command import Call
from dwarfgpu.repl.output import Part
from dwarfgpu.repl.script_state import ScriptState
from dwarfgpu.repl.shell import Shell
from dwarfgpu.repl.support import user_commands
from dwarfgpu.repl.support.command_bodies import Nesting
from dwarfgpu.repl.terminal import plain_prompt
from dwarfgpu.repl.terminal.plain_prompt import StartupCommand
from dwarfgpu.service.value.printf import split_arguments, unescaped
from dwarfgpu.terminal.streams import standard_streams
from tests.language.sessions import FIXTURES, demo, program
from tests.repl.repl_shell import demo_shell, json_of, made, nest_shell, output_of, talked


@pytest.fixture
def shell() -> Shell:
    return demo_shell()


HINTS = """\
Type "help" followed by command name for full documentation.
Type "apropos word" to search for commands related to "word".
Type "apropos -v word" for full documentation of commands related to "word".
Command name abbreviations are allowed if unambiguous.
"""
ALIAS_USAGE = "Usage: alias [-a] [--] ALIAS = COMMAND [DEFAULT-ARGS...]\n"
REDEFINED = (
    'Really redefine built-in command "print"? (y or n) [answered Y; input not from terminal]\n'
)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        # a condition without a value is false
        ("if $unset\necho yes\nelse\necho no\nend", "no"),
        ("while $unset\necho yes\nend\nif !$unset\necho once\nend", "once"),
        # printf and echo
        ('printf "%d %s|%5d|%x %c %p %lu\\n", 5, "abc", 7, 255, 65, 0, 3',
         "5 abc|    7|ff A (nil) 3\n"),
        ('printf "%5.2f|%-5d|%05d|%%\\n", 3.14159, 4, 5', " 3.14|4    |00005|%\n"),
        ('printf "%d %u %hhd %lx\\n", -1, -1, 255, -1',
         "-1 4294967295 -1 ffffffffffffffff\n"),
        ('printf "%s %d\\n", global_struct.name, numbers[12]', "abc 2\n"),
        ('printf "%s,%s\\n", "a,b", (1, "c")', "a,b,c\n"),
        ('printf "%g %e %G\\n", 0.5f, 1.0, 1e-9', "0.5 1.000000e+00 1E-09\n"),
        ('printf "no value"', "no value"),
        ('printf "%d\\n"', "Wrong number of arguments for specified format-string\n"),
        ("printf", "Argument required (format-control string and values to print).\n"),
        ("printf %d", "Bad format string, missing '\"'.\n"),
        ('printf "abc', "Bad format string, non-terminated '\"'.\n"),
        ('printf "abc" 3', "Invalid argument syntax\n"),
        ('printf "%y", 3', "Unrecognized format specifier 'y' in printf\n"),
        ('printf "%99999d", 3', "A field of printf is wider than 10000 characters.\n"),
        ('printf "%d", 5, 1/0', "Division by zero\n"),
        ('printf "%d", , 5', "A syntax error in expression, near `,'.\n"),
        # GDB's words for what is not a format (format_pieces)
        ('printf "%*d", 5, 5', "`*' not supported for precision or width in printf\n"),
        ('printf "%n", 5', "Format specifier `n' not supported in printf\n"),
        ('printf "%", 5', "Incomplete format specifier at end of format string\n"),
        ('printf "%hs", "a"', "Inappropriate modifiers to format specifier 's' in printf\n"),
        ('printf "\\q"', "Unrecognized escape character \\q in format string.\n"),
        ('printf "%d", ', "Wrong number of arguments for specified format-string\n"),
        ('printf "%d", global_struct', "Value can't be converted to integer.\n"),
        ('printf "%s|%#o|%#5o|%-5o|%c|\\n", (char *) 0, 8, 8, 8, 0', "(null)|010|  010|10   ||\n"),
        ('printf "%d %d\\n", $i = 1, $i++', "1 1\n"),
        ('eval "p %d + 1", 5', "$1 = 6\n"),
        ("p/x255", "$1 = 0xff\n"),
        ('p $_gdb_setting("print elements")', "$1 = 200\n"),
        ('p $_gdb_setting_str("print pretty")', '$1 = "off"\n'),
        ('p $_gdb_setting("nosuch")',
         "First argument of $_gdb_setting must be a valid setting of the 'show' command.\n"),
        # a value as text is as `print` shows it, by the settings
        ("set print address off\np $_as_string(&numbers[1])", '$1 = "<numbers+4>"\n'),
        ("set print elements 2\np $_as_string(numbers[0]@4)[5]", "$1 = 46 '.'\n"),
        ("p $_gdb_setting(1)", "First argument of $_gdb_setting must be a string.\n"),
        ("p $_inferior", "$1 = 1\n"),
        ("p $_inferior_thread_count", "$1 = 0\n"),
        ("p $pc", "No registers.\n"),
        ("x/x $pc", "No registers.\n"),
        ("info registers", "The program has no registers now.\n"),
        ("echo a\\tb\\101\\n", "a\tbA\n"),
        ("echo\necho    x\\n", "x\n"),
        ("echo x =\noutput 3\necho \\n", "x =3\n"),
        # define and document
        ("define foo\necho $argc $arg0\\n\nend\nfoo 1 2\nfoo 'a b' \"c d\"", "2 1\n2 'a b'\n"),
        ("define foo\necho $arg*|$arg1\\n\nend\nfoo 1 2", "1 2|2\n"),
        ("define foo\necho $arg0\\n\nend\nfoo", "Missing argument 0 in user function.\n"),
        ("define foo\nbar\nend\nfoo", 'Undefined command: "bar".  Try "help".\n'),
        ("define foo\np 1\nend\ndefine foo\np 2\nend\nfoo",
         'Redefine command "foo"? (y or n) [answered Y; input not from terminal]\n$1 = 2\n'),
        ("define p\necho mine\\n\nend\np 1\nprint 1", "mine\n$1 = 1\n"),
        ("define foo\nfoo\nend\nfoo", "Max user call depth exceeded -- command aborted.\n"),
        ("define foo\np 1", ""),
        ("define", "Argument required (name of command to define).\n"),
        ("define a$b", 'Junk in argument list: "$b"\n'),
        # A blank is a space or a tab, as in GDB, whose C locale shows the bytes of the others.
        ("define \u2028", 'Junk in argument list: "\\u2028"\n'),
        ("document \x0b", 'Junk in argument list: "\\013"\n'),
        ("define-prefix \x85", 'Junk in argument list: "\\205"\n'),
        ("define nosuch b", 'Undefined command: "nosuch".  Try "help".\n'),
        ("define print b", '"print" is not a prefix command.\n'),
        ("define foo\np 1\nend\nhelp foo", "User-defined.\n"),
        ("define foo\nend\ndocument foo\nDoc.\nMore.\nend\nhelp foo", "Doc.\nMore.\n"),
        ("define foo\nend\ndocument foo\nDoc.\nend\nhelp user-defined",
         "User-defined commands.\nThe commands in this class are those defined by the user.\n"
         'Use the "define" command to define a command.\n\n'
         "List of commands:\n\nfoo -- Doc.\n\n" + HINTS),
        ("document nosuch\n", 'Undefined command: "nosuch".\n'),
        ("document print\n", 'Command "print" is built-in.\n'),
        ("define foo\n  p 1\nend\nshow user foo", 'User command "foo":\n  p 1\n\n'),
        ("define foo\nend\ndefine bar\nend\nshow user",
         'User command "bar":\nUser command "foo":\n'),
        ("show user print", "Not a user command.\n"),
        ("define foo\nif $arg0\np 1\nend\nend\nfoo 0\nfoo 3", "$1 = 1\n"),
        # if and while
        ("if 1 > 2\np 1\nelse\np 2\nend", "$1 = 2\n"),
        ("if numbers[0]\np 1\nif 0\np 2\nelse\np 3\nend\nend", "$1 = 1\n$2 = 3\n"),
        ("if 0\nif 1\np 1\nelse\np 2\nend\nend\np 4", "$1 = 4\n"),
        ("if 0.5\np 1\nend", "$1 = 1\n"),
        ("if", "if command requires an argument.\n"),
        ("if nosuch\np 1\nend", 'No symbol "nosuch" in current context.\n'),
        ("set $i = 0\nwhile $i < 3\noutput $i\nset $i++\nend\necho \\n", "012\n"),
        ("while", "while command requires an argument.\n"),
        # alias
        ("alias zz = print\nzz 3", "$1 = 3\n"),
        ("alias -a -- px = print /x\npx 255", "$1 = 0xff\n"),
        ("alias set pe = set print elements\nset pe 3\nshow print elements",
         "Limit on string chars or array elements to print is 3.\n"),
        ("alias lcl = info locals\nlcl", "No frame selected.\n"),
        ("alias zz = print\nalias zz = print", "Alias already exists: zz\n"),
        ("alias zz = nosuch", 'Undefined command: "nosuch".  Try "help".\n'),
        ("alias", ALIAS_USAGE),
        ("alias hh", ALIAS_USAGE),
        ("alias px = print /x\nhelp aliases",
         "User-defined aliases of other commands.\n\nList of commands:\n\n"
         "px -- Alias of print /x.\n\n" + HINTS),
        ("alias zz = print\nalias -a zx = print\nalias info aa = info args\nhelp aliases",
         "User-defined aliases of other commands.\n\nList of commands:\n\n"
         "info aa -- Alias of info args.\nzz -- Alias of print.\n\n" + HINTS),
        ("alias -a ii = info args\nalias ia = info args\nhelp aliases",
         "User-defined aliases of other commands.\n\nList of commands:\n\n"
         "ia -- Alias of info args.\n\n" + HINTS),
        ("alias -a set pe = set print elements\nalias set pf = set print elements\nhelp aliases",
         "User-defined aliases of other commands.\n\nList of commands:\n\n"
         "set pf -- Alias of set print elements.\n\n" + HINTS),
        ("alias ww = print\ndefine print\necho mine\\n\nend\nhelp aliases\nww 1",
         REDEFINED + "User-defined aliases of other commands.\n\nList of commands:\n\n"
         "ww -- Alias of print.\n\n" + HINTS + "mine\n"),
        # They are aliases of what has the name now.
        ("alias w2 = print -pretty --\nalias w3 = w2\n"
         "define print\necho <$arg*>\\n\nend\nw2 x\nw3 y",
         REDEFINED + "<-pretty -- x>\n<-pretty -- y>\n"),
        ("define-prefix pre\ndefine pre own\necho 1\\n\nend\nalias mo = pre own\n"
         "define pre own\necho 2\\n\nend\ndocument pre own\nDoc.\nend\nmo\nhelp mo",
         'Redefine command "pre own"? (y or n) [answered Y; input not from terminal]\n'
         "2\nAlias of pre own.\n\nDoc.\n"),
        ("alias ww = print\ndefine ww\nend\ndefine print\nend\nhelp user-defined",
         REDEFINED + "User-defined commands.\n"
         "The commands in this class are those defined by the user.\n"
         'Use the "define" command to define a command.\n\n'
         "List of commands:\n\nprint, p, inspect -- User-defined.\nww -- User-defined.\n\n"
         + HINTS),
        ("define-prefix my\ndefine my own\nend\nhelp user-defined",
         "User-defined commands.\nThe commands in this class are those defined by the user.\n"
         'Use the "define" command to define a command.\n\n'
         "List of commands:\n\nmy -- User-defined.\nmy own -- User-defined.\n\n" + HINTS),
        # pipe and shell
        ("pipe p 3 | cat", "$1 = 3\n"),
        ("| p 5 | tr 0-9 a-j", "$b = f\n"),
        ("pipe -d @ p 1|2 @ cat", "$1 = 3\n"),
        ("pipe p 3", "Missing delimiter before SHELL_COMMAND\n"),
        ("pipe", "Missing COMMAND\n"),
        ("pipe | cat", "Missing COMMAND\n"),
        ("pipe p 3 |", "Missing SHELL_COMMAND\n"),
        ("shell echo hi", "hi\n"),
        ("!echo ho", "ho\n"),
        ("shell exit 3\np $_shell_exitcode", "$1 = 3\n"),
        ("pipe p 1 | false\np $_shell_exitcode", "$2 = 1\n"),
        ("pipe nosuch | cat", 'Undefined command: "nosuch".  Try "help".\n'),
        # python
        ("python print(5)", "5\n"),
        ("python\nfor i in range(2):\n  print(i)\nend", "0\n1\n"),
        ("python x = 3\npy print(x)", "3\n"),
        ("python print(session.architecture.name)", "x86_64\n"),
        ("python print(text(evaluate('numbers[12] + 1')))", "3\n"),
        ("python print(execute('p 1 + 1').strip())", "$1 = 2\n"),
        ("p 7\npython print(text(evaluate('$')))", "$1 = 7\n7\n"),
        ("python raise ValueError('x')",
         'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
         "ValueError: x\nError while executing Python code.\n"),
        ("python raise KeyboardInterrupt",
         'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
         "KeyboardInterrupt\nError while executing Python code.\n"),
        ("python evaluate('1 +')",
         'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
         "dwarfgpu.errors.UsageError: A syntax error in expression, near `'.\n"
         "Error while executing Python code.\n"),
        ("python 1 +", '  File "<string>", line 1\n    1 +\n       ^\nSyntaxError: invalid syntax\n'
         "Error while executing Python code.\n"),
        # help
        ("help nosuch", 'Undefined command: "nosuch".  Try "help".\n'),
        ("help info nosuch", 'Undefined info command: "nosuch".  Try "help info".\n'),
        ("complete he", "help\n"),
    ],
)  # fmt: skip
def test_a_script(shell: Shell, script: str, expected: str) -> None:
    assert talked(shell, *script.split("\n")) == expected


@pytest.mark.parametrize(("encoding", "shown"), [("UTF-8", "é"), ("ASCII", "\\303\\251")])
def test_a_value_as_text_is_in_the_encoding_of_the_locale(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, encoding: str, shown: str
) -> None:
    monkeypatch.setattr("locale.getencoding", lambda: encoding)
    quoted = shown.replace("\\", "\\\\")
    shown_twice = talked(shell, 'p "\\303\\251"', 'p $_as_string("\\303\\251")')
    assert shown_twice == f'$1 = "{shown}"\n$2 = "\\"{quoted}\\""\n'


@pytest.mark.parametrize(
    ("language", "quote", "equality", "holds"),
    [("fortran", "'", "==", ".TRUE."), ("ada", '"', "=", "true"), ("rust", '"', "==", "true")],
)
def test_a_value_as_text_has_no_nul_where_strings_have_none(
    language: str, quote: str, equality: str, holds: str
) -> None:
    text = f"{quote}12{quote}"
    lines = (
        f"p $_as_string(12) {equality} {text}",
        "p $_as_string(12)",
        f"p $_gdb_setting_str({quote}print pretty{quote})",
        "output $_as_string(1)",
        'printf "%s|", $_as_string(12)',
        "p $_strlen($_as_string(12))",
    )
    file = "shapes.rustc.O0" if language == "rust" else "shapes.gcc.O0.v5"
    shell = made(program(FIXTURES / language / file))
    expected = f"$1 = {holds}\n$2 = {text}\n$3 = {quote}off{quote}\n{quote}1{quote}12|$4 = 2\n"
    assert talked(shell, *lines) == expected


@pytest.mark.parametrize(("language", "quote"), [("fortran", "'"), ("ada", '"'), ("c", '"')])
def test_a_value_as_text_has_no_nul_in_the_language_that_is_set(language: str, quote: str) -> None:
    lines = (
        f"set language {language}",
        "p $_as_string(12)",
        'p $_gdb_setting_str("print pretty")',
        'p $_gdb_setting("print frame-arguments")',
        'printf "%s|", $_as_string(12)',
        'p $_streq($_as_string(12), "12")',
    )
    texts = [f"${index} = {quote}{text}{quote}" for index, text in enumerate(
        ("12", "off", "scalars"), 1)]  # fmt: skip
    expected = "".join(f"{text}\n" for text in texts) + "12|$4 = 1\n"
    assert talked(made(demo()), *lines) == expected


@pytest.mark.parametrize("depth", [170, 600])
def test_bodies_that_are_nested_too_deep_are_reported(shell: Shell, depth: int) -> None:
    lines = [*["if 1"] * depth, "p 1", *["end"] * depth, "p 7"]
    told_of = "LimitExceeded: commands with a body nested more than 100 deep\n"
    assert talked(shell, *lines) == f"$1 = 7\n{told_of}"
    deep = ["define deep", *["if 1"] * 30, "deep", *["end"] * 30, "end"]
    assert talked(shell, *deep, "deep", "p 8") == f"$2 = 8\n{told_of}"


def test_bodies_that_are_nested_too_deep_are_read_once(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    take = Nesting.take
    monkeypatch.setattr(Nesting, "take", lambda self, line: (taken.append(line), take(self, line)))
    assert "nested more than 100 deep" in talked(shell, *["if 1"] * 600, *["end"] * 600)
    assert len(taken) == 2 * 600 - 1


def test_bodies_that_are_nested_too_deep_are_read_in_linear_work(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prompts do not grow with the depth, whose sum would grow with its square."""
    prompts: list[str] = []
    read_line = Shell.read_line

    def counted(self: Shell, prompt: str) -> str | None:
        prompts.append(prompt)
        return read_line(self, prompt)

    monkeypatch.setattr(Shell, "read_line", counted)
    assert "nested more than 100 deep" in talked(shell, *["if 1"] * 600, *["end"] * 600)
    assert prompts[:3] == [">", " >", "  >"]
    assert max(map(len, prompts)) <= 101


@pytest.mark.parametrize(
    "line", ["a $arg0$arg0", "a $arg* $arg*", "a $arg0 $arg*", "a 1$arg0$arg0"]
)
def test_a_line_with_its_arguments_has_the_length_of_a_typed_one(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Each call may double the line: a command that calls itself would take all memory."""
    lengths: list[int] = []
    filled = ScriptState.filled

    def counted(state: ScriptState, line: str) -> str:
        out = filled(state, line)
        lengths.append(len(out))
        return out

    monkeypatch.setattr(ScriptState, "filled", counted)
    word = "x" * 30_000
    said = talked(shell, "define a", line, "end", f"a {word}")
    assert said == "A line of more than 1048576 characters.\n"
    assert max(lengths) <= 1 << 20


TOO_LONG = "A line of more than 1048576 characters.\n"


def test_lines_are_joined_up_to_the_length_of_a_line(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "joined.gdb"
    script.write_text("print 1\\\n+\\\n2\n")
    assert output_of(shell, f"source {script}") == "$1 = 3\n"
    script.write_text("print 1\n" + (1023 * "x" + "\\\n") * 1025 + "\nprint 2\n")
    said = output_of(shell, f"source {script}")
    assert said == f"$2 = 1\n{script}:1026: Error in sourced command file:\n{TOO_LONG}"


LONG = 1 << 20
"""Characters that a line may have."""


@pytest.mark.parametrize(
    "line",
    [
        "x" * (LONG + 1),
        "x" * 3 * LONG,
        "\\\n" * 2 * LONG + "print 4",
        "print \\\n" + "x" * 3 * LONG,
        "if 1\n" + "x" * 3 * LONG + "\nprint 5\nend",
    ],
)
def test_a_line_of_standard_input_that_is_too_long_is_skipped(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    taken = io.StringIO(f"print 1\\\n+2\n{line}\nprint 6\n")
    monkeypatch.setattr(sys, "stdin", taken)
    plain_prompt.converse(shell, prompts=False)
    said = output_of(shell)
    assert "$1 = 3\n" in said and "$2 = 6\n" in said and said.endswith(TOO_LONG)
    assert (shell.failures, shell.is_over) == (1, False)


def test_the_longest_line_of_standard_input(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    line = f"print {'1':>{LONG - 6}}"
    assert len(line) == LONG
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{line}\nprint 2\n"))
    plain_prompt.converse(shell, prompts=False)
    assert "$1 = 1\n$2 = 2\n" in output_of(shell)


@pytest.mark.parametrize("piece", ["\0" * (1 << 16), "\\\n"])
def test_a_line_that_never_ends_ends_the_session(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    """As of `/dev/zero`, and of `yes`."""

    class Endless(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:
            return piece if piece.endswith("\n") else piece[:1] * (size or 0)

    monkeypatch.setattr(sys, "stdin", Endless())
    monkeypatch.setattr(plain_prompt, "_MAX_SKIPPED", 1 << 22)
    plain_prompt.converse(shell, prompts=False)
    assert output_of(shell).endswith("A line of more than 67108864 characters.\n")
    assert (shell.failures, shell.is_over) == (1, True)


def test_settings_are_changed_up_to_a_depth(shell: Shell) -> None:
    """Each of them keeps the rest of the line."""
    change = "with print pretty on -- "
    assert output_of(shell, 100 * change + "print 1") == "$1 = 1\n"
    limit = "LimitExceeded: with inside with more than 100 deep\n"
    assert output_of(shell, 101 * change + "print 1") == limit
    assert output_of(shell, 101 * "with may-call-functions off -- " + "print 1") == limit
    assert output_of(shell, 100 * change + "print 2") == "$2 = 2\n"


def test_commands_are_defined_up_to_a_number(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line and each definition looks through all of them."""
    monkeypatch.setattr(user_commands, "MAX_DEFINED", 4)
    limit = "LimitExceeded: more than 4 user-defined commands and aliases\n"
    defined = ("define one", "end", "define-prefix two", "define two three", "end")
    assert talked(shell, *defined, "alias q1 = print", "q1 1") == "$1 = 1\n"
    for line in ("define four", "define info four", "define-prefix four", "alias q2 = info line"):
        assert output_of(shell, line) == limit
    again = ("define one", "echo again\\n", "end", "define-prefix two")
    assert talked(shell, *again, "one").endswith("\nagain\n")


def test_printf_ends_where_its_text_is_too_long(shell: Shell) -> None:
    """Each field has a bound, but a line has room for 100,000 of them."""
    wide = ", 1" * 100
    limit = "LimitExceeded: printf of more than 1048576 bytes\n"
    assert len(output_of(shell, f'printf "{"%9999d" * 100}"{wide}')) == 999_900
    assert output_of(shell, f'printf "{"%9999d" * 200}"{wide}{wide}') == limit
    assert output_of(shell, f'eval "echo {"%9999d" * 200}"{wide}{wide}') == limit


def test_arguments_have_leading_zeros(shell: Shell) -> None:
    zeros = "0" * 5_000
    lines = ("define a", f"echo $arg{zeros}1\\n", "end")
    assert talked(shell, *lines, "a b c") == "c\n"
    assert talked(shell, "a b") == "Missing argument 1 in user function.\n"


def test_help_lists_the_classes(shell: Shell) -> None:
    text = output_of(shell, "help")
    assert "\nList of classes of commands:\n\naliases -- " in text
    assert "data -- Examining data.\n" in text and text.endswith(HINTS)
    everything = output_of(shell, "help all")
    assert all(
        f"\n{command.names} -- " in everything
        for command in shell.commands
        if not command.is_absent
    )
    assert output_of(shell, "apropos -v leave exit status").startswith(
        "quit, q, exit\nLeave dwarfgpu.\n\nUsage:"
    )


def test_a_backslash_joins_lines(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo a\\\nb\\n\np 1 + \\\n  2\np 1 +\n")
    assert output_of(shell, f"source {script}") == (
        f"ab\n$1 = 3\n{script}:5: Error in sourced command file:\n"
        "A syntax error in expression, near `'.\n"
    )


def test_a_script_may_define_commands(shell: Shell, tmp_path: Path) -> None:
    script = tmp_path / "script"
    text = "define twice\n  output $arg0 * 2\n  echo \\n\nend\n"
    script.write_text(text)
    assert talked(shell, f"source {script}", "twice 21") == "42\n"
    script.write_text(text.replace("twice", "again"), "utf-8-sig")  # as some editors do
    assert talked(shell, f"source {script}", "again 21") == "42\n"


def test_piped_commands_may_begin_with_a_byte_order_mark(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = io.BytesIO("print 1\nprint 2\n".encode("utf-8-sig"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data, encoding="utf-8"))
    plain_prompt.converse(shell, prompts=False)
    assert output_of(shell, "print $2") == "$3 = 2\n"


def test_bytes_that_are_no_text_are_kept(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From a script, from a pipe, and to one."""
    lines = b'print "\xff"\nprint sizeof("\xff")\nprintf "%d\\n", "\xce\xff"[1]\n'
    script = tmp_path / "script"
    script.write_bytes(lines)
    shown = '$1 = "\\377"\n$2 = 2\n-1\n'
    assert talked(shell, f"source {script}") == shown
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    other = demo_shell()
    with standard_streams():
        plain_prompt.converse(other, prompts=False)
    assert isinstance(other.console.streams.out, io.StringIO)
    assert other.console.streams.out.getvalue().endswith(shown)
    assert output_of(shell, "pipe echo \udcff | od -An -tx1 -v") == " ff\n"


def test_an_interrupt_ends_the_line_or_the_script_not_the_session(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As in GDB 13: from a pipe, from `-x` and from `-ex`."""
    script = tmp_path / "script"
    script.write_text("print 1\ninfo locals\nprint 2\n")
    lines = io.StringIO("print 4\ninfo locals\nprint 5\n")

    run = shell.run

    def interrupted(
        line: str, written: str | None = None, *, is_option: bool = False
    ) -> Iterator[Part]:
        if line == "info locals":
            raise KeyboardInterrupt
        return run(line, written, is_option=is_option)

    def readline(_: int) -> str:
        monkeypatch.setattr(lines, "readline", io.StringIO(lines.getvalue()).readline)
        raise KeyboardInterrupt

    monkeypatch.setattr(shell, "run", interrupted)
    monkeypatch.setattr(sys, "stdin", lines)
    monkeypatch.setattr(lines, "readline", readline)
    streams = shell.console.streams
    starting = [
        StartupCommand(str(script), is_script=True),
        StartupCommand("print 3", is_script=False),
    ]
    plain_prompt.run_startup_commands(shell, starting)
    plain_prompt.converse(shell, prompts=False)
    assert isinstance(streams.out, io.StringIO)
    assert isinstance(streams.err, io.StringIO)
    assert streams.out.getvalue()[1:] == "$1 = 1\n$2 = 3\n$3 = 4\n$4 = 5\n"
    assert streams.err.getvalue().endswith("initial contents\n" + "Quit\n" * 3)
    assert shell.failures == 2


def test_a_focus_that_python_reads_is_that_of_the_prompt() -> None:
    shell = nest_shell()
    assert talked(shell, "lane 2", "python print(session.lane)").endswith("2\n")
    assert talked(shell, "python execute('lane 9')", "p $_lane") == "$1 = 9\n"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a, b", ["a", "b"]),
        ("f(a, b), c", ["f(a, b)", "c"]),
        ("\"a,b\", ','", ['"a,b"', "','"]),
        ('"\\",", x[1, 2]', ['"\\","', "x[1, 2]"]),
        ("", [""]),
    ],
)
def test_arguments_are_split_at_commas(text: str, parts: list[str]) -> None:
    assert split_arguments(text) == parts


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("\\n\\t\\\\", "\n\t\\"),
        ("\\101\\0", "A\0"),
        ("\\q\\", "q"),
        ("é\\303\\251", "éé"),
        ("\\351", "\udce9"),
        ("", ""),
    ],
)
def test_escapes(text: str, meant: str) -> None:
    assert unescaped(text) == meant


def test_answers_as_json(shell: Shell) -> None:
    assert json_of(shell, "shell echo hi") == {
        "schema": "dwarfgpu-repl-1", "command": "shell echo hi", "result": "done",
        "exitcode": 0, "output": "hi\n",
    }  # fmt: skip
    assert json_of(shell, "python print(1)")["output"] == "1\n"
    assert json_of(shell, "echo a\\nb\\n")["output"] == "a\nb\n"


HEADS_WITH_BODIES = (
    ("while 1", "if 1", "print 2", "end"), ("if 1", "print 2", "else", "print 3"),
    ("define own", "print 2"), ("document known", "print 2", "if"), ("python", "print(2)", "if 1"),
    ("commands 1", "print 2"),
)  # fmt: skip


def test_a_body_is_dropped_where_its_command_was_being_looked_up(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse, calls = plain_prompt.parse, iter([True])

    def interrupted(*words: Any) -> Call:
        if next(calls, False):
            raise KeyboardInterrupt
        return parse(*words)

    monkeypatch.setattr(plain_prompt, "parse", interrupted)
    lines = ("while 1", "print 2", "end", "print 4")
    plain_prompt.run_startup_commands(shell, [StartupCommand(text, False) for text in lines])
    said = output_of(shell)
    assert "$1 = 4\n" in said and said.endswith("Quit\n")


@pytest.mark.parametrize("reads", range(4))
@pytest.mark.parametrize("lines", HEADS_WITH_BODIES, ids=lambda lines: lines[0])
def test_a_body_is_dropped_with_its_interrupted_command(
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
    lines: tuple[str, ...],
    reads: int,
) -> None:
    """Ctrl-C before a line of the body is read, or where it has been read."""
    read_line, left = shell.read_line, reads

    def read(prompt: str) -> str | None:
        nonlocal left
        left -= 1
        line = None if left < 0 else read_line(prompt)
        if line is None or line == "end" and not left:
            raise KeyboardInterrupt
        return line

    talked(shell, "break main", "define known", "end")
    monkeypatch.setattr(shell, "read_line", read)
    commands = [StartupCommand(line, is_script=False) for line in (*lines, "end", "print 4")]
    plain_prompt.run_startup_commands(shell, commands)
    streams = shell.console.streams
    assert isinstance(streams.out, io.StringIO) and isinstance(streams.err, io.StringIO)
    assert streams.out.getvalue().splitlines()[-1] == "$1 = 4"
    assert streams.err.getvalue().count("Quit\n") <= 1
    assert "Undefined" not in streams.err.getvalue()
    assert "top level" not in streams.err.getvalue()
