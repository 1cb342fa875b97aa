"""`dwarfgpu completion`: what it prints has the commands and options of today, in every format."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from dwarfgpu import __version__
from dwarfgpu.cli.completion import FILES
from dwarfgpu.cli.main import COMMANDS
from tests.cli.command import run
from tools.gen_completion import FOLDER, REQUESTS, generated, manual_page, whole_parser

STALE = "run .venv/bin/python -m tools.gen_completion"


def printed(kind: str) -> str:
    answer = run("completion", kind)
    assert (answer.status, answer.err) == (0, "")
    return answer.out


def plain(text: str) -> str:
    """Without the fonts of roff, and the backslashes of roff and of the shells."""
    return re.sub(r"\\f[BIR]|\\", "", text)


def options() -> set[str]:
    """Those that help shows, without `--help` itself: argparse-manpage leaves it out."""
    _, parsers = whole_parser()
    return {
        name
        for parser in parsers.values()
        for action in parser._actions
        if action.help != argparse.SUPPRESS
        for name in action.option_strings
        if name.startswith("--") and name != "--help"
    }


@pytest.mark.parametrize("kind", FILES)
def test_every_command_and_option_is_there(kind: str) -> None:
    text = plain(printed(kind))
    for command in COMMANDS:
        assert re.search(rf"\b{command}\b", text), f"{command}: {STALE}"
    for option in options():
        written = f"-l {option[2:]}" if kind == "fish" else option
        assert re.search(rf"{written}(?![\w-])", text), f"{option}: {STALE}"


def test_the_manual_page_has_the_help_of_today() -> None:
    """Without the libraries that make it."""
    page = re.sub(r"\\[:&]", "", printed("man"))
    text = "".join(plain(page).split())  # a line may end behind a hyphen
    _, parsers = whole_parser()
    for command, parser in parsers.items():
        formatter = parser.formatter_class(parser.prog)
        for action in parser._actions:
            if action.help and action.help != argparse.SUPPRESS and action.dest != "help":
                words = "".join(plain(formatter._expand_help(action)).split())
                assert words in text, f"{command} {action.dest}: {STALE}"


def test_the_files_have_the_help_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it, where the libraries are installed."""
    for library in ("shtab", "argparse_manpage"):
        pytest.importorskip(library)
    monkeypatch.setenv("COLUMNS", "80")
    texts = generated()
    assert sorted(texts) == sorted(path.name for path in FOLDER.iterdir())
    for name, text in texts.items():
        assert text == (FOLDER / name).read_text("utf-8"), f"{name}: {STALE}"


def test_bash_has_the_options_of_each_command_and_no_others() -> None:
    lists = dict(
        re.findall(
            r"^_shtab_dwarfgpu_(\w+?)_option_strings=\((.*)\)$", printed("bash"), re.MULTILINE
        )
    )
    _, parsers = whole_parser()
    assert {command.replace("-", "_") for command in COMMANDS} == lists.keys()
    for command, parser in parsers.items():
        expected = [name for action in parser._actions for name in action.option_strings]
        assert sorted(lists[command.replace("-", "_")].split()) == sorted(expected), STALE


def test_the_manual_page_has_the_version() -> None:
    assert f'"dwarfgpu {__version__}"' in printed("man").splitlines()[0], STALE


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_reads_its_file(shell: str, tool: Callable[[str], str]) -> None:
    done = subprocess.run(
        [tool(shell), "-n"], input=printed(shell), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes_a_command_and_an_option() -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    script = (
        printed("bash")
        + """
complete_words() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _dwarfgpu
    echo "${COMPREPLY[@]}"
}
complete_words dwarfgpu expl
complete_words dwarfgpu where --min
complete_words dwarfgpu disas --color a
complete_words dwarfgpu disas --color = a
complete_words dwarfgpu disas --color =
complete_words dwarfgpu disas k.co --color = never --arrows = n
"""
    )
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "explain", "--min-coverage", "auto always", "auto always", "auto always never", "never",
    ], done.stderr  # fmt: skip


def test_zsh_completes_values_behind_signs() -> None:
    lines = printed("zsh").splitlines()
    valued = [
        line for line in lines if re.match(r' *"\*?--(color|arrows|core|code-object)\b', line)
    ]
    assert len(valued) > 20
    assert all(re.match(r' *"\*?--[\w-]+=\[', line) for line in valued), STALE
    valued = [line for line in lines if re.match(r' *("\*")?\{[\w,-]+\}"', line) and "]:" in line]
    assert len(valued) > 8
    assert all('}"=[' in line for line in valued), STALE


def test_zsh_offers_again_what_may_be_repeated() -> None:
    lines = printed("zsh").splitlines()
    for option in ("-ex", "-x", "-iex", "-ix", "-d"):
        assert any(line.lstrip().startswith(f'"*"{{{option},') for line in lines), STALE
    assert any(line.lstrip().startswith('"*--then=') for line in lines), STALE


def test_shells_complete_values_behind_signs(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    (tmp_path / "bash").write_text(printed("bash"))
    (tmp_path / "_dwarfgpu").write_text(printed("zsh"))
    (tmp_path / "sub").mkdir()
    bash = ["--norc", "--noprofile", "-i"]
    begun = [
        ("bash", bash, "source ./bash"),
        ("bash", bash, "source ./bash; COMP_WORDBREAKS=${COMP_WORDBREAKS//=}"),
        ("zsh", ["-f", "-i"], "fpath=($PWD $fpath); autoload -U compinit; compinit -u -d ./dump"),
    ]
    typed = {
        "disas --color=al\t --arrows=n\t": "(disas)(--color=always)(--arrows=never)",
        "debug --cd=su\t": "(debug)(--cd=sub",
        "debug -cd=su\t": "(debug)(-cd=sub",
    }
    for (name, options, start), (line, words) in product(begun, typed.items()):
        shell = shutil.which(name)
        if shell is None:
            continue
        environment = {**os.environ, "TERM": "dumb", "INPUTRC": "/dev/null", "PS1": "> "}
        child = pexpect.spawn(
            shell, options, cwd=str(tmp_path), env=environment, encoding="utf-8", timeout=200
        )
        child.sendline(f"{start}; dwarfgpu() {{ printf '(%s)' \"$@\"; exit; }}")
        child.sendline(f"dwarfgpu {line}")
        shown = child.read()
        child.close()
        assert words in shown, (name, start, line)


def test_bash_completes_below_a_folder_with_a_blank(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b/scale.co").touch()
    (tmp_path / "a b/two.co").touch()
    (tmp_path / "completion").write_text(printed("bash"))
    child = pexpect.spawn(
        bash,
        ["--norc", "--noprofile", "-i"],
        cwd=str(tmp_path),
        env={**os.environ, "TERM": "dumb", "INPUTRC": "/dev/null", "PS1": "> "},
        encoding="utf-8",
        timeout=200,
    )
    child.sendline("source ./completion; dwarfgpu() { printf '(%s)' \"$@\"; exit; }")
    child.sendline("dwarfgpu check --debug-dir a\\ \t a\\ b/s\t")
    shown = child.read()
    child.close()
    assert "(check)(--debug-dir)(a b/)(a b/scale.co)" in shown


def test_an_unknown_shell_is_a_wrong_request() -> None:
    answer = run("completion", "csh")
    assert answer.status == 2 and "invalid choice: 'csh'" in answer.error


def test_the_manual_page_has_lines_that_can_be_broken() -> None:
    """troff warns of each line that it can neither break nor stretch."""
    text = run("completion", "man").out
    assert "\n.ad l\n" in text
    values = re.findall(r"\{[^{}\s]{12,}\}", text)
    assert values and not [item for item in values if re.search(r",(?!\\:)", item)], STALE


def test_the_manual_page_has_all_lines_of_help() -> None:
    """roff takes a line that begins with a dot or an apostrophe for a request, and drops it if it
    does not know it."""
    made = manual_page(".TH x\n.SH NAME\n.debug_names; 5\n.SHx\n'quoted' text\n.TP\na .b\n")
    assert made.splitlines()[3:] == [
        ".SH NAME", "\\&.debug_names; 5", "\\&.SHx", "\\&'quoted' text", ".TP", "a .b",
    ]  # fmt: skip
    text = run("completion", "man").out
    requests = {"TH", "nh", "ad", *REQUESTS}
    assert set(re.findall(r"^[.'](\w*)", text, re.MULTILINE)) <= requests, STALE
    assert "\n\\&.debug_names" in text
