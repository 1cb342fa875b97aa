"""The operations that the expressions of one command may perform together.

The limit `steps` bounds one expression. A command that lists variables evaluates thousands, and a
file can make each of them loop: what an expression performs beyond its first `FREE_STEPS` comes
from a budget that all expressions of the command share. The library has no commands, and no such
budget.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from dwarfgpu.base.limits import FileLimits, Limits
from dwarfgpu.errors import LimitExceeded

FREE_STEPS: Final = 256
"""Operations and list entries of an expression that do not count for the command: compilers write
some dozens."""


class OperationBudget:
    """What is left for the expressions of a command at one stop of the target."""

    __slots__ = ("outer", "spent", "stop")

    def __init__(self, outer: OperationBudget | None = None) -> None:
        self.outer = outer
        """The budget of the command that runs this one."""
        self.spent = 0
        self.stop: object = None
        """The stop at which they were performed: each stop of a running kernel has its own."""

    def spend(self, steps: int, limits: Limits, stop: object) -> None:
        """Count operations; `LimitExceeded` if the command may not perform that many."""
        if stop != self.stop:
            self.spent, self.stop = 0, stop
        if self.spent + steps > limits.command_steps:
            raise LimitExceeded(
                f"more than {limits.command_steps} operations in one command, without the first "
                f"{FREE_STEPS} of each expression",
                "--max-command-steps",
            )
        self.spent += steps


class AnalysisBudget:
    """What is left of the bytes of a file's long expressions that are analyzed for one answer.

    Compilers write few expressions of more than `FREE_STEPS` bytes, and each distinct one counts
    once.
    """

    __slots__ = ("left", "most")

    def __init__(self, limits: FileLimits) -> None:
        self.most = self.left = limits.analyzed_bytes

    def spend(self, expression: bytes) -> None:
        """Count an expression before it is decoded; `LimitExceeded` if too little is left."""
        size_bytes = len(expression) - FREE_STEPS
        if size_bytes <= 0:
            return
        if size_bytes > self.left:
            raise LimitExceeded(
                f"the file has more than {self.most} bytes of long expressions to analyze, "
                f"without the first {FREE_STEPS} of each",
                "--max-analyzed-bytes",
            )
        self.left -= size_bytes


OPERATION_BUDGET: Final[ContextVar[OperationBudget | None]] = ContextVar(
    "what the expressions of the command may still perform", default=None
)
"""The budget of the current command; None outside of commands."""


class budget_of_command:
    """Give the expressions that are evaluated in the block a budget of their own.

    A generator of output that is left half-way ends after the command that began it: what is then
    current stays.
    """

    __slots__ = ("_budget",)

    def __enter__(self) -> None:
        self._budget = OperationBudget(OPERATION_BUDGET.get())
        OPERATION_BUDGET.set(self._budget)

    def __exit__(self, *error: object) -> None:
        current = OPERATION_BUDGET.get()
        while current is not None and current is not self._budget:
            current = current.outer
        if current is not None:
            OPERATION_BUDGET.set(self._budget.outer)
