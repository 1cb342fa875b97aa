"""`complete` lists what GDB lists, except for the differences in docs/gdb-differences.md."""

from __future__ import annotations

import re

import pytest

from dwarfgpu.repl.command import every
from dwarfgpu.repl.command_table import COMMANDS
from tests.repl.gdb_sessions import answers_of_dwarfgpu, answers_of_gdb
from tests.repl.test_gdb_sessions import gdb_version

OPERANDS = [
    f"{command}{word}"
    for command in (
        "p ", "print ", "p/x ", "output ", "display ", "x ", "x/4x ", "ptype ", "whatis ", "list ",
        "info line ", "info scope ", "info address ", "info symbol ", "call ", "set var ",
        "frame apply all p ", "frame apply 2 -q p ", "thread apply all print ", "faas p ",
        "thread apply 1 -c p ", "pipe p ", "p 1+", "p *", "p &", "p !", "p (int)", "p sizeof(",
        "p table[", "p (", "printf \"%d\", ", "if ", "while ", "taas p ",
    )
    for word in ("w", "wo", "b", "g", "he", "n", "l", "ta", "st", "un", "ch", "d", "ha", "zz")
]  # fmt: skip
MEMBERS = [
    f"{command}{text}"
    for command in ("p ", "p/x ", "whatis ", "faas p ", "p 1+", "p &", "p *", "p (int)")
    for text in (
        "head->", "head->n", "head.w", "(*head).", "(*head).ke", "(head)->", "head[0].",
        "head[1].n", "head->next->", "head->next->next->k", "(*head->next).w", "head->zz",
    )
]  # fmt: skip
PLACES = [
    f"{command} {word}"
    for command in ("break", "tbreak")
    for word in ("w", "wo", "be", "le", "do", "crash.c:w", "crash.c:le", "crash.c:zz", "cra", "zz")
]
QUOTED = [
    "break 'do", 'break "do', "break 'zz", "tbreak 'crash.c':do", 'break "crash.c":do',
    "list 'do", "info scope 'do", "break -function do", "break -source cra",
    "break -source crash.c -function do", "break -source crash.c -li", "break -q do", "break -qual",
    "break down i", "break down thr", "break down if ta", "break down if head->ne",
    "until 'do", "advance -function le",
]  # fmt: skip
OTHERS = [
    "ptype struct n", "ptype struct z", "whatis struct no", "p 'crash.c'::g", "p 'crash.c'::l",
    "p 'crash.c'::zz", "p crash.c::gr", "p 'crash.", "x 'crash.z",
    "handle SIGS", "handle SIGUSR1 n", "handle ", "handle all nopr", "handle zz",
    "frame function wo", "info frame f", "info frame l",
    "frame f", "frame l", "frame ap", "frame apply ", "frame apply al", "frame apply l",
    "thread apply ", "thread apply all -", "thread apply all -a", "thread apply 1-2 ba",
    "frame apply all ba", "pipe info lo", "pipe ba", "help info lo", "help info sy",
    "help help", "set print pretty o", "set print pretty ", "set pagination o", "set pagination ",
    "set confirm o", "set pag", "set lists", "set backtrace past-", "set backtrace l",
    "show backtrace past-", "set style e", "set style enabled o", "show print el", "show pag",
    "info lo", "info sy", "info   lo", "i lo", "  p wo", "p   wo", "complete p wo",
    "alias zz = info lo", "print -p", "print -pretty o", "print -elements 3 -p",
    "print -pretty -- he", "backtrace -fu", "bt fu", "undis", "unti", "p/", "p $zz", "nosuch ",
    "info nosuch ", "help nosuch ", "info frame function wo", "delete d", "thread n", "thread fi",
    "define docu", "document docu", "source fixt", "file fixt", "apropos he", "advance wo",
    "with print pretty on -- p wo", "with print pret", "with print pretty o", "| p wo",
    "condition ", "condition -", "condition -f", "condition -force ", "condition 1 he",
    "condition -force 1 head->ne", "watch -", "watch -l", "rwatch -loc", "awatch -",
    "watch -location he", "watch he", "watch 1-he", "info locals -", "info args -",
    "info locals -q", "ignore x",
]  # fmt: skip
WORDS = [
    *map(chr, range(ord("a"), ord("z") + 1)), "ba", "bt", "br", "li", "in", "inf", "info", "th",
    "pr", "pt", "st", "ste", "ne", "un", "wh", "di", "do", "fr", "he", "so", "sh", "set", "tb",
    "info a", "info b", "info d", "info f", "info l", "info r", "info s", "info t", "info v",
    "set p", "set c", "set h", "set l", "set w", "set print p", "set print e", "set print m",
    "help set print e", "show conf", "show p", "show v", "show c", "help p", "help s", "help i",
]  # fmt: skip
OF_DWARFGPU = {
    "agents", "all", "check", "diff", "dispatch", "dispatches", "editing-mode", "explain", "laas",
    "lane", "lanes", "lfaas", "load", "location", "lldb", "output", "pc", "queue", "queues", "redo",
    "status", "undo", "wave", "waves", "where", "user-defined", "memory", "v", "version", "gcore",
    "vgpr-holds",
}  # fmt: skip
"""Commands, settings and classes that GDB does not have or not complete, and LLDB's names."""
NOT_OF_DWARFGPU = re.compile(
    r"(?:__vdso_|clock_get|get(?:cpu|random|timeofday)$|time$|LINUX_2)"  # of the system's page
    r"|(?:key|next|weight)$"  # members, where no object is
    r"|start$"  # only inlined
)
NAMES = {
    name
    for command in every(COMMANDS)
    if not command.is_foreign
    for name in command.names.split(", ")
}


def listed(answer: str) -> set[str]:
    return set(answer.splitlines())


def gdb_and_dwarfgpu(name: str, texts: list[str]) -> list[tuple[str, set[str], set[str]]]:
    if not gdb_version().startswith("13."):
        pytest.skip("needs GDB 13")
    commands = [f"complete {text}" for text in texts]
    answers = zip(answers_of_gdb(name, commands), answers_of_dwarfgpu(name, commands), strict=True)
    return [
        (text, listed(gdb), listed(dwarfgpu))
        for text, (gdb, dwarfgpu) in zip(texts, answers, strict=True)
    ]


def without_others(text: str, candidates: set[str]) -> set[str]:
    start = len(re.split(r"[\w$]*$", text)[0])
    return {item for item in candidates if NOT_OF_DWARFGPU.match(item[start:]) is None}


@pytest.mark.parametrize("name", ["core_O2", "core_O0"])
def test_symbols_are_gdbs(name: str) -> None:
    got = gdb_and_dwarfgpu(name, OPERANDS + PLACES + QUOTED)
    assert [(text, without_others(text, dwarfgpu)) for text, _, dwarfgpu in got] == [
        (text, without_others(text, gdb)) for text, gdb, _ in got
    ]


@pytest.mark.parametrize("name", ["core_O2", "core_O0"])
def test_members_and_words_are_gdbs(name: str) -> None:
    got = gdb_and_dwarfgpu(name, MEMBERS + OTHERS)
    assert [(text, dwarfgpu) for text, _, dwarfgpu in got] == [(text, gdb) for text, gdb, _ in got]


def test_names_of_commands_are_gdbs() -> None:
    for text, gdb, dwarfgpu in gdb_and_dwarfgpu("core_O2", WORDS):
        assert not {
            answer for answer in dwarfgpu - gdb if answer.rpartition(" ")[2] not in OF_DWARFGPU
        }, text
        assert not {answer for answer in gdb - dwarfgpu if answer.removeprefix("help ") in NAMES}, (
            text
        )
