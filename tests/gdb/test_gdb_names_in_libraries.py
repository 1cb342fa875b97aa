"""What names of the program mean in frames of a library: `dwarfgpu print` inside GDB against GDB's
own `print`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.gdb.debugger import Debugger
from tests.gdb.test_gdb_name_lookup import COMPARE
from tests.repl.side_by_side import build, build_with_library

LIBRARY = """\
extern "C" void leave(int);
static volatile int left;
void leave(int n) { left = n; }
"""
OTHER = """\
typedef struct inner *node;
struct inner { node up; char name[3]; } the_inner;
struct own { short a, b; } the_own;
"""
"""Another unit of the library, with a name of the program."""
CPLUSPLUS = """\
namespace ns {
struct B { virtual ~B() {} int b = 1; static int count; };
int B::count = 42;
enum class Mode { off, on = 3 };
template <class T> struct Box { T v; int n; };
typedef Box<int> IntBox;
IntBox box = {5, 6};
struct D : B { Mode m = Mode::on; } d;
}
"""
C = """\
enum color { RED, GREEN = 4, BLUE };
enum flags { ONE = 1, TWO = 2, FOUR = 4 };
typedef struct node { struct node *next; int v; enum color c; } node;
struct pack { char name[4]; double d; } pack = { "abc", 2.5 };
node first = { 0, 7, BLUE };
enum flags flags = FOUR;
"""
MAIN = 'extern "C" void leave(int); int main() { leave(1); return 0; }\n'
IN_C = """RED|BLUE|GREEN + 1|(enum color) 4|(enum flags) 5|sizeof(struct pack)|sizeof(enum color)
sizeof(node)|*(struct pack *) &pack|(node *) &first|((node *) &first)->c|flags == FOUR|nosuch
sizeof(struct nosuch)|first"""
IN_CPLUSPLUS = """ns::B::count|ns::Mode::on|(ns::Mode) 3|sizeof(ns::D)|sizeof(ns::IntBox)
sizeof(ns::Box<int>)|*(ns::IntBox *) &ns::box|(ns::Mode) 0|ns::d.m == ns::Mode::on|ns::nosuch"""
IN_LIBRARY = "sizeof(struct own)|sizeof(struct inner)|the_own|left"


def _built(folder: Path, tool: Callable[[str], str], suffix: str, text: str, debug: str) -> Path:
    """Build a program beside its library, which has debug information only with `-g`."""
    compiler = tool("g++" if suffix == "cpp" else "gcc")
    texts = {f"a.{suffix}": text + MAIN, f"lib.{suffix}": LIBRARY, "other.c": OTHER}
    for name, lines in texts.items():
        (folder / name).write_text(
            lines if name.endswith("cpp") else lines.replace('extern "C" ', "")
        )
    library = ["-fPIC", "-shared", debug, "-o", "libleave.so", f"lib.{suffix}", "other.c"]
    program = ["-g", "-o", "a", f"a.{suffix}", f"{folder}/libleave.so"]
    for words in (library, program):
        subprocess.run([compiler, "-O0", *words], cwd=folder, check=True, timeout=60)
    return folder / "a"


@pytest.mark.parametrize("debug", ["-g", "-g0"])
@pytest.mark.parametrize(("suffix", "text", "names"), [
    ("c", C, IN_C),
    ("cpp", CPLUSPLUS, IN_CPLUSPLUS),
])  # fmt: skip
def test_names_of_the_program(
    debugger: Debugger,
    tmp_path: Path,
    tool: Callable[[str], str],
    suffix: str,
    text: str,
    names: str,
    debug: str,
) -> None:
    program = _built(tmp_path, tool, suffix, text, debug)
    if debug == "-g":
        names += "|" + IN_LIBRARY
    expressions = names.replace("\n", "|").split("|")
    shown = debugger.python(
        COMPARE.format(expressions=expressions), "break leave", "run", file=program
    )
    document = json.loads(shown)
    assert len(document) == len(expressions)
    different = [item for item in document if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))


DEFINED = """\
int plain = 3;
__thread int of_thread = 4;
struct pair { int first, second; } both = {5, 6};
int initial(void) { return plain; }
"""
DECLARING = """\
extern int plain;
extern __thread int of_thread;
extern struct pair both;
int initial(void);
int main(void) { plain = 33; of_thread = 44; return initial() + *(int *) &both; }
"""


def test_variables_that_the_program_declares(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB's symbol of such a name is that of the declaration."""
    command = [tool("gcc"), "-O0", "-fPIC", "-Wl,-z,nocopyreloc"]
    program = build_with_library(tmp_path, "c", DEFINED, DECLARING, command)
    expressions = ["plain", "of_thread", "both", "both.second + plain"]
    code = COMPARE.format(expressions=expressions)
    shown = debugger.python(code, "break initial", "run", "up", file=program)
    assert json.loads(shown) == [
        [expression, value, value]
        for expression, value in zip(
            expressions, ["33", "44", "{first = 5, second = 6}", "39"], strict=True
        )
    ]


COPIED = """\
int counter = 1; const char *name = "library"; int own = 2;
int count(void) { return counter++ + own + (name != 0); }
"""
COPYING = """\
extern int counter; extern const char *name; int count(void);
int main(void) { counter = 41; name = "program"; return count(); }
"""


@pytest.mark.parametrize("options", [[], ["-gsplit-dwarf"]])
def test_variables_of_a_library_that_are_in_the_program(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str], options: list[str]
) -> None:
    """The program has copies of them, and the library's own ones are not used."""
    command = [tool("gcc"), "-O0", *options]
    program = build_with_library(tmp_path, "c", COPIED, COPYING, command)
    expressions = ["counter", "&counter", "name", "own", "&own", "counter = 7", "counter + 1"]
    code = COMPARE.format(expressions=expressions)
    document = json.loads(debugger.python(code, "break count", "run", file=program))
    assert document[0] == ["counter", "41", "41"]
    different = [item for item in document if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))


CLASSES_OF_LIBRARY = """\
namespace app {
int flags = 85; const char *name = "library"; thread_local int depth = 4;
struct B {
  virtual ~B(); virtual int run(int);
  int refs = 7; static int created; static thread_local int calls;
};
B::~B() {}
int B::created = 9;
thread_local int B::calls = 10;
int B::run(int n) { return n; }
}
"""
USING_CLASSES = """\
namespace app {
extern int flags; extern const char *name; extern thread_local int depth;
struct B {
  virtual ~B(); virtual int run(int);
  int refs = 7; static int created; static thread_local int calls;
};
}
struct D : app::B { int own = 3; int go() { return refs + run(own) + created + calls; } };
int main() { D d; app::flags++; app::depth++; return d.go() + (app::name != nullptr); }
"""


@pytest.mark.parametrize("up", [1, 2], ids=["D::go", "main"])
def test_names_of_namespaces_and_classes_of_a_library(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str], up: int
) -> None:
    """The program has copies of variables, and declares the class only, as its key function is in
    the library."""
    command = [tool("g++"), "-O0"]
    program = build_with_library(tmp_path, "cpp", CLASSES_OF_LIBRARY, USING_CLASSES, command)
    expressions = ["app::flags", "app::name", "app::depth", "app::B::created", "app::B::calls"]
    expressions += ["d", "d.refs", "d.created", "d.calls"] if up == 2 else [
        "refs", "created", "calls", "own", "this->refs", "this->created", "this->calls", "*this",
    ]  # fmt: skip
    code = COMPARE.format(expressions=expressions)
    document = json.loads(
        debugger.python(
            code,
            "break main",
            "run",
            "break app::B::run",
            "continue",
            f"up {up}",
            file=program,
        )
    )
    assert document[0] == ["app::flags", "86", "86"]
    different = [item for item in document if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))


def test_names_in_files_of_another_library(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """`'file.c'::name` is looked for in the files that the frame's one does not know, too."""
    texts = {
        "x.c": "static int level = 3; int count(void); int more(void) { return level + count(); }",
        "y.c": "static int level = 4; int count(void) { return level; }",
        "a.c": "static int level = 5; int more(void); int main(void) { return level + more(); }",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    for words in (
        ["-fPIC", "-shared", "-o", "liby.so", "y.c"],
        ["-fPIC", "-shared", "-o", "libx.so", "x.c", f"{tmp_path}/liby.so"],
        ["-o", "a", "a.c", f"{tmp_path}/libx.so"],
    ):
        subprocess.run([tool("gcc"), "-g", "-O0", *words], cwd=tmp_path, check=True, timeout=60)
    expressions = ["level", "'x.c'::level", "'y.c'::level", "'a.c'::level", "'z.c'::level"]
    code = COMPARE.format(expressions=expressions)
    document = json.loads(
        debugger.python(code, "break main", "run", "break count", "continue", file=tmp_path / "a")
    )
    assert [item[1] for item in document[:4]] == ["4", "3", "4", "5"]
    different = [item for item in document if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))


OF_NAMESPACE = """\
namespace geo {
int gv = 7;
struct S { virtual ~S(); int a; static int st; enum Color { red, green }; } sobj;
int S::st = 33; S::~S() {}
int scale(int n) { return n * gv; }
}
struct Hidden { int number; } hidden;
"""
IN_NAMESPACE = """\
namespace geo {
extern int gv; int scale(int);
struct S { virtual ~S(); int a; static int st; enum Color { red, green }; }; extern S sobj;
int run(int k) { return scale(k) + gv + S::st + sobj.a; }
}
int used() {
  using namespace geo; struct Hidden { char text[9]; } mine = {};
  return scale(2) + gv + mine.text[0];
}
int main() { return geo::run(2) + used(); }
"""


@pytest.mark.parametrize("function", ["geo::run", "used"])
def test_names_in_the_namespace_of_the_frame(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str], function: str
) -> None:
    """The library defines them, and the frame's namespace or directives lead to them."""
    command = [tool("g++"), "-O0"]
    program = build_with_library(tmp_path, "cpp", OF_NAMESPACE, IN_NAMESPACE, command)
    expressions = [
        "gv", "scale", "sobj", "S::st", "sizeof(S)", "&geo::S::a", "geo::S::st", "sizeof(geo::S)",
        "&geo::S::st", "sizeof(::Hidden)", "(geo::S *) 0", "::geo::gv", "sizeof(geo::S::Color)",
        "geo::S::green",
    ]  # fmt: skip
    code = COMPARE.format(expressions=expressions)
    document = json.loads(debugger.python(code, f"break {function}", "run", file=program))
    assert document[0] == ["gv", "7", "7"]
    different = [item for item in document if item[1] != item[2]]
    assert different == [], "\n".join(map(repr, different))


DEFINED_IN_NAMESPACE = """\
namespace M { int level = 31; struct Inc { char c[5]; } small; }
"""
USING_NAMESPACE = """\
namespace M { extern int level; struct Inc; extern struct Inc small; int own = 1; }
extern "C" int leave(int);
namespace M { int inner() { return leave(level + own); } }
int main() { return M::inner(); }
"""
IN_LANGUAGE_WITHOUT_NAMESPACES = """\
int level = 2000; struct Inc { double d[9]; } big;
int leave(int n) { return n + level + sizeof big; }
"""


def test_names_of_another_frame(
    debugger: Debugger, tmp_path: Path, tool: Callable[[str], str]
) -> None:
    """GDB looks names up by the language of its selected frame."""
    sources = {
        "lib.cpp": DEFINED_IN_NAMESPACE,
        "a.cpp": USING_NAMESPACE,
        "leave.c": IN_LANGUAGE_WITHOUT_NAMESPACES,
    }
    library = f"{tmp_path}/libown.so"
    build(tmp_path, sources, [
        [tool("g++"), "-g", "-O0", "-fPIC", "-shared", "-o", library, "lib.cpp"],
        [tool("gcc"), "-g", "-O0", "-c", "leave.c"],
        [tool("g++"), "-g", "-O0", "-o", "a", "a.cpp", "leave.o", library],
    ])  # fmt: skip
    code = """
import dwarfgpu.gdb as dg
for name in ("level", "&level", "sizeof(Inc)"):
    print(dg.frame(1).value(name).text)
print(gdb.parameter("language"), gdb.selected_frame().name())
"""
    shown = debugger.python(code, "break leave", "run", file=tmp_path / "a").splitlines()
    assert shown[0] == "31"
    assert shown[1].endswith("<M::level>")
    assert shown[2:] == ["5", "auto leave"]
