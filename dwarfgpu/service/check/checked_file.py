"""A checked file: its findings, which of them are new or concern a given name, and the exit status
of `dwarfgpu check`.
"""

from __future__ import annotations

from collections import Counter

from dwarfgpu.base.records import field, frozen
from dwarfgpu.check.file import Verdict, verify
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.errors import UsageError
from dwarfgpu.objfile.elf_file import core_without_program
from dwarfgpu.objfile.file_kinds import ET_CORE
from dwarfgpu.service.check.baseline import Baseline, new_findings
from dwarfgpu.view.json_object import JsonObject


@frozen(eq=False)
class Report:
    """The findings in one file, or why it is unreadable."""

    path: str
    verdict: Verdict | None = None
    is_new: list[bool] = field(factory=list)
    """For each finding, whether no baseline knows it."""
    error: UsageError | None = None
    compilers: tuple[JsonObject, ...] = ()
    """The compilers of its units, if they were asked for."""

    @property
    def status(self) -> int:
        """The exit status of a command that checked it alone."""
        return 2 if self.is_incomplete else int(self.is_bad)

    @property
    def is_incomplete(self) -> bool:
        """Whether it cannot be read, or is not checked to the end, or not at all."""
        return self.verdict is None or self.verdict.is_incomplete

    @property
    def is_bad(self) -> bool:
        """Whether a new finding is worse than a note."""
        findings = [] if self.verdict is None else self.verdict.findings.kept
        pairs = zip(findings, self.is_new, strict=True)
        return any(new and finding.severity != "note" for finding, new in pairs)


def checked(
    file: CodeObject,
    rules: frozenset[str] | None = None,
    baseline: Baseline | None = None,
    *,
    name: str | None = None,
    is_only: bool = True,
    with_compilers: bool = False,
    most_of_rule: int | None = None,
) -> Report:
    """Return the findings in a file.

    `rules`: those to check; None for all. `name`: of the variable or the function whose findings
    are new alone. `is_only`: the baseline may have been written for a file of another name.
    `with_compilers`: the report has the compilers, too.
    `most_of_rule`: how many findings of each rule are kept, others are counted; None for all.
    `UsageError` for a core file, and for a name that the file does not have.
    """
    path = file.file.path
    if file.file.type == ET_CORE:
        raise core_without_program(path)
    if name is not None:
        _require_named(file, name)
    verdict = verify(file, rules, most_of_rule=most_of_rule)
    findings = verdict.findings.kept
    if name is not None:
        is_new = [
            name in (finding.position.name, finding.position.function) for finding in findings
        ]
    else:
        excused = Counter[str]() if baseline is None else baseline.of(path, is_only=is_only)
        is_new = new_findings(findings, excused)
    compilers: tuple[JsonObject, ...] = ()
    if with_compilers:
        from dwarfgpu.service.check.compilers import compilers_json  # few reports have them

        compilers = tuple(compilers_json(file, verdict))
    return Report(path, verdict, is_new, compilers=compilers)


def _require_named(file: CodeObject, name: str) -> None:
    """Raise `UsageError` if neither a variable nor a function has the name."""
    # Only for a name: a check of all reads no scopes.
    from dwarfgpu.dwarf.coverage.find_variables import Wanted, find_variables
    from dwarfgpu.dwarf.scope.global_names import names_of

    units = find_variables(file.scopes, Wanted((name,), None, None))
    if not any(unit.groups for unit in units) and name not in (
        declared.simple for declared in names_of(file) if declared.kind == "function"
    ):
        raise UsageError(f'No symbol "{name}" in current context.')
