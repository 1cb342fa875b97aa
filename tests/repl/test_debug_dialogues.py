"""Dialogues with the real program on a terminal, with the exact text of its answers."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import REPOSITORY

DEBUG = ["-m", "dwarfgpu", "debug", "--demo", "-q"]
PROMPT = re.compile(r"\(dwarfgpu w0 l\d+\) ")


def spawned(tmp_path: Path, term: str, *words: str, **environment: str) -> Any:
    """The program on a terminal of 24 rows and 100 columns."""
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(
        sys.executable, [*DEBUG, *words], cwd=REPOSITORY, encoding="utf-8", dimensions=(24, 100),
        env={**{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")},
             "TERM": term, "XDG_STATE_HOME": str(tmp_path), "PROMPT_TOOLKIT_NO_CPR": "1",
             **environment},
        timeout=100, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    return child


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A terminal without powers: what comes is what is printed."""
    child = spawned(tmp_path_factory.mktemp("dumb"), "dumb", "--lane", "4")
    child.expect(PROMPT)
    yield child
    child.close(force=True)


def answer(child: Any, line: str) -> str:
    """The output of a line, without its echo."""
    child.send(f"{line}\r")
    child.expect(PROMPT)
    text = child.before.replace("\r\n", "\n")
    return re.sub(r"\A[^\n]*\n", "", text)


LANE = "[Switching to thread 0, lane {} (AMDGPU Lane ?:?:?:0/{} (?,?,?)[?,?,?])]\n"
FRAME = (
    "#0  0x00007f0000001690 in nest (in=<optimized out>, out=<optimized out>, "
    "limit=<optimized out>) at hip/nest.hip:14\n"
)
NOTES = (
    "note: DW_AT_LLVM_lanes absent: wave size 64 assumed\n"
    "note: upstream clang: a vector register read as the focused lane's dword\n"
)
SAID: tuple[tuple[str, str], ...] = (
    ("p t", "$1 = 324\n" + NOTES),
    ("p t", "$2 = 324\n"),
    ("", "$3 = 324\n"),
    ("p/x t", "$4 = 0x144\n"),
    ("p/t 10", "$5 = 1010\n"),
    ("p $", "$6 = 1010\n".replace("1010", "10")),
    ("p $1 + $$2", "$7 = 648\n"),
    ("p t % 100 + a * 2", "$8 = 58\n"),
    ("p/c 65", "$9 = 65 'A'\n"),
    ("output t", "324"),
    ("output/x t", "0x144"),
    ("echo a b\\n", "a b\n"),
    ('printf "%d and %s\\n", t, "x"', "324 and x\n"),
    ("set $n = 3", ""),
    ("p $n * $n", "$10 = 9\n"),
    ("p $nosuch", "$11 = void\n"),
    ("p $_lane", "$12 = 4\n"),
    ("p $_lane_count", "$13 = 64\n"),
    ("p nosuch", 'No symbol "nosuch" in current context.\n'),
    ("p lmit", 'No symbol "lmit" in current context. Did you mean "limit"?\n'),
    ("p t +", "A syntax error in expression, near `'.\n"),
    ("p 1/0", "Division by zero\n"),
    ("p/y t", 'Undefined output format "y".\n'),
    ("p $99", "History has not yet reached $99.\n"),
    ("foo", 'Undefined command: "foo".  Try "help".\n'),
    ("info foo", 'Undefined info command: "foo".  Try "help info".\n'),
    ("set print foo", 'Undefined set print command: "foo".  Try "help set print".\n'),
    ("ex", 'Ambiguous command "ex": exit, explain.\n'),
    ("# a comment", ""),
    ("whatis t", "type = int\n"),
    ("ptype t", "type = int\n"),
    ("whatis &t", "type = int *\n"),
    (
        "pc",
        "0x7f0000001690 = demo.co+0x1690 <nest(int const*, int*, int)+144> at hip/nest.hip:14\n",
    ),
    ("lane", "[Current thread is 0, lane 4 (AMDGPU Lane ?:?:?:0/4 (?,?,?)[?,?,?])]\n"),
    ("lane 99", "Lane 99 does not exist on this thread.\n"),
    ("lane x", "Invalid lane ID: x\n"),
    ("i r exec", "exec           0x9b64d936c9b26d93  11197313402885270931\n"),
    ("info locals ^t", "t = 324\n"),
    ("frame variable t", "$14 = 324\n"),
    ("expr -f x -- t", "$15 = 0x144\n"),
    ("register read vcc_lo", "vcc_lo         0x364d926c          911053420\n"),
    ("show print elements", "Limit on string chars or array elements to print is 200.\n"),
    ("set print elements 2", ""),
    ("p $v6[0]@5", "$16 = {320, 321...}\n"),
    ("set print elements 200", ""),
    ("set output xml", 'Undefined item: "xml".\n'),
    ("set confirm perhaps", '"on" or "off" expected.\n'),
    ("show width", "Number of characters dwarfgpu thinks are in a line is 100.\n"),
    ("show height", "Number of lines dwarfgpu thinks are in a page is 24.\n"),
    ("run", 'A state cannot be started from the beginning: use "continue".\n'),
    ("break nest", "Breakpoint 1 at 0x7f0000001600: file hip/device.h, line 15.\n"),
    (
        "s",
        "wave 0 cannot continue: its mode is not known; set $mode (thread apply all set $mode = "
        "0xf0), or use run --reg mode=0xf0\n",
    ),
    ("alias px = print /x", ""),
    ("px 255", "$17 = 0xff\n"),
    ("alias px = print", "Alias already exists: px\n"),
    ("alias", "Usage: alias [-a] [--] ALIAS = COMMAND [DEFAULT-ARGS...]\n"),
    ("pipe p 5 | tr 5 6", "$18 = 6\n".replace("18", "18")),
    ("| p 1 | cat", "$19 = 1\n"),
    ("!echo from outside", "from outside\n"),
    ("python print(session.lane, text(evaluate('t')))", "4 324\n"),
    ("python r = session.read(session.variable('t')); print(r.text, r.value)", "324 324\n"),
    ("python import dwarfgpu as dg; [f] = dg.stack_frames(session.focused(5)); "
     "print(f.session.read(f.session.variable('t')).value)", "325\n"),
    ("python print(dg.read_lanes([session], session.variable('t'), [6]).of(0, 6).text)", "326\n"),
    ("python 1/0", 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>\n'
     "ZeroDivisionError: division by zero\n"
     "Error while executing Python code.\n"),
    ("complete info lo", "info locals\n"),
    ("complete set print e", "set print elements\nset print entry-values\n"),
    ("apropos leave exit status", "quit, q, exit -- Leave dwarfgpu.\n"),
    ("show values 2", "".join(f"${n} = {v}\n" for n, v in enumerate(
        ["324", "324", "324", "324", "10", "10", "648"], 1)) + "$8 = 58\n$9 = 65\n$10 = 9\n"),
    ("source /no/such", "/no/such: No such file or directory.\n"),
    ("quit x", 'No symbol "x" in current context.\n'),
    ("set output json", ""),
    ("p 1", '{"schema": "dwarfgpu-repl-1", "command": "p 1", "result": "done", "number": 20, '
     '"value": "1", "type": "int", "location": null}\n'),
    ("set output text",
     '{"schema": "dwarfgpu-repl-1", "command": "set output text", "result": "done"}\n'),
)  # fmt: skip


def test_every_dialogue(tmp_path: Path) -> None:
    """One session, and of this test alone: values are numbered, notes are printed once, settings
    stay."""
    child = spawned(tmp_path, "dumb", "--lane", "4")
    child.expect(PROMPT)
    different = [
        (line, expected, text)
        for line, expected in SAID
        if (text := answer(child, line)) != expected
    ]
    child.close(force=True)
    assert not different, "\n".join(map(repr, different))
    assert len(SAID) >= 60


def test_another_lane(talk: Any) -> None:
    broken = FRAME.replace(" at hip", "\n    at hip")  # the terminal is narrow
    assert answer(talk, "lane 5").startswith(LANE.format(5, 5) + broken)
    assert "warning: lane 2 is inactive" in answer(talk, "lane 2")
    assert answer(talk, "output t").splitlines()[-1] == "322"  # after notes, if they are new


def test_bodies_are_prompted_for(talk: Any) -> None:
    """`>` asks for each line of a body."""
    for line in ("define twice", "output $arg0 * 2"):
        talk.send(f"{line}\r")
        talk.expect_exact("\r\n>")
    assert answer(talk, "end") == ""
    assert answer(talk, "twice 21") == "42"
    talk.send("if 0\r")
    talk.expect_exact(">")
    talk.send("p 1\r")
    talk.expect_exact(">")
    talk.send("else\r")
    talk.expect_exact(">")
    talk.send("echo no\\n\r")
    talk.expect_exact(">")
    assert answer(talk, "end") == "no\n"
    talk.send("define twice\r")
    talk.expect_exact('Redefine command "twice"? (y or n) ')
    assert answer(talk, "n") == 'Command "twice" not redefined.\n'


def test_a_line_goes_on_after_a_backslash(talk: Any) -> None:
    talk.send("output 40 + \\\r")
    talk.expect_exact(">")
    assert answer(talk, "2") == "42"


def test_pages(talk: Any) -> None:
    talk.send("help all\r")
    talk.expect_exact("--Type <RET> for more, q to quit, c to continue without paging--")
    assert talk.before.count("\r\n") <= 24
    talk.send("\r")
    talk.expect_exact("--Type <RET> for more, q to quit, c to continue without paging--")
    assert answer(talk, "q").endswith("Quit\n")
    answer(talk, "set pagination off")
    # A class of the user's own commands comes last, where another test has defined any.
    assert "Command class: waves" in answer(talk, "help all")


def test_a_command_is_interrupted(talk: Any) -> None:
    talk.send("while 1\r")
    talk.expect_exact(">")
    talk.send("set $i = 1\r")
    talk.expect_exact(">")
    talk.send("end\r")
    talk.sendintr()
    talk.expect_exact("Quit")
    talk.expect(PROMPT)
    assert answer(talk, "output 1") == "1"


CODES = re.compile(r"\x1b\[[\d;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")


def shown(child: Any, expected: str) -> str:
    """What the screen got up to a text that answers what was sent last."""
    text = ""
    while expected not in CODES.sub("", text):
        text += child.read_nonblocking(4096, timeout=60)
    return text


def ended(child: Any) -> None:
    """Read until the program has ended."""
    pexpect = pytest.importorskip("pexpect")
    with suppress(pexpect.EOF):
        while True:
            child.read_nonblocking(4096, timeout=60)
    child.wait()


def test_a_screen(tmp_path: Path) -> None:
    """Suggestions, a member of the menu, an open bracket, keys of vi, and the end."""
    child = spawned(tmp_path, "xterm-256color", "--lane", "4")
    shown(child, "(dwarfgpu w0 l4)")
    child.send("info loc\t\r")
    assert "t = 324" in CODES.sub("", shown(child, "sum = "))
    child.send("p (1 +\r")
    shown(child, ">")
    child.send("2)\r")
    shown(child, "$1 = 3")
    child.send("set editing-mode vi\r")
    child.send("p 5\r")
    shown(child, "$2 = 5")
    child.send("p 77\x1b")
    time.sleep(2)  # else it is one key with the next
    child.send("0xip\r")  # to the beginning, away with the p, and in again
    shown(child, "$3 = 77")
    child.send("set editing-mode emacs\r")
    child.send("ptype t\r")
    assert "\x1b[" in shown(child, "type = int")
    child.send("quit\r")
    ended(child)
    assert child.exitstatus == 0
    assert "+p (1 +\n+2)\n" in (tmp_path / "dwarfgpu/history").read_text()


def test_lines_that_do_not_end_and_lines_that_are_pasted(tmp_path: Path) -> None:
    child = spawned(tmp_path, "xterm-256color", "--lane", "4")
    shown(child, "(dwarfgpu w0 l4)")
    child.send("echo abc\r")
    shown(child, "abc(dwarfgpu w0 l4)")  # as in GDB, the prompt follows
    child.send("\x1b[200~if 1\np (1 +\n2)\nend\n\np 4\n\x1b[201~\r")
    text = CODES.sub("", shown(child, "$2 = 4"))
    assert ">end\r\n$1 = 3\r\n(dwarfgpu w0 l4) p 4\r\n" in text
    answer = CODES.sub("", text.partition("$2 = 4")[2])
    if "(dwarfgpu w0 l4)" not in answer:  # the terminal takes Ctrl-D until there is a prompt
        shown(child, "(dwarfgpu w0 l4)")
    child.send("\x04")
    shown(child, "(dwarfgpu w0 l4) quit")
    ended(child)
    assert child.exitstatus == 0


@pytest.mark.parametrize(
    ("line", "status"), [("python exit(5)", 5), ("python raise SystemExit", 0), ("quit 1 + 2", 3)]
)
def test_ways_to_leave(line: str, status: int, tmp_path: Path) -> None:
    child = spawned(tmp_path, "xterm-256color", "--lane", "4")
    shown(child, "(dwarfgpu w0 l4)")
    child.send(f"{line}\r")
    ended(child)
    assert child.exitstatus == status


def test_no_color(tmp_path: Path) -> None:
    child = spawned(tmp_path, "xterm-256color", "--lane", "4", NO_COLOR="1")
    shown(child, "(dwarfgpu w0 l4)")
    child.send("ptype t\r")
    text = shown(child, "type = int")
    assert not re.search(r"\x1b\[(?:\d+;)*(?:3[1-7]|9[0-7]|38|48)(?:;\d+)*m", text)
    child.send("quit 3\r")
    ended(child)
    assert child.exitstatus == 3
