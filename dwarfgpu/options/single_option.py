"""Options that have one value, the only one that can count."""

from __future__ import annotations

from argparse import Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Final

_GIVEN: Final = "given_once"
"""The attribute of parsed arguments that has the options so far, by destination."""


class SingleAction(Action):
    """Store the value of an option or argument; another value of the same option is an error: the
    last one would count, silently."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if self.option_strings:
            once = vars(namespace).setdefault(_GIVEN, {})
            earlier = once.setdefault(self.dest, values)
            if earlier != values:
                raise ArgumentError(self, f"given twice: {earlier} and {values}")
        setattr(namespace, self.dest, values)


def forget(namespace: Namespace, names: Iterable[str]) -> None:
    """Let options be given again, by their destinations: a new dispatch begins."""
    for name in names:
        vars(namespace).get(_GIVEN, {}).pop(name, None)
