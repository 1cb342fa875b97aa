"""Imports only go down (docs/decisions/0011-layout-by-subject.md).

The rules are data (LAYERS, FRONT_ENDS, ONLY_TARGET, ANSWERED, OWNERS). Each check is a function of
a source tree, so that the last tests here can show, on small trees, that every check detects a
violation.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest

from dwarfgpu.base.records import frozen

PACKAGE = "dwarfgpu"

LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "base"),
    ("arch", "objfile", "terminal"),
    ("model", "isa"),
    ("machine",),
    ("access",),
    ("expr",),
    ("cfi",),
    ("dwarf", "conformance"),
    ("session", "check"),
    ("view",),
    ("language",),
    ("api", "printers", "__init__"),
    ("service",),
    ("batch",),
    ("options",),
    ("cli", "repl", "gdb", "pyelftools"),
    ("__main__",),
)
"""The folders of the package, lowest first. Within a layer there is an order too: no cycles."""

FRONT_ENDS = frozenset({"cli", "repl", "gdb", "pyelftools"})
"""What a person or a script talks to: each uses `service` and what is below, never another one."""

ONLY_TARGET: dict[str, tuple[str, ...]] = {
    "machine": ("access", "expr", "cfi", "check"),
}
"""Of this folder these others import `target` alone: the protocols of a stopped machine."""

ANSWERED: dict[str, dict[str, str]] = {
    "access.access_protocol": {},
    "access.location_access": {},
    "access.coalesced_reads": {},
    "access.compare_single_locations": {},
    "access.lane_group": {},
    "access.many_lanes": {},
    "cfi.*": {
        "cli/dis.py": "call frame instructions as bytes need no file",
        "cli/frames.py": "it tells the kinds of entries apart",
        "gdb/*": "its library unwinds GDB's frames",
        "repl/stack/past_main.py": "it says where the frames end",
    },
    "check.file.verify": {},
    "conformance.*": {"cli/conformance.py": "it is the command of that folder"},
    "dwarf.calls.*": {"gdb/files.py": "GDB's files are searched for calls"},
    "dwarf.coverage.compare_builds": {},
    "dwarf.coverage.find_variables.find_variables": {},
    "dwarf.index.*": {},
    "dwarf.split.*": {},
    "expr.static_check.*": {"cli/check*.py": "operations alone are checked without a file"},
    "expr.evaluate": {
        "cli/eval_operations.py": "without a program they need no session, so no service of one",
        "cli/explain.py": "it records the steps",
        "gdb/*": "its library evaluates in GDB's frames, and types what that gives",
        "pyelftools/questions.py": "attributes of entries that are not variables",
    },
    "isa.*": {},
    "machine.core.memory": {},
    "machine.core.modules": {},
    "machine.core.notes": {},
    "machine.core.gpu.*": {},
    "machine.simulated.*": {
        "cli/dispatch.py": "it makes a machine, and asks nothing of one",
    },
    "session.read_lanes": {},
    "session.read_variable.[a-z]*": {
        "gdb/differences.py": "it reads what GDB has read, in other places"
    },
    "view.lost_register": {},
    "view.location_json": {"cli/dis.py": "operands of instructions"},
    "view.printer_text": {},
    "view.frame_line": {},
    "view.type_layout": {},
    "view.type_offsets": {},
    "view.type_text": {},
    "view.value_data": {},
}
"""What `service` answers with (docs/decisions/0014): front ends ask it, but for these files."""

OWNERS: dict[str, tuple[str, ...]] = {
    "attrs": ("base/records.py",),
    "msgspec": ("base/struct_classes.py",),
    "prompt_toolkit": ("repl/*",),
    "pygments": ("service/assembly_lexer.py",),
    "gdb": ("gdb/*",),
    "capstone": ("service/code/host_code.py",),
    "zstandard": ("objfile/compression.py",),
    "matplotlib": ("view/grid_image.py",),
    "numpy": (
        "model/lane*.py",
        "access/lane_group.py",
        "access/many_lanes.py",
        "expr/evaluate_lanes.py",
        "expr/lockstep_lanes.py",
        "machine/bulk_addresses.py",
        "machine/state/bulk_state.py",
        "machine/core/gpu/lazy_memory.py",
        "machine/core/gpu/bulk_core.py",
        "machine/simulated/*",
        "view/grid*",
    ),
}
"""The only files that may import each dependency, the more special first. Anything else outside
the standard library is an undeclared dependency."""

SHARED_NAMES: dict[str, str] = {
    "__init__": "packages",
    **dict.fromkeys(
        ("dispatch", "explain", "location", "waves"),
        "a module of cli/ has the name of its command",
    ),
    "arithmetic": "operations of expr/ops, operators of the language",
    "decode": "bytes to instructions: of expressions, call frames, machines",
    "instruction": "what decode makes",
    "load": "opens a core, opens a state",
    "memory": "operations of expr/ops, bytes of a core",
    **dict.fromkeys(
        ("name_rules", "names", "number_rules", "operators"),
        "what a language has otherwise than C, in the folder of each",
    ),
    "operands": "of machine instructions, of expressions as text",
    "operation": "what an instruction does: of expressions, of machines",
    "output": "text and data: of a service, of the prompt",
    "parser": "of operations as text, of source expressions",
    "rows": "made by cfi, checked by check",
    "types": "types of DWARF, and types that one language names",
    "write": "writes a core, writes a state",
}
"""Names that modules of several folders share because they answer one question there."""

FREE = frozenset({*sys.stdlib_module_names, PACKAGE})


@frozen
class Import:
    """One imported name, at one line."""

    path: str
    """Of the importing file, relative to the package."""
    line: int
    source: str
    """The importing module, dotted."""
    target: str
    """The imported module; for one of the package, the deepest that exists."""
    name: str
    """The name that is imported: a module, or what a module defines."""
    level: int
    """Dots of a relative import."""
    when: Literal["load", "call", "typing"]

    @property
    def site(self) -> str:
        return f"{PACKAGE}/{self.path}:{self.line}"


@frozen
class Tree:
    """All Python files of a package, and what they import."""

    modules: dict[str, str]
    """Module name to path relative to the package."""
    imports: tuple[Import, ...]

    def inside(self) -> Iterator[Import]:
        """The imports of the package's own modules."""
        return (item for item in self.imports if item.target.split(".")[0] == PACKAGE)


def read_tree(root: Path) -> Tree:
    paths = {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*.py"))}
    modules = {module_name(relative): relative for relative in paths}
    imports = []
    for relative, path in paths.items():
        module = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for line, target, level, when in imported(module):
            name = deepest(target, modules)
            imports.append(Import(relative, line, module_name(relative), name, target, level, when))
    return Tree(modules, tuple(imports))


def module_name(relative: str) -> str:
    parts = [PACKAGE, *relative.removesuffix(".py").split("/")]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def deepest(target: str, modules: dict[str, str]) -> str:
    """`dwarfgpu.base.bits.signed` is dwarfgpu.base.bits; foreign names stay as they are."""
    name = target
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or target


When = Literal["load", "call", "typing"]


def imported(node: ast.AST, when: When = "load") -> Iterator[tuple[int, str, int, When]]:
    """Line, dotted name, level and time of every import below `node`, dynamic ones included."""
    match node:
        case ast.Import():
            yield from ((node.lineno, alias.name, 0, when) for alias in node.names)
        case ast.ImportFrom():
            for alias in node.names:
                name = f"{node.module}.{alias.name}" if node.module else alias.name
                # The version is a fact about the whole, which every layer may print.
                if name != f"{PACKAGE}.__version__":
                    yield node.lineno, name, node.level, when
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if ast.unparse(
            function
        ).split(".")[-1] in ("import_module", "__import__"):
            yield node.lineno, name, len(name) - len(name.lstrip(".")), when
        case ast.If(test=test, body=body, orelse=orelse) if (
            ast.unparse(test).split(".")[-1] == "TYPE_CHECKING"
        ):
            for inner in body:
                yield from imported(inner, "typing")
            for inner in orelse:
                yield from imported(inner, when)
        case _:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                when = "call"
            for child in ast.iter_child_nodes(node):
                yield from imported(child, when)


def unit(module: str) -> str:
    """The module or folder directly in the package, which is what layers are made of."""
    return [*module.split("."), "__init__"][1]


def rank(name: str) -> int | None:
    ranks = (n for n, names in enumerate(LAYERS) if any(fnmatch(name, p) for p in names))
    return next(ranks, None)


def unplaced(tree: Tree) -> Iterator[str]:
    for module, path in tree.modules.items():
        if rank(unit(module)) is None:
            yield f"{PACKAGE}/{path}:1: {unit(module)} is in no layer"
        folder = path.rpartition("/")[0]
        if folder and f"{folder}/__init__.py" not in tree.modules.values():
            yield f"{PACKAGE}/{path}:1: no __init__.py beside it"


def upward(tree: Tree) -> Iterator[str]:
    for item in tree.inside():
        low, high = rank(unit(item.source)), rank(unit(item.target))
        if low is not None and high is not None and high > low:
            yield (
                f"{item.site}: {unit(item.source)} (layer {low}) imports {item.target} "
                f"(layer {high})"
            )


def past_the_protocols(tree: Tree) -> Iterator[str]:
    for item in tree.inside():
        folder = unit(item.target)
        if (
            unit(item.source) in ONLY_TARGET.get(folder, ())
            and item.target != f"{PACKAGE}.{folder}.target"
        ):
            yield f"{item.site}: {unit(item.source)} imports {item.target}, not {folder}.target"


def front_ends(tree: Tree) -> Iterator[str]:
    for item in tree.inside():
        source, target = unit(item.source), unit(item.target)
        if source != target and {source, target} <= FRONT_ENDS:
            yield f"{item.site}: the front end {source} imports {item.target}"


def trespassers(tree: Tree) -> Iterator[str]:
    for item in tree.imports:
        owner = next((name for name in OWNERS if f"{item.target}.".startswith(f"{name}.")), None)
        if owner is not None:
            if not owned(item.path, owner):
                yield f"{item.site}: {item.target} belongs to {', '.join(OWNERS[owner])}"
        elif not item.level and item.target.split(".")[0] not in FREE:
            yield f"{item.site}: {item.target} is not a declared dependency"


def owned(path: str, dependency: str) -> bool:
    return any(fnmatch(path, pattern) for pattern in OWNERS[dependency])


def relative_imports(tree: Tree) -> Iterator[str]:
    for item in tree.imports:
        if item.level:
            yield f"{item.site}: relative import of {item.target}"


def module_cycles(tree: Tree) -> Iterator[str]:
    """Modules that need each other to be loaded. A name needed only by a type checker is none."""
    yield from cycle([(i.source, i.target, i.site) for i in tree.inside() if i.when == "load"])


def unit_cycles(tree: Tree) -> Iterator[str]:
    """Folders that import each other, directly or not: one of them is in the wrong layer."""
    yield from cycle([(unit(i.source), unit(i.target), i.site) for i in tree.inside()])


def service_cycles(tree: Tree) -> Iterator[str]:
    """Subjects of the service that import each other, directly or not."""
    yield from cycle(
        [
            (subject(i.source), subject(i.target), i.site)
            for i in tree.inside()
            if unit(i.source) == unit(i.target) == "service"
            and f"{PACKAGE}.service" not in (i.source, i.target)
        ]
    )


def subject(module: str) -> str:
    """The folder or module of a module of the service: `service.frame`."""
    return ".".join(module.split(".")[1:3])


def cycle(edges: list[tuple[str, str, str]]) -> Iterator[str]:
    sites = {(source, target): site for source, target, site in edges if source != target}
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for source, target in sites:
        sorter.add(source, target)
    try:
        sorter.prepare()
    except CycleError as error:
        # Each is imported by the next one.
        ring = error.args[1]
        for target, source in pairwise(ring):
            yield f"{sites[source, target]}: cycle: {source} imports {target}"


def answered(tree: Tree) -> Iterator[str]:
    """Front ends that compute what the service answers."""
    for item in tree.inside():
        for name in sorted(ANSWERED) if unit(item.source) in FRONT_ENDS else ():
            if asks(item, name) and not any(fnmatch(item.path, p) for p in ANSWERED[name]):
                yield f"{item.site}: {name} is for the service, which answers front ends"


def asks(item: Import, name: str) -> bool:
    """Whether an import takes a module, or a name that it defines."""
    pattern = f"{PACKAGE}.{name}"
    return fnmatch(item.target, pattern) or fnmatch(item.name, pattern)


RECURSIVE: dict[tuple[str, ...], str] = {
    ("model.location", "model.storage"): (
        "a location is in storage, and composite storage is made of locations"
    ),
    ("machine.target", "machine.topology"): (
        "a target describes its agents and waves, and those are known by the numbers of a target"
    ),
    ("dwarf.die", "dwarf.unit", "dwarf.unit_file_protocol"): (
        "a unit of a file has entries, and an entry is one of its unit"
    ),
    (
        "dwarf.types.types",
        "dwarf.types.class_parts",
        "dwarf.names.type_names",
        "dwarf.names.fortran_ada",
    ): "a class has members, which have types, and a type is named by those it is made of",
    ("repl.command", "repl.shell"): "a command is run by a shell, and a shell has its commands",
}
"""The circles that are one recursive definition in several files, and the definition."""


def circles(
    tree: Tree,
    known: tuple[tuple[str, ...], ...] = (*RECURSIVE,),
) -> Iterator[str]:
    """Modules that import each other, directly or not, also for a type checker alone.

    Such a circle shows a part that knows what it is a part of. Those of `known` may stay.
    """
    for members in every_circle(tree):
        if not any(is_within(members, patterns) for patterns in known):
            for item in sorted(tree.inside(), key=lambda item: (item.path, item.line)):
                if item.source != item.target and {item.source, item.target} <= members:
                    yield f"{item.site}: circle: {item.source} imports {item.target}"


def is_within(members: frozenset[str], patterns: tuple[str, ...]) -> bool:
    return all(
        any(fnmatch(name, f"{PACKAGE}.{pattern}") for pattern in patterns) for name in members
    )


def every_circle(tree: Tree) -> list[frozenset[str]]:
    """The largest sets of modules in which every one reaches every other one by imports."""
    reached = reachable({(item.source, item.target) for item in tree.inside()})
    result: dict[frozenset[str], None] = {}
    for name, others in reached.items():
        members = frozenset(item for item in others if name in reached.get(item, ()))
        if len(members) > 1:
            result[members] = None
    return list(result)


def reachable(edges: set[tuple[str, str]]) -> dict[str, set[str]]:
    """By module, the modules that its imports lead to."""
    direct: dict[str, set[str]] = {}
    for source, target in edges:
        if source != target:
            direct.setdefault(source, set()).add(target)
    reached: dict[str, set[str]] = {}
    for name in direct:
        pending, seen = [name], set[str]()
        while pending:
            new = direct.get(pending.pop(), set()) - seen
            seen |= new
            pending += new
        reached[name] = seen
    return reached


BY_NAME: dict[str, str] = {
    "base/npy.py": "errors of the system and of formats",
    "base/writing.py": "errors of the system and of formats",
    "cli/main.py": "a command without an answer as JSON has no schema",
    "cli/many_files.py": "streams of the process",
    "cli/where.py": "streams of the process",
    "gdb/command_text.py": "what only some versions of GDB have",
    "gdb/gdb_variable.py": "what only some versions of GDB have",
    "gdb/save_state.py": "what only some versions of GDB have",
    "machine/target.py": "which classes Python makes protocols",
    "objfile/borrowed_file.py": "objects of pyelftools",
    "pyelftools/*": "objects of pyelftools",
    "repl/open_files.py": "options that only some commands have",
    "repl/session_streams.py": "streams of the process",
    "repl/support/session_log.py": "what only some systems have",
    "terminal/streams.py": "streams of the process",
}
"""The files that ask an object of others for an attribute by its name, and whose that is."""


def hidden_protocols(root: Path) -> Iterator[str]:
    """Attributes that are asked for by name, in place of a protocol, and classes that pretend to be
    another one."""
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        text = path.read_text("utf-8")
        if re.search(r"\bgetattr\(|\bhasattr\(|\b__class__\b", text) is None:
            continue  # parsing all of them takes long
        for node in ast.walk(ast.parse(text)):
            place = f"{PACKAGE}/{relative}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.FunctionDef) and node.name == "__class__":
                yield f"{place}: a class that lies to isinstance"
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("getattr", "hasattr")
                and isinstance(node.args[1], ast.Constant)
                and not any(fnmatch(relative, pattern) for pattern in BY_NAME)
            ):
                yield f"{place}: {ast.unparse(node)} asks by name"


def test_powers_are_protocols(repository: Path) -> None:
    """`machine.target` names the powers of targets; nothing asks an object of ours by a string."""
    findings = list(hidden_protocols(repository / PACKAGE))
    assert not findings, "\n".join(findings)


def test_a_hidden_protocol_is_found(tmp_path: Path) -> None:
    text = (
        'class A:\n    @property\n    def __class__(self): ...\n\ngetattr(target, "model", None)\n'
    )
    (tmp_path / "asks.py").write_text(text, "utf-8")
    assert len(list(hidden_protocols(tmp_path))) == 2


WRITERS: dict[str, str] = {
    "base/index_cache.py": "it opens files to read them, without following symbolic links",
    "base/writing.py": "it is what writes files",
    "gdb/save_state.py": "it works alone in GDB, and writes as writing.py does",
    "repl/support/session_log.py": "a log grows while it is written",
    "repl/terminal/prompt.py": "so does the history",
    "terminal/streams.py": "/dev/null in place of a stream",
}
"""The files that may open a file for writing, and why."""
_WRITING_METHODS = frozenset({"write_text", "touch", "symlink_to", "hardlink_to"})
_WRITING_FUNCTIONS = frozenset(
    {"os.open", "os.fdopen", "os.rename", "os.replace", "os.mkfifo", "os.truncate"}
    | {"shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.move", "tempfile.mkstemp"}
    | {"np.save", "np.savez", "numpy.save", "io.open", "open_code"}
)
_NAMES_OF_WRITING = {name.rpartition(".")[2] for name in _WRITING_METHODS | _WRITING_FUNCTIONS}
_WRITING = re.compile(
    rf"\b({'|'.join(sorted(_NAMES_OF_WRITING | {'write_bytes', 'savefig', 'open'}))})\("
)


def writers(root: Path) -> Iterator[str]:
    """Calls that open a file for writing, outside of the files that may."""
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        if relative in WRITERS:
            continue
        text = path.read_text("utf-8")
        if _WRITING.search(text) is None:
            continue  # parsing all of them takes long
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and writes(node):
                yield f"{PACKAGE}/{relative}:{node.lineno}: {ast.unparse(node.func)} writes a file"


def writes(call: ast.Call) -> bool:
    function = ast.unparse(call.func)
    method = function.rpartition(".")[2]
    if function in _WRITING_FUNCTIONS or method in _WRITING_METHODS:
        return True
    if method == "write_bytes":  # pathlib's, not that of a target or a log
        return len(call.args) == 1 and not function.startswith("self.log.")
    if method == "savefig":
        return not (call.args and "drawn" in ast.unparse(call.args[0]))
    if method != "open":
        return False
    given = [
        *call.args[function == "open" :],
        *(keyword.value for keyword in call.keywords if keyword.arg == "mode"),
    ]
    texts = [item.value for item in given if isinstance(item, ast.Constant)]
    return any(
        isinstance(text, str) and set(text) <= set("rwxabt+") and set(text) & set("wxa+")
        for text in texts
    )


def test_one_module_writes_files(repository: Path) -> None:
    result = list(writers(repository / PACKAGE))
    assert not result, "\n" + "\n".join(result)
    assert all((repository / PACKAGE / writer).exists() for writer in WRITERS)


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("open('a', 'w')", True),
        ("open('a', mode='ab')", True),
        ("path.open('r+')", True),
        ("Path('a').open('xb')", True),
        ("path.write_text('a')", True),
        ("path.write_bytes(b'a')", True),
        ("os.replace(a, b)", True),
        ("np.save('a', b)", True),
        ("figure.savefig(path)", True),
        ("open('a')", False),
        ("path.open('rb')", False),
        ("open('a', 'rb')", False),
        ("access.write_bytes(location, data)", False),
        ("CodeObject.open(path)", False),
    ],
)
def test_a_writer_is_found(tmp_path: Path, line: str, is_found: bool) -> None:
    (tmp_path / "a.py").write_text(f"{line}\n")
    (tmp_path / "base").mkdir()
    (tmp_path / "base/writing.py").write_text("open('a', 'w')\n")
    assert bool(list(writers(tmp_path))) == is_found


MOVED_OR_LOCATED = frozenset({"position", "site", "context"})
"""Attributes that change later by intent: where a reader is, where an error was found."""


def half_made(path: Path) -> Iterator[str]:
    """Attributes that a function sets of an object which it has made, outside of its class."""
    text = path.read_text("utf-8")
    variables = re.findall(r"^ +(\w+) = (?:\w+\.)*[A-Z]\w*\(", text, re.MULTILINE)
    if not any(re.search(rf"\b{name}\.\w+(?:, .*)? = ", text) for name in variables):
        return
    module = ast.parse(text)
    own = {node.name for node in ast.walk(module) if isinstance(node, ast.ClassDef)}
    for function in (node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)):
        made: dict[str, str] = {}
        for node in (item for item in ast.walk(function) if isinstance(item, ast.Assign)):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=called)):
                    made[name] = ast.unparse(called).rpartition(".")[2]
        for node in (item for item in ast.walk(function) if isinstance(item, ast.Attribute)):
            if not isinstance(node.ctx, ast.Store) or node.attr in MOVED_OR_LOCATED:
                continue
            name = made.get(ast.unparse(node.value), "")
            if name[:1].isupper() and name not in own:
                yield f"{path.name}:{node.lineno}: {ast.unparse(node)} of a {name}"


def test_objects_are_whole_when_they_are_made(repository: Path) -> None:
    paths = sorted((repository / PACKAGE).rglob("*.py"))
    assert not [line for path in paths for line in half_made(path)]


def test_a_half_made_object_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("def f():\n  w = Wave(1)\n  w.pc, x = 2, 3\n  r = Reader()\n  r.position = 4\n")
    assert [*half_made(path)] == ["a.py:3: w.pc of a Wave"]


CHECKS: tuple[Callable[[Tree], Iterator[str]], ...] = (
    unplaced,
    upward,
    past_the_protocols,
    front_ends,
    answered,
    trespassers,
    relative_imports,
    module_cycles,
    unit_cycles,
    service_cycles,
    circles,
)


@pytest.fixture(scope="module")
def tree(repository: Path) -> Tree:
    return read_tree(repository / PACKAGE)


def test_modules_of_the_prompt_with_commands_are_named_commands(repository: Path) -> None:
    folders = [path.parent for path in (repository / PACKAGE / "repl").glob("*/__init__.py")]
    declaring, named = set(), set()
    for path in (path for folder in folders for path in folder.glob("*.py")):
        if re.search(r"^@command\(|\bCommand\($", path.read_text("utf-8"), re.MULTILINE):
            declaring.add(path.stem)
        if path.stem.endswith("_commands"):
            named.add(path.stem)
    assert len(declaring) > 30
    assert declaring <= named


ONE_SORT = {PACKAGE, "cli", "gdb", "ops", "pyelftools"}
"""A public interface, a module for each command, a module for each section of the AMD text."""
NO_SIBLINGS = {"print", "check", "eval"}
"""Commands, which docstrings of packages quote as well."""


def test_modules_share_a_name_only_for_a_reason(repository: Path) -> None:
    names = Counter(path.stem for path in (repository / PACKAGE).rglob("*.py"))
    assert {name for name, count in names.items() if count > 1} == {*SHARED_NAMES}


def test_docstrings_of_packages_name_siblings_that_exist(repository: Path) -> None:
    """A lower-case word in backticks is a module or folder of the package, or a name in it."""
    named = 0
    for path in sorted((repository / PACKAGE).rglob("__init__.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = (n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom))
        own = {item.asname or item.name for node in imports for item in node.names}
        for word in re.findall(r"`([a-z][a-z_0-9]*)`", ast.get_docstring(tree) or ""):
            folder = path.parent
            siblings = ((folder / f"{word}.py").exists(), (folder / word / "__init__.py").exists())
            assert any(siblings) or word in own | NO_SIBLINGS, f"{path} names `{word}`"
            named += any(siblings)
    assert named > 150


def test_docstrings_of_packages_name_the_first_module(repository: Path) -> None:
    """A package of more than three modules names some of them, but for families of one sort."""
    for path in sorted((repository / PACKAGE).rglob("__init__.py")):
        modules = [item.stem for item in path.parent.glob("*.py") if item != path]
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        named = [name for name in modules if f"`{name}`" in text]
        if path.parent.name not in ONE_SORT:
            assert len(modules) <= 3 or len(named) >= 2, path


@pytest.mark.parametrize("patterns", [*RECURSIVE], ids=" ".join)
def test_a_circle_that_may_stay_is_there(tree: Tree, patterns: tuple[str, ...]) -> None:
    """An entry that nothing needs is removed from the tables."""
    result = [members for members in every_circle(tree) if is_within(members, patterns)]
    assert result
    used = {
        pattern
        for pattern in patterns
        for members in result
        for name in members
        if fnmatch(name, f"{PACKAGE}.{pattern}")
    }
    assert used == {*patterns}


def test_an_exception_of_the_service_is_needed(tree: Tree) -> None:
    """An entry that nothing needs is removed from `ANSWERED`."""
    for name, files in ANSWERED.items():
        assert any(asks(item, name) for item in tree.inside()), name
        for pattern in files:
            assert any(asks(i, name) and fnmatch(i.path, pattern) for i in tree.inside()), name


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_architecture(tree: Tree, check: Callable[[Tree], Iterator[str]]) -> None:
    findings = list(check(tree))
    assert not findings, "\n" + "\n".join(findings)


LOADED = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*sorted({"prompt_toolkit", "pygments", "numpy"} & sys.modules.keys()))
"""


def test_below_cli_loads_neither_prompt_nor_numpy(tree: Tree, repository: Path) -> None:
    """As inside GDB's Python. The files that own one of these are left for others to load."""
    names = [
        module
        for module, path in tree.modules.items()
        if unit(module) not in ("cli", "repl", "options", "__main__")
        and not owned(path, "numpy")
        and not owned(path, "gdb")
        and not owned(path, "pygments")
    ]
    command = [sys.executable, "-c", LOADED, *names]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"errors.py": "", "cfi/__init__.py": "import dwarfgpu.errors"}, []),
        (
            {"errors.py": "import os\nfrom dwarfgpu.cfi import rule", "cfi/rule.py": ""},
            [
                "dwarfgpu/cfi/rule.py:1: no __init__.py beside it",
                "dwarfgpu/errors.py:2: errors (layer 0) imports dwarfgpu.cfi.rule (layer 6)",
            ],
        ),
        (  # also inside a function, and for the type checker alone
            {
                "errors.py": "def f():\n  import dwarfgpu.model\n",
                "base/__init__.py": "if TYPE_CHECKING:\n  from dwarfgpu import model",
                "model/__init__.py": "",
            },
            [
                "dwarfgpu/base/__init__.py:2: base (layer 0) imports dwarfgpu.model (layer 2)",
                "dwarfgpu/errors.py:2: errors (layer 0) imports dwarfgpu.model (layer 2)",
            ],
        ),
        (
            {
                "expr/__init__.py": "from dwarfgpu.machine.target import Target",
                "expr/text.py": "import dwarfgpu.machine.code_object_memory",
                "machine/__init__.py": "",
                "machine/target.py": "",
                "machine/code_object_memory.py": "",
            },
            [
                "dwarfgpu/expr/text.py:1: expr imports dwarfgpu.machine.code_object_memory, "
                "not machine.target",
            ],
        ),
        (
            {
                "cli/__init__.py": "import dwarfgpu.service",
                "repl/__init__.py": "\nimport dwarfgpu.cli",
                "service/__init__.py": "",
            },
            ["dwarfgpu/repl/__init__.py:2: the front end repl imports dwarfgpu.cli"],
        ),
        (
            {
                "cli/__init__.py": "",
                "cli/dis.py": "from dwarfgpu.view.location_json import operand_json",
                "repl/__init__.py": "from dwarfgpu.view import value_data",
                "service/__init__.py": "import dwarfgpu.view.value_data",
                "view/__init__.py": "",
                "view/location_json.py": "",
                "view/value_data.py": "",
            },
            [
                "dwarfgpu/repl/__init__.py:1: view.value_data is for the service, which answers "
                "front ends",
            ],
        ),
        (
            {
                "service/__init__.py": "",
                "service/assembly_lexer.py": "from pygments.lexer import RegexLexer",
                "arch/__init__.py": "import pygments",
            },
            [
                "dwarfgpu/arch/__init__.py:1: pygments belongs to service/assembly_lexer.py",
            ],
        ),
        (
            {
                "session/__init__.py": "import importlib as i\ni.import_module('pygments.lexers')",
                "gdb/__init__.py": "import gdb",
                "view/__init__.py": "import gdb, yaml",
                "view/grid.py": "import numpy as np",
            },
            [
                "dwarfgpu/session/__init__.py:2: pygments.lexers belongs to "
                "service/assembly_lexer.py",
                "dwarfgpu/view/__init__.py:1: gdb belongs to gdb/*",
                "dwarfgpu/view/__init__.py:1: yaml is not a declared dependency",
            ],
        ),
        (
            {
                "expr/__init__.py": "",
                "expr/text.py": "from . import codec",
                "expr/operand_codec.py": "",
            },
            ["dwarfgpu/expr/text.py:1: relative import of codec"],
        ),
        (
            {
                "model/__init__.py": "",
                "model/a.py": "from dwarfgpu.model.b import B",
                "model/b.py": "\nimport dwarfgpu.model.a",
            },
            [
                "dwarfgpu/model/a.py:1: cycle: dwarfgpu.model.a imports dwarfgpu.model.b",
                "dwarfgpu/model/b.py:2: cycle: dwarfgpu.model.b imports dwarfgpu.model.a",
                "dwarfgpu/model/a.py:1: circle: dwarfgpu.model.a imports dwarfgpu.model.b",
                "dwarfgpu/model/b.py:2: circle: dwarfgpu.model.b imports dwarfgpu.model.a",
            ],
        ),
        (  # a type checker may look back only where that is one recursive definition
            {
                "model/__init__.py": "",
                "model/location.py": "from dwarfgpu.model.storage import Register",
                "model/storage.py": "if TYPE_CHECKING:\n  import dwarfgpu.model.location",
            },
            [],
        ),
        (
            {
                "model/__init__.py": "",
                "model/a.py": "from dwarfgpu.model.b import B",
                "model/b.py": "import typing\nif typing.TYPE_CHECKING:\n  import dwarfgpu.model.a",
            },
            [
                "dwarfgpu/model/a.py:1: circle: dwarfgpu.model.a imports dwarfgpu.model.b",
                "dwarfgpu/model/b.py:3: circle: dwarfgpu.model.b imports dwarfgpu.model.a",
            ],
        ),
        (  # by way of a third one, and inside a function
            {
                "model/__init__.py": "",
                "model/a.py": "import dwarfgpu.model.b",
                "model/b.py": "import dwarfgpu.model.c",
                "model/c.py": "def f():\n  import dwarfgpu.model.a",
            },
            [
                "dwarfgpu/model/a.py:1: circle: dwarfgpu.model.a imports dwarfgpu.model.b",
                "dwarfgpu/model/b.py:1: circle: dwarfgpu.model.b imports dwarfgpu.model.c",
                "dwarfgpu/model/c.py:2: circle: dwarfgpu.model.c imports dwarfgpu.model.a",
            ],
        ),
        (  # a circle that may stay does not let another module in
            {
                "model/__init__.py": "",
                "model/location.py": "import dwarfgpu.model.storage",
                "model/other.py": "import dwarfgpu.model.location",
                "model/storage.py": "if TYPE_CHECKING:\n  import dwarfgpu.model.other",
            },
            [
                "dwarfgpu/model/location.py:1: circle: dwarfgpu.model.location imports "
                "dwarfgpu.model.storage",
                "dwarfgpu/model/other.py:1: circle: dwarfgpu.model.other imports "
                "dwarfgpu.model.location",
                "dwarfgpu/model/storage.py:2: circle: dwarfgpu.model.storage imports "
                "dwarfgpu.model.other",
            ],
        ),
        (  # two folders of a layer never import each other
            {
                "check/__init__.py": "if TYPE_CHECKING:\n  import dwarfgpu.session",
                "session/__init__.py": "from dwarfgpu.check import Finding",
            },
            [
                "dwarfgpu/check/__init__.py:2: cycle: check imports session",
                "dwarfgpu/session/__init__.py:1: cycle: session imports check",
                "dwarfgpu/check/__init__.py:2: circle: dwarfgpu.check imports dwarfgpu.session",
                "dwarfgpu/session/__init__.py:1: circle: dwarfgpu.session imports dwarfgpu.check",
            ],
        ),
        (  # two folders of the service
            {
                "service/__init__.py": "",
                "service/answer.py": "",
                "service/code/__init__.py": "",
                "service/code/text.py": "from dwarfgpu.service.frame.focus import A",
                "service/frame/__init__.py": "",
                "service/frame/focus.py": "from dwarfgpu.service.answer import Answer",
                "service/frame/line.py": "from dwarfgpu.service.code.text import B",
            },
            [
                "dwarfgpu/service/code/text.py:1: cycle: service.code imports service.frame",
                "dwarfgpu/service/frame/line.py:1: cycle: service.frame imports service.code",
            ],
        ),
        ({"helpers.py": ""}, ["dwarfgpu/helpers.py:1: helpers is in no layer"]),
        ({"__init__.py": "__version__ = '1'", "errors.py": "from dwarfgpu import __version__"}, []),
    ],
)
def test_the_checks_find(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    tree = read_tree(tmp_path)
    assert sorted(line for check in CHECKS for line in check(tree)) == sorted(expected)
