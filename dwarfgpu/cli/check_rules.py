"""The rules of `dwarfgpu check`: `--list-rules`, `--explain`, `--only` and `--disable`."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Final

from dwarfgpu.base.suggest import followed, nearest
from dwarfgpu.check.rules import RULES, Rule
from dwarfgpu.errors import UsageError, shortened
from dwarfgpu.view.json_object import JsonObject, Plain


def configure(parser: ArgumentParser) -> None:
    """Add the options about rules to a parser."""
    rules = parser.add_argument_group("rules")
    rules.add_argument(
        "--only", metavar="RULE", action="append",
        help="report only this rule; may be repeated, or RULE,RULE",
    )  # fmt: skip
    rules.add_argument(
        "--disable", metavar="RULE", action="append",
        help="do not report this rule; may be repeated, or RULE,RULE",
    )  # fmt: skip
    rules.add_argument("--list-rules", action="store_true", help="list the rules, one per line")
    rules.add_argument(
        "--explain", metavar="RULE", help="explain what a rule finds, and how to fix it"
    )


def chosen_rules(arguments: Namespace) -> frozenset[str] | None:
    """Return the names of the selected rules; None for all rules."""
    if arguments.only is not None and arguments.disable is not None:
        raise UsageError("give --only or --disable, not both")
    if arguments.only is not None:
        return frozenset(_names(arguments.only, "--only"))
    if arguments.disable is not None:
        return frozenset(RULES) - frozenset(_names(arguments.disable, "--disable"))
    return None


def _names(values: Iterable[str], option: str) -> list[str]:
    names = [name.strip() for text in values for name in text.split(",")]
    return [_rule(name, option).name for name in names]


def _rule(name: str, option: str) -> Rule:
    if name not in RULES:
        raise UsageError(
            followed(
                f"{option}: there is no rule {name!r}{nearest(name, RULES)}",
                "see check --list-rules",
            )
        )
    return RULES[name]


def show_rules(arguments: Namespace, schema: str) -> int:
    """Print the output of `--list-rules` or `--explain`; return the exit status."""
    option = "--list-rules" if arguments.list_rules else "--explain"
    if arguments.list_rules and arguments.explain is not None:
        raise UsageError("give --list-rules or --explain RULE, not both")
    if arguments.expression:
        does = "explains a rule" if arguments.explain is not None else "lists the rules"
        raise UsageError(
            f"{option} {does} and checks nothing: leave out {shortened(arguments.expression[0])}; "
            "--only RULE checks a file for one rule"
        )
    if arguments.explain is not None:
        rules = [_rule(arguments.explain, "--explain")]
    else:
        rules = list(RULES.values())
    if arguments.json:
        records: list[Plain] = [_record(rule) for rule in rules]
        print(json.dumps({"schema": schema, "rules": records}))
    elif arguments.explain is not None:
        print("\n".join(_explanation(rules[0])))
    else:
        width = max(map(len, RULES))
        for rule in rules:
            print(f"{rule.name:<{width}}  {rule.severity:<7}  {rule.summary}")
    return 0


def _record(rule: Rule) -> JsonObject:
    # Imported late: only --explain and --json use them.
    from dwarfgpu.check.rule_details import DETAILS

    return {
        "rule": rule.name,
        "severity": rule.severity,
        "section": rule.section,
        "summary": rule.summary,
        "detail": _plain(DETAILS[rule.name]),
        "advice": rule.advice,
    }


def _explanation(rule: Rule) -> Iterable[str]:
    """Return the lines of `--explain`."""
    from dwarfgpu.check.rule_details import DETAILS

    yield f"{rule.name}: {rule.summary}"
    yield f"  severity: {_SEVERITIES[rule.severity]}"
    yield f"  section:  {rule.section}"
    yield f"  finds:    {_plain(DETAILS[rule.name])}"
    if rule.advice is not None:
        yield f"  help:     {rule.advice}"
    yield f"  off with: --disable {rule.name}"


_SEVERITIES: Final = {
    "error": "error at worst (exit status 1)",
    "warning": "warning at worst (exit status 1)",
    "note": "note (shown with --notes; never changes the exit status)",
}


def _plain(text: str) -> str:
    """Return text of the documents without its marks for code."""
    return text.replace("`", "")
