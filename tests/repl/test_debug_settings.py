"""Settings, convenience variables and answers as JSON, at the prompt of `dwarfgpu debug`."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dwarfgpu.base.index_cache import INDEX_CACHE
from dwarfgpu.machine.state.state_target import StateTarget
from dwarfgpu.machine.topology import Agent, Dispatch, Machine, Queue, Wave, Workgroup
from dwarfgpu.repl.command import find
from dwarfgpu.repl.command_table import COMMANDS
from dwarfgpu.repl.completion import completions
from dwarfgpu.repl.declared_settings import NOT_BUILT, SPELLED, WITHOUT_EFFECT, WITHOUT_MEANING
from dwarfgpu.repl.language_warning import LANGUAGE_DIFFERS
from dwarfgpu.repl.settings import SETTINGS, Setting
from dwarfgpu.repl.settings_in_force import IN_FORCE
from dwarfgpu.repl.shell import Shell
from tests.cli.command import REPOSITORY
from tests.processes import finished
from tests.repl.repl_shell import demo_shell, json_of, nest_shell, output_of

CONVENIENCE = """\
$_gthread = 0
$_inferior = 1
$_inferior_thread_count = 0
$_lane_name = void
$_siginfo = void
$_thread = 0
$a = 2
"""


@pytest.fixture
def shell() -> Shell:
    return nest_shell()


@pytest.fixture
def program() -> Shell:
    return demo_shell()


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["show print elements"], "Limit on string chars or array elements to print is 200.\n"),
        (["set print elements 3", "show print ele"],
         "Limit on string chars or array elements to print is 3.\n"),
        (["set p el 0", "show p el"],
         "Limit on string chars or array elements to print is unlimited.\n"),
        (["set print elements unl", "show print elements"],
         "Limit on string chars or array elements to print is unlimited.\n"),
        (["set print elements"],
         'Argument required (integer to set it to, or "unlimited").\n'),
        (["set print elements x"], 'No symbol "x" in current context.\n'),
        (["set print elements -2"], "integer -2 out of range\n"),
        (["set print pretty", "show print pretty"],
         "Pretty formatting of structures is on.\n"),
        (["set print pretty off", "show print pretty"],
         "Pretty formatting of structures is off.\n"),
        (["set print pretty maybe"], '"on" or "off" expected.\n'),
        (["set output"], "Requires an argument. Valid arguments are text, json.\n"),
        (["set output xml"], 'Undefined item: "xml".\n'),
        (["set confirm of", "show confirm"],
         "Whether to confirm potentially dangerous operations is off.\n"),
        (["set width 40", "show width"],
         "Number of characters dwarfgpu thinks are in a line is 40.\n"),
        (["set print foo"], 'Undefined set print command: "foo".  Try "help set print".\n'),
        (["show foo"], 'Undefined show command: "foo".  Try "help show".\n'),
        (["set foo"], 'No symbol "foo" in current context.\n'),
        (["set $foo = 3", "p $foo"], "$1 = 3\n"),
        (["set t = 3", "p t"],
         "$1 = 3\n"),
        (["set var $a = 1", "set $a += 4", "output $a"], "5"),
    ],
)  # fmt: skip
def test_set_and_show(shell: Shell, lines: list[str], expected: str) -> None:
    assert output_of(shell, *lines) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["set print elements 2", "p numbers"], "$1 = {1 <repeats 12 times>...}\n"),
        (["set print repeats 2", "p global_struct.mat"],
         '$1 = {"\\001\\002\\003", "\\004\\005\\006"}\n'),
        (["set print repeats unlimited", "p numbers[0]@12"],
         "$1 = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}\n"),
        (["set print pretty on", "p global_struct.un"],
         "$1 = {\n  i = 1065353216,\n  f = 1,\n  bytes = \"\\000\\000\\200?\"\n}\n"),
        (["set print pretty on", "p global_struct.un", "show values"],
         "$1 = {\n  i = 1065353216,\n  f = 1,\n  bytes = \"\\000\\000\\200?\"\n}\n"),
        (["set print max-depth 1", "p global_struct.in"], "$1 = {{...}, {...}}\n"),
        (["set output-radix 16", "p/s 17"], "$1 = 0x11\n"),
        (["with output-radix 8 -- p/s numbers[0]@2"], "$1 = {01, 01}\n"),
        (["p 1", "p 2", "show values"], "$1 = 1\n$2 = 2\n"),
        (["p 1", "show values +"], "$1 = 1\n"),
        (["set $a = 2", "show convenience"], CONVENIENCE),
        (["set $a = 2", "show convenience foo"], CONVENIENCE),  # as GDB 13 ignores it
        (["p $_thread"], "$1 = 0\n"),
        (["p $_wave_id"], "$1 = void\n"),
    ],
)  # fmt: skip
def test_values_are_printed_as_set(program: Shell, lines: list[str], expected: str) -> None:
    assert output_of(program, *lines) == expected


def test_show_values_has_ten(program: Shell) -> None:
    for number in range(25):
        output_of(program, f"p {number}")
    assert output_of(program, "show values").split("\n")[0] == "$16 = 15"
    assert output_of(program, "show values 10").splitlines() == [
        f"${n} = {n - 1}" for n in range(5, 15)
    ]
    assert output_of(program, "show values +").splitlines() == [
        f"${n} = {n - 1}" for n in range(15, 25)
    ]


def test_show_values_around_the_number_of_an_expression(program: Shell) -> None:
    """GDB evaluates the argument (value.c: `parse_and_eval_long (num_exp) - 5`)."""
    for number in range(25):
        output_of(program, f"p {number}")
    expected = [f"${n} = {n - 1}" for n in range(5, 15)]
    assert output_of(program, "show values 2 * 5").splitlines() == expected
    assert output_of(program, "show values $11").splitlines() == expected
    assert output_of(program, "show values -3").splitlines()[0] == "$1 = 0"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("output 1 || $never_set++", "1"),
        ("output 0 && --$never_set", "0"),
        ("whatis $never_set++", "type = void\n"),
        ("p $never_set++", "Not a numeric type.\n"),
    ],
)
def test_a_void_variable_is_counted_only_if_it_is_evaluated(
    program: Shell, typed: str, expected: str
) -> None:
    """GDB returns the operand of an expression that is not evaluated, as it is."""
    assert output_of(program, typed) == expected


def test_a_void_variable_is_initialized(program: Shell) -> None:
    """GDB's `init-if-undefined` assigns to a variable that "has not already been defined": one to
    which a void value was assigned is void, as if it had never been set."""
    output_of(program, "set var $made = $never_set")
    output_of(program, "init-if-undefined $made = 4")
    assert output_of(program, "p $made") == "$1 = 4\n"
    output_of(program, "init-if-undefined $made = 5")
    assert output_of(program, "p $made") == "$2 = 4\n"


def placed(shell: Shell) -> Shell:
    """The shell, which knows where its wave belongs: the third of a workgroup."""
    target = shell.session.target
    assert isinstance(target, StateTarget)
    target._machine = Machine(
        64,
        {1: Agent(1)},
        {2: Queue(2, 1)},
        {3: Dispatch(3, 2, packet=5)},
        {4: Workgroup(4, 3, (2, 1, 3), (16, 16, 1))},
        {0: Wave(0, 4, 2)},
    )
    shell.values.thread_count = 1
    return shell


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("$_agent", "1"),
        ("$_agent_systag", '"AMDGPU Agent (GPUID 1)"'),
        ("$_dispatch", "3"),
        ("$_dispatch_pos", '"(2,1,3)/2"'),
        ("$_dispatch_systag", '"AMDGPU Dispatch 1:2:3 (PKID 5)"'),
        ("$_lane", "3"),
        ("$_lane_systag", '"AMDGPU Lane 1:2:3:0/3 (2,1,3)[3,8,0]"'),
        ("$_lane_workgroup_pos", '"[3,8,0]"'),
        ("$_queue", "2"),
        ("$_queue_systag", '"AMDGPU Queue 1:2 (QID 2)"'),
        ("$_thread", "0"),
        ("$_thread_systag", '"AMDGPU Wave 1:2:3:0 (2,1,3)/2"'),
        ("$_thread_workgroup_pos", '"2"'),
        ("$_wave_id", '"(2,1,3)/2"'),
        ("$_lane_workgroup_pos[1]", "51 '3'"),
        ("$_dispatch * 2 + $_lane", "9"),
    ],
)
def test_rocgdbs_variables(shell: Shell, name: str, expected: str) -> None:
    assert output_of(placed(shell), f"p {name}") == f"$1 = {expected}\n"


def test_they_follow_the_focus(shell: Shell) -> None:
    assert output_of(placed(shell), "lane 17", "p $_lane_workgroup_pos") == '$1 = "[1,9,0]"\n'
    assert output_of(shell, "set $_wave_id = 3") == "Left operand of assignment is not an lvalue.\n"


_HARMLESS = [setting for setting in SETTINGS if setting.name != "logging enabled"]


@pytest.mark.parametrize("setting", _HARMLESS, ids=lambda each: each.name)
def test_every_setting_is_set_shown_and_helped(shell: Shell, setting: Setting) -> None:
    assert setting.help in output_of(shell, f"help set {setting.name}")
    for value in setting.values:
        if setting.name == "language" and value not in SPELLED:
            refused = f"Unsupported: values are not written as in {value} here\n"
            assert output_of(shell, f"set language {value}") == refused
            continue
        traced = f"+set {setting.name} {value}\n" if shell.settings.flag("trace-commands") else ""
        said = output_of(shell, f"set {setting.name} {value}")
        assert said.removesuffix(f"{LANGUAGE_DIFFERS}\n") == traced
        output_of(shell, "set output text")
        assert setting.text(shell.settings[setting.name])
        _, result = completions(shell, f"set {setting.name} {value[:1]}")
        assert value in [item.text for item in result]
    value = shell.settings[setting.name]
    assert output_of(shell, f"show {setting.name}").startswith(f"{setting.sentence(value)}\n")


@pytest.mark.parametrize("name", [*NOT_BUILT, *WITHOUT_MEANING])
def test_what_gdb_has_and_we_do_not_is_refused_by_name(shell: Shell, name: str) -> None:
    for line in (f"set {name} 1", f"set {name}"):
        assert output_of(shell, line).startswith(f'The setting "{name}" of GDB ')


def test_values_that_hold_anyway_are_accepted(shell: Shell) -> None:
    lines = [f"set {name} {value}" for name, values in IN_FORCE.items() for value in values]
    assert [output_of(shell, line) for line in lines] == [""] * len(lines)


SHOWN = {
    "endian": "The target endianness is set automatically (currently little endian).",
    "architecture": 'The target architecture is set to "auto" (currently "i386:x86-64").',
    "check": 'check range:  Range checking is "auto; currently off".\n'
    "check type:  Strict type checking is on.",
    "check range": 'Range checking is "auto; currently off".',
    "check type": "Strict type checking is on.",
    "ch t": "Strict type checking is on.",
    "disassembly-flavor": 'The disassembly flavor is "att".',
    "host-charset": 'The host character set is "auto; currently UTF-8".',
    "non-stop": "Controlling the inferior in non-stop mode is off.",
    "tcp": 'The setting "tcp" of GDB has no effect in dwarfgpu: there is no remote target.',
}
"""GDB's sentences, with the values that hold here."""


def test_what_cannot_be_changed_is_shown(program: Shell) -> None:
    """A script that asks goes on."""
    errors = program.console.streams.err
    assert isinstance(errors, io.StringIO)
    for name in (*NOT_BUILT, *WITHOUT_MEANING, *WITHOUT_EFFECT):
        assert output_of(program, f"show {name}") and not errors.getvalue(), name
    assert {name: output_of(program, f"show {name}").rstrip("\n") for name in SHOWN} == SHOWN
    assert output_of(program, "set endian little", "set architecture i386:x86-64") == ""
    assert output_of(program, "set endian big").startswith('The setting "endian" of GDB')


def test_why_a_setting_has_no_value_is_in_json(program: Shell) -> None:
    [why] = json_of(program, "show tcp")["console"]
    assert why == SHOWN["tcp"]
    assert json_of(program, "show endian")["value"] == SHOWN["endian"]


def test_refused_settings_hide_nothing(shell: Shell) -> None:
    """They are not candidates, and outside of families found by their whole names only."""
    assert output_of(shell, "set rec = 3") == 'No symbol "rec" in current context.\n'
    assert [completion.text for completion in completions(shell, "set print fi")[1]] == []
    assert "set debug " not in output_of(shell, "help set")


def test_one_command_under_another_setting(program: Shell) -> None:
    line = "with print elements 2 -- p numbers"
    assert output_of(program, line) == "$1 = {1 <repeats 12 times>...}\n"
    assert output_of(program, "show print elements").endswith("is 200.\n")
    output_of(program, "with print elements 2 -- p nosuch")  # also after an error
    assert output_of(program, "show print elements").endswith("is 200.\n")


@pytest.mark.parametrize(
    "setting", ["max-value-size unlimited", "varsize-limit 5", "print demangle on"]
)
def test_with_a_setting_that_has_no_effect_runs_the_command(program: Shell, setting: str) -> None:
    assert output_of(program, f"with {setting} -- p 41 + 1").startswith("$1 = 42\n")


@pytest.mark.parametrize("line", ["set env A=b", "set env A = b", "unset env A", "set args 1 2"])
def test_what_scripts_say_of_processes_is_no_expression(shell: Shell, line: str) -> None:
    assert re.fullmatch(r'note: "[a-z ]+" has no effect: .*\n', output_of(shell, line))


def test_with_switches_what_set_switches(
    program: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    switched: list[bool] = []
    monkeypatch.setattr(INDEX_CACHE, "switch", lambda *, on: switched.append(on))
    output_of(program, "with index-cache enabled off -- p 1")
    assert switched == [False, True]
    output_of(program, "with index-cache enabled off -- p nosuch")
    assert switched == [False, True] * 2
    output_of(program, "with index-cache enabled on -- p 1")  # as it is: nothing is restored
    assert switched == [False, True, False, True, True]
    log = tmp_path / "log"
    output_of(program, f"set logging file {log}")
    assert output_of(program, "with logging enabled on -- p 41 + 1").startswith("$3 = 42\n")
    assert log.read_text() == "$3 = 42\n" and program.console.log is None


def test_with_changes_nothing_that_it_cannot_restore(shell: Shell) -> None:
    refused = 'Cannot use this setting with the "with" command\n'
    assert output_of(shell, "with substitute-path a b -- p 1") == refused
    assert output_of(shell, "with var $q = 1 -- p 1") == refused
    assert (
        output_of(shell, "show substitute-path") == "List of all source path substitution rules:\n"
    )
    assert output_of(shell, "p $q") == "$1 = void\n"
    assert output_of(shell, "with debug 1 -- p 1").startswith(
        'The setting "debug" of GDB does not apply to dwarfgpu'
    )


def test_the_prompt_is_ones_own(shell: Shell) -> None:
    before = shell.prompt
    output_of(shell, "set prompt (gdb) ")
    assert shell.prompt == "(gdb) "
    assert output_of(shell, "show prompt") == 'Dwarfgpu\'s prompt is "(gdb) ".\n'
    output_of(shell, "set prompt")
    assert shell.prompt == before


def test_settings_of_frames_apply_to_lanes_and_waves(program: Shell, shell: Shell) -> None:
    full = output_of(shell, "info lanes 0")
    assert "(...) at " in full
    output_of(shell, "set print frame-info short-location")
    short = output_of(shell, "info lanes 0")
    assert short.splitlines()[1] == full.splitlines()[1].partition(" at ")[0]
    assert output_of(shell, "lane 1").splitlines()[1].endswith(")")
    output_of(shell, "set print frame-info auto", "set print frame-arguments none")
    assert "=...) at " in output_of(shell, "bt 1")


def test_lanes_obey_what_print_obeys(shell: Shell) -> None:
    """The grid has the numbers that `print` has."""
    before = output_of(shell, "lanes 0-3 t").splitlines()[0]
    numbers = [int(word) for word in before.split()[1:]]
    after = output_of(shell, "with output-radix 16 -- lanes 0-3 t").splitlines()[0]
    assert [int(word, 16) for word in after.split()[1:]] == numbers
    assert "0x" in after


def test_a_log(shell: Shell, tmp_path: Path) -> None:
    path, streams = tmp_path / "log", shell.console.streams
    for line in (f"set logging file {path}", "p 1", "set logging enabled", "p 2", "p nosuch"):
        shell.execute(line)
    shell.execute("set logging enabled on")
    shell.execute("set logging redirect on")
    shell.execute("set logging enabled off")
    assert shell.console.streams is streams
    text = path.read_text()
    assert text.splitlines() == [
        "$2 = 2",
        'No symbol "nosuch" in current context.',
        f"Already logging to {path}.",
        f"warning: Currently logging to {path}.  "
        "Turn the logging off and on to make the new setting effective.",
    ]
    for line in ("p 3", "set logging enabled on", "p 4", "set logging enabled off"):
        shell.execute(line)
    assert path.read_text() == f"{text}$4 = 4\n"
    for line in ("set logging overwrite", "set logging enabled", "p 5", "set logging enabled off"):
        shell.execute(line)
    assert path.read_text() == "$5 = 5\n"
    assert isinstance(streams.out, io.StringIO)
    assert streams.out.getvalue() == "$1 = 1\n$2 = 2\n$3 = 3\n"


def test_a_log_that_no_process_reads(tmp_path: Path) -> None:
    """It is refused at once: to open such a pipe waits for a reader."""
    shell, path = nest_shell(), tmp_path / "pipe"
    os.mkfifo(path)
    output_of(shell, f"set logging file {path}")
    said = output_of(shell, "set logging enabled")
    assert said == "set logging: no program reads the pipe.\n"
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    for line in ("set logging enabled", "p 1", "set logging enabled off"):
        shell.execute(line)
    assert b"$1 = 1\n" in os.read(reader, 1000)
    os.close(reader)


def test_a_log_that_cannot_be_written(shell: Shell, tmp_path: Path) -> None:
    output_of(shell, f"set logging file {tmp_path}/no/log")
    text = "set logging: No such file or directory.\n"
    assert output_of(shell, "set logging enabled on") == text
    assert output_of(shell, "show logging enabled") == "off: Logging is disabled.\n"


FULL = Path("/dev/full")
"""A disk without room, of Linux."""


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")
@pytest.mark.parametrize("redirect", ["off", "on"])
def test_a_log_on_a_full_disk(shell: Shell, redirect: str) -> None:
    """The session continues, and no answer is lost."""
    streams = shell.console.streams
    for line in (
        f"set logging file {FULL}", f"set logging redirect {redirect}", "set logging enabled on",
        "p 1", "p 2", "show logging enabled", "set logging enabled off",
    ):  # fmt: skip
        shell.execute(line)
    assert isinstance(streams.out, io.StringIO) and isinstance(streams.err, io.StringIO)
    off = "off: Logging is disabled."
    assert streams.out.getvalue() == f"$1 = 1\n$2 = 2\n{off}\n"
    assert streams.err.getvalue() == (
        f"warning: logging is off: {FULL} cannot be written: No space left on device\n"
    )
    assert shell.console.streams is streams


def test_a_log_that_grows_too_long(tmp_path: Path) -> None:
    """The limit of the size of files, in a process of its own."""
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", sys.executable, "-m", "dwarfgpu", "debug",
         "--demo"],
        input=f"set logging file {tmp_path / 'log'}\nset logging enabled on\n"
        + "info line 10\n" * 2 + "help set\n" * 3 + "p 42\nquit\n",
        capture_output=True, text=True, check=False, cwd=REPOSITORY,
        # Python 3.11 keeps bytecode that this limit cut.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("$1 = 42\n")
    assert done.stderr.count("cannot be written: File too large") == 1


@pytest.mark.parametrize("name", ["a", "a b"])
def test_source_text_that_was_moved(program: Shell, tmp_path: Path, name: str) -> None:
    missing = "1\tx86_64/demo.c: No such file or directory.\n"
    (tmp_path / name).mkdir()
    (tmp_path / name / "demo.c").write_text("moved\nhere\n")
    folder = shlex.quote(str(tmp_path / name))
    assert output_of(program, "list 1,2") == missing
    assert output_of(program, f"directory {folder}", "list 1,2") == "1\tmoved\n2\there\n"
    assert output_of(program, "directory", "list 1,2") == missing
    output_of(program, f"set substitute-path x86_64 {folder}")
    assert output_of(program, "list 1,2") == "1\tmoved\n2\there\n"
    assert f"Located in {tmp_path}/{name}/demo.c\n" in output_of(program, "info source")
    assert output_of(program, "unset substitute-path x86_64", "list 1,2") == missing


def test_show_lists_all(shell: Shell) -> None:
    """With those that have one value here: what `show` and a name say of each is in the list."""
    settings = json_of(shell, "show")["settings"]
    names = [setting["name"] for setting in settings]
    assert names == sorted(names)
    text = output_of(shell, "show")
    for name in names:
        assert f"{name}:  {output_of(shell, f'show {name}')}" in text
    assert {setting.name for setting in SETTINGS} <= {*names}
    assert {"architecture", "endian", "charset", "check type", "print demangle"} <= {*names}


def test_show_lists_a_family(program: Shell) -> None:
    assert output_of(program, "show print type") == (
        "print type hex:  Display of struct members offsets and sizes in hexadecimal is off\n"
        "print type methods:  Printing of methods defined in a class in on\n"
        "print type nested-type-limit:  Will not print nested types defined in a class\n"
        "print type typedefs:  Printing of typedefs defined in a class in on\n"
    )
    lines = output_of(program, "show print").splitlines()
    assert (
        "print demangle:  Demangling of encoded C++/ObjC names when displaying symbols is on."
        in (lines)
    )
    assert "print finish:  Printing of return value after `finish' is on." in lines
    assert output_of(program, "show check").count("\n") == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("set pri", ["print"]),
        ("set print e", ["elements", "entry-values"]),
        ("set output ", ["text", "json"]),
        ("set $ex", ["$exec"]),
        ("set li", ["listsize"]),
        ("show conv", ["convenience"]),
        ("p $_wave", []),
    ],
)
def test_completion(shell: Shell, text: str, expected: list[str]) -> None:
    _, result = completions(shell, text)
    assert [item.text for item in result] == expected


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("p t", {"number": 1, "value": "30", "type": "int", "location": "v6 + byte 12 (wave 0)"}),
        ("output t", {"value": "30", "type": "int"}),
        ('printf "%d\\n", t', {"output": "30\n"}),
        ("p 1 + 1", {"value": "2", "location": None}),
        ("show width", {"value": "unlimited"}),
        ("echo a\\nb", {"output": "a\nb"}),
        ("set $a = 1", {}),
    ],
)
def test_answers_as_json(shell: Shell, line: str, keys: dict[str, object]) -> None:
    answer = json_of(shell, line)
    assert (answer["command"], answer["result"]) == (line, "done")
    assert keys.items() <= answer.items()


def test_lists_as_json(shell: Shell) -> None:
    names = [variable["name"] for variable in json_of(shell, "info locals")["variables"]]
    assert names == ["t", "a", "r", "sum"]
    assert [item["level"] for item in json_of(shell, "bt")["stack"]] == [0]
    assert json_of(shell, "frame")["frame"]["func"] == "nest"
    assert len(json_of(shell, "show")["settings"]) > len(SETTINGS)
    assert json_of(shell, "show values")["result"] == "done"


def test_errors_as_json(shell: Shell) -> None:
    answer = json_of(shell, "p lmit")
    words = 'No symbol "lmit" in current context. Did you mean "limit"?'
    assert (answer["result"], answer["msg"]) == ("error", words)
    assert json_of(shell, "p 1 / 0")["error"]["kind"] == "EvaluationError"


def test_notes_are_in_the_answer(shell: Shell) -> None:
    assert "note" not in output_of(shell, "set output json", "p a").partition('"notes"')[0]
    assert output_of(shell, "# nothing") == ""
    shell.settings.set("output", "text")
    notes = json_of(shell, "p a")["notes"]
    assert any(note.startswith("a is optimized out at this pc") for note in notes)


@pytest.mark.parametrize(
    "setting", ["", "listsize", "p elem", "print", "print foo", "foo", "version", "var"]
)
def test_info_set_is_show(setting: str, shell: Shell) -> None:
    """With an argument too, which may be a family of settings, or none."""
    assert output_of(shell, f"info set {setting}") == output_of(shell, f"show {setting}")


def test_info_set_completes_as_show(shell: Shell) -> None:
    for typed in ("lists", "print ele"):
        start, candidates = completions(shell, f"info set {typed}")
        shown_at, shown = completions(shell, f"show {typed}")
        assert candidates and candidates == shown
        assert start - len("info set") == shown_at - len("show")


def test_a_foreign_name_gives_way() -> None:
    """What GDB calls so is meant, however another debugger's names begin."""
    assert find(COMMANDS, "set").name == "set"


def test_the_commands_are_documented(repository: Path) -> None:
    text = (repository / "docs/commands.md").read_text("utf-8")
    for command in COMMANDS:
        line = rf"- (`.+`, )?`{re.escape(command.name)}`(, `.+`)?: "
        title = rf"### `{re.escape(command.name)}`"
        assert re.search(f"^{line if command.is_absent else title}", text, re.MULTILINE)
    (languages,) = re.findall(r"^\| `language` \| (.*?) \|", text, re.MULTILINE)
    assert set(re.findall("`(.*?)`", languages)) == set(SPELLED)


def test_the_index_cache(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DWARFGPU_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(INDEX_CACHE, "folder", None)
    assert output_of(shell, "set index-cache enabled on") == ""
    assert INDEX_CACHE.folder == tmp_path / "dwarfgpu" / "index"
    assert output_of(shell, "set index-cache enabled off") == ""
    stored: list[str] = []
    monkeypatch.setattr(INDEX_CACHE, "later", {"a": lambda progress: stored.append("a")})
    INDEX_CACHE.finish(lambda path, done, count: None)
    assert INDEX_CACHE.folder is None and not stored
    assert output_of(shell, "show index-cache enabled") == "The index cache is off.\n"
    monkeypatch.setattr(INDEX_CACHE, "hits", 2)
    monkeypatch.setattr(INDEX_CACHE, "misses", 1)
    assert output_of(shell, "show index-cache stats") == (
        "  Cache hits (this session): 2\nCache misses (this session): 1\n"
    )


def test_folders_precede_that_of_the_compilation(tmp_path: Path) -> None:
    """Where `$cdir` is behind them, as after `directory` (GDB, "Source Path")."""
    for folder in ("x86_64", "other/x86_64"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "demo.c").write_text(f"in {folder}\n")
    program = str(REPOSITORY / "fixtures/x86_64/demo.gcc.O0.v5")
    commands = ("list 1,1", "directory other", "list 1,1", "set directories $cdir:other",
                "list 1,1", "directory", "list 1,1")  # fmt: skip
    done = finished(
        "debug", program, "--batch", *(w for c in commands for w in ("-ex", c)), folder=tmp_path
    )
    listed = [line.partition("\t")[2] for line in done.stdout.splitlines() if line[:2] == "1\t"]
    assert listed == ["in x86_64", "in other/x86_64", "in x86_64", "in x86_64"]


def test_a_file_lies_in_the_folder_of_the_compilation_without_its_own(tmp_path: Path) -> None:
    """As in GDB, `$cdir` is also searched for the last component of a name, where it was moved
    to."""
    (tmp_path / "moved").mkdir()
    (tmp_path / "moved/demo.c").write_text("in moved\n")
    program = str(REPOSITORY / "fixtures/x86_64/demo.gcc.O0.v5")
    done = finished(
        "debug", program, "--batch", "-ex", "set substitute-path . moved", "-ex", "list 1,1",
        folder=tmp_path,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "1\tin moved"
