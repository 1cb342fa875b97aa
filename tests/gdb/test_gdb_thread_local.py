"""Thread-local variables of libraries of a live program, and in which order its libraries were
loaded: `dwarfgpu print` inside GDB."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger
from tests.gdb.test_gdb_name_lookup import COMPARE

FIRST = "static %s int count = 11; int first(void) { return ++count; }"
SECOND = """\
static __thread long other = 5; static __thread int count = 22;
int second(void) { return ++count + ++other; }
"""
MAIN = "int first(void), second(void); int main(void) { return first() + second(); }"

if platform.machine() != "x86_64":
    pytest.skip("the blocks of libraries are read on x86-64", allow_module_level=True)


def built(
    folder: Path, compiler: str, libraries: dict[str, Sequence[str]], main: str, *options: str
) -> Path:
    """Build a program with libraries of sources in C, which it names in their order."""
    paths = []
    for name, texts in libraries.items():
        (folder / name).mkdir()
        sources = [folder / name / f"util{number}.c" for number in range(len(texts))]
        for source, text in zip(sources, texts, strict=True):
            source.write_text(text + "\n")
        paths.append(str(folder / f"lib{name}.so"))
        words = ["-fPIC", "-shared", *options, "-o", paths[-1], *map(str, sources)]
        subprocess.run([compiler, "-g", "-O0", *words], cwd=folder, check=True, timeout=60)
    (folder / "a.c").write_text(main + "\n")
    words = ["-Wl,-z,nocopyreloc", "-fPIC", "-o", "a", "a.c", "-Wl,--no-as-needed", *paths]
    subprocess.run([compiler, "-g", "-O0", *words], cwd=folder, check=True, timeout=60)
    return folder / "a"


@pytest.mark.parametrize(
    ("storage", "options"),
    [
        ("__thread", []),
        ("", []),  # the name of a thread-local variable and of another one
        ("__thread", ["-flto"]),  # their symbols have other names
    ],
    ids=["two", "one", "lto"],
)
def test_static_variables_of_one_name(
    debugger: Debugger,
    tmp_path: Path,
    tool: Callable[[str], str],
    storage: str,
    options: list[str],
) -> None:
    texts = [FIRST % storage, SECOND]
    program = built(tmp_path, tool("gcc"), {"both": texts}, MAIN, *options)
    expressions = ["other", "&other", "other = 77", "other", "count", "&count"]
    code = COMPARE.format(expressions=expressions)
    shown = debugger.python(code, "break first", "run", "break second", "continue", file=program)
    document = json.loads(shown)
    assert document[0] == ["other", "5", "5"]
    assert document[4][2] == "22"
    # With -flto, GDB 13 takes the variable of the other file.
    different = [item for item in document[: 4 if options else 6] if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))


NO_TABLES = """
from dwarfgpu.gdb.script_objects import the_debugger
the_debugger().target.thread_blocks = lambda: None
"""
"""As with a C library whose tables are unknown, for which GDB has other functions."""


@pytest.mark.parametrize("storage", ["__thread", ""])
def test_without_tables_gdb_is_asked_for_a_name_that_is_clear(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str], storage: str
) -> None:
    texts = [FIRST % storage, SECOND]
    program = built(tmp_path, tool("gcc"), {"both": texts}, MAIN)
    expressions = ["other", "&other", "count", "&count"]
    code = NO_TABLES + COMPARE.format(expressions=expressions)
    document = json.loads(debugger.python(code, "break second", "run", file=program))
    assert document[0] == ["other", "5", "5"]
    different = [item for item in document if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))


def test_without_tables_and_clear_names_the_block_is_unknown(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    texts = [FIRST % "__thread", "static int count = 3; int second(void) { return count; }"]
    program = built(tmp_path, tool("gcc"), {"both": texts}, MAIN)
    code = NO_TABLES + COMPARE.format(expressions=["count"])
    [item] = json.loads(debugger.python(code, "break first", "run", file=program))
    assert item[1] == "11"
    assert "the dynamic linker's tables do not say where the block of a library is" in item[2]


DEPTH = """\
__thread int depth = %d;
int %s(void) {
  int *used = &depth;
  return *used;
}
"""


@pytest.mark.parametrize("own", ["", "__thread int own = 1;"], ids=["", "program"])
def test_thread_local_variables_of_one_name_and_offset(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str], own: str
) -> None:
    """The number of the module, which the dynamic linker wrote, says which one is meant."""
    names = ["first", "second", "third"]
    texts = {name: [DEPTH % (number, name)] for number, name in enumerate(names, 3)}
    main = f"{own} int first(void), second(void), third(void);\n"
    main += "int main(void) { return third() + second() + first(); }"
    program = built(tmp_path, tool("gcc"), texts, main)
    for name in names:
        code = COMPARE.format(expressions=["depth", "used == &depth", "*used = 9", "depth"])
        shown = debugger.python(code, f"break {name}", "run", "next", file=program)
        assert [item[2] for item in json.loads(shown)] == ["3", "1", "9", "9"], name


ORDER = """
from dwarfgpu.gdb.script_objects import the_debugger
print(*(item.name for item in the_debugger().session().loaded_objects()))
"""


@pytest.mark.parametrize("names", [["first", "second"], ["second", "first"]])
def test_libraries_are_in_the_order_of_the_linker(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str], names: list[str]
) -> None:
    texts = {name: [f"int {name}(void) {{ return 1; }}"] for name in names}
    program = built(tmp_path, tool("gcc"), texts, MAIN)
    shown = debugger.python(ORDER, "break main", "run", file=program).split()
    assert shown[:3] == ["a", *(f"lib{name}.so" for name in names)]
    assert shown[3].startswith("libc.")
