"""Write dwarfgpu/data/completion/: shell completion and the manual page, from the argument parsers.

    .venv/bin/python -m tools.gen_completion

The extra `docs` has the two libraries that this needs: shtab and argparse-manpage.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

from dwarfgpu import __version__
from dwarfgpu.cli.completion import FILES
from dwarfgpu.cli.main import COMMANDS, configure_command

FOLDER = Path(__file__).resolve().parent.parent / "dwarfgpu/data/completion"
REQUESTS = ("B", "PP", "SH", "SS", "TP")
"""The requests of roff that argparse-manpage writes; any other line is text."""
VALUED_OF_ZSH = re.compile(
    r'^( *(?:"\*?--[\w-]+|(?:"\*")?\{[\w,-]+\}"))(\[(?:[^\]\\]|\\.)*\]:)', re.MULTILINE
)
"""An option with a value in zsh's file, perhaps with several spellings: `=` says that the value may
follow it, too."""
JOINED_IN_BASH = """\
# bash makes three words of --option=VALUE and -cd=VALUE, or one if COMP_WORDBREAKS lacks the sign
_dwarfgpu() {
  local words=() current=0 index word joined=""
  for index in "${!COMP_WORDS[@]}"; do
    word="${COMP_WORDS[index]}"
    if [[ "$word" == "=" && "${words[${#words[@]}-1]}" == -* ]]; then
      (( index == COMP_CWORD )) || continue
      word=""
    elif [[ "$COMP_WORDBREAKS" != *=* && "$word" == -*=* ]]; then
      words+=("${word%%=*}")
      (( index == COMP_CWORD )) && joined="${word%%=*}="
      word="${word#*=}"
    fi
    words+=("$word")
    (( index > COMP_CWORD )) || current=$(( ${#words[@]} - 1 ))
  done
  local COMP_WORDS=("${words[@]}") COMP_CWORD=$current
  _shtab_dwarfgpu
  [[ -z "$joined" ]] || COMPREPLY=("${COMPREPLY[@]/#/$joined}")
}

"""
PATHS = {"FILE", "CORE", "PROGRAM", "STATE", "OLD", "DIR", "FOLDER"}
"""Placeholders in help for a path; positional arguments complete to files too."""


def whole_parser() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """One parser of all commands, as the libraries want it, and those of the commands by name."""
    whole = argparse.ArgumentParser(
        prog="dwarfgpu",
        description="An exact, explainable engine for DWARF on heterogeneous machines.",
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="store_true", help="print the version")
    commands = whole.add_subparsers(metavar="COMMAND")
    parsers = {}
    for name, summary in COMMANDS.items():
        parsers[name] = commands.add_parser(
            name, help=summary, description=summary, allow_abbrev=False
        )
        configure_command(name, parsers[name])
    return whole, parsers


def generated() -> dict[str, str]:
    """The text of each file, by its name."""
    import shtab
    from argparse_manpage.manpage import Manpage

    whole, parsers = whole_parser()
    for parser in parsers.values():
        for action in parser._actions:
            names = set(str(action.metavar or "").replace("[", "").split("|"))
            if action.choices is None and (not action.option_strings or names & PATHS):
                action.complete = shtab.DIRECTORY if names == {"DIR"} else shtab.FILE
    texts = {}
    for kind, name in FILES.items():
        text = manual_page(str(Manpage(whole))) if kind == "man" else shtab.complete(whole, kind)
        if kind == "bash":
            text = with_values_behind_signs(with_whole_words(text))
        if kind == "zsh":
            text = VALUED_OF_ZSH.sub(r"\1=\2", text)
        texts[name] = "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
    return texts


def main() -> None:
    os.environ["COLUMNS"] = "80"
    try:
        texts = generated()
    except ModuleNotFoundError as missing:
        sys.exit(f"{missing.name} is missing: .venv/bin/python -m pip install -e '.[docs]'")
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def with_whole_words(text: str) -> str:
    """shtab's functions split a path at its blanks and expand its patterns: they lack quotes."""
    text, changed = re.subn(r"\b(compgen -[fd] --) \$1", r'\1 "$1"', text)
    if changed != 2:
        sys.exit("shtab completes paths by other functions: try one with blanks")
    return text


def with_values_behind_signs(text: str) -> str:
    """shtab's function wants the value of an option to be the next word."""
    text, changed = re.subn(
        r"^(complete .*-F )_shtab_dwarfgpu ",
        lambda match: f"{JOINED_IN_BASH}{match[1]}_dwarfgpu ",
        text,
        flags=re.MULTILINE,
    )
    if changed != 1:
        sys.exit("shtab completes by another command: try --color=a")
    return text


def manual_page(text: str) -> str:
    """With a title line that has no date, which would change without a change of the commands."""
    _, _, rest = text.partition("\n")
    name = "dwarfgpu \\- evaluate and explain DWARF on heterogeneous machines"
    head = f'.TH DWARFGPU 1 "" "dwarfgpu {__version__}" "User Commands"\n'
    # Lines are not stretched, and a long list of values is broken behind its commas.
    rest = re.sub(r"\{[^{}\s]+\}", lambda values: values[0].replace(",", ",\\:"), rest)
    # Text that begins with a dot or an apostrophe is not a request.
    rest = re.sub(rf"^(?=['.])(?!\.(?:{'|'.join(REQUESTS)})\b)", r"\\&", rest, flags=re.MULTILINE)
    return head + ".nh\n.ad l\n" + rest.replace(".SH NAME\ndwarfgpu\n", f".SH NAME\n{name}\n", 1)


if __name__ == "__main__":
    main()
