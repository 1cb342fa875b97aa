"""A kernel launch from command-line options."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dwarfgpu.arch.processors import PROCESSORS, Processor
from dwarfgpu.base import json_reader
from dwarfgpu.base.limits import FileLimits
from dwarfgpu.base.pattern import pattern
from dwarfgpu.base.readable_files import folder_of
from dwarfgpu.base.records import evolve, frozen
from dwarfgpu.base.suggest import nearest
from dwarfgpu.base.writing import content_name
from dwarfgpu.dwarf.calls.kernel_parameters import kernel_function
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.names.demangle import (
    demangled,
    demangled_function,
    demangled_name,
    shown_symbol,
)
from dwarfgpu.dwarf.names.qualified import canonical
from dwarfgpu.dwarf.scope.declarations import qualified
from dwarfgpu.errors import DwarfGpuError, LimitExceeded, UsageError
from dwarfgpu.machine.simulated.launch.add_to_state import (
    load_address_in_state,
    merged_states,
    placement_in_state,
    require_same_waves,
)
from dwarfgpu.machine.simulated.launch.address_space_layout import (
    Extent,
    extents_of_dispatch,
    extents_of_state,
    require_room,
)
from dwarfgpu.machine.simulated.launch.dispatch import (
    LOAD_ADDRESS,
    Launched,
    dispatched,
    named_buffers,
    next_placement,
    require_contents,
)
from dwarfgpu.machine.simulated.launch.dispatch_request import (
    FIRST_PLACEMENT,
    DispatchPlacement,
    Request,
)
from dwarfgpu.machine.simulated.launch.kernel_arguments import parameters
from dwarfgpu.machine.simulated.launch.save_dispatch import most_waves, saved
from dwarfgpu.machine.simulated.storage.undefined_numbers import FILL
from dwarfgpu.machine.state.load import load_state
from dwarfgpu.machine.state.loaded_state import State
from dwarfgpu.machine.state.state_document import LoadedFile
from dwarfgpu.machine.state.write import write
from dwarfgpu.machine.topology import Geometry, Position
from dwarfgpu.objfile.container import is_bundle_file
from dwarfgpu.objfile.elf_structures import ET_REL, PT_LOAD
from dwarfgpu.objfile.gpu_code import GpuCode, GpuKernel, read_gpu_code
from dwarfgpu.objfile.lost_sections import unloaded_sections
from dwarfgpu.objfile.separate_debug import is_debug_file, without_code
from dwarfgpu.options.given_files import opening, require_no_core, require_object
from dwarfgpu.options.integer_options import byte, natural
from dwarfgpu.options.kernel_argument_options import (
    argument_files,
    argument_values,
    declared_parameters,
)
from dwarfgpu.options.limit_options import file_limits_of
from dwarfgpu.service.error_text import error_line

MAX_LOADED_BYTES: Final = 1 << 26
"""Maximum size in bytes of one writable segment of a code object that is written into a state."""


GUARD_BYTES: Final = 4096
"""Between the buffers of a dispatch that runs: what goes past the end of one is in no other."""
_WORD: Final = pattern(r"(\w+)\s*(?:[<(]|$)")
"""The last word of a name, before its template arguments and parameters."""
_NUMBER: Final = pattern(r"\b[0-9]+[UL]+\b")
"""A template argument with its suffix."""


@frozen
class Prepared:
    """A dispatch of the arguments, before anything is saved or executed."""

    code_object: CodeObject
    launched: Launched
    notes: list[str]
    """What is to be known of it."""
    is_there: bool
    """Whether the machine has the code object already."""


def launch(args: Namespace, *, has_guards: bool = False) -> tuple[Launched, list[str], list[str]]:
    """Return the dispatch of the arguments, notes about it, and the saved files.

    `has_guards`: of a dispatch that may run, as in `prepare_run`.
    """
    limits = file_limits_of(args)
    before = None if args.beside is None else load_state(Path(args.beside), limits)
    placement = _with_guards(FIRST_PLACEMENT) if has_guards else _placement(args, before)
    fill = byte(args.fill, "--fill")
    if fill is not None and args.save is None:
        raise UsageError("--fill sets the memory of a saved state: give --save STATE")
    if args.save is not None:
        _require_saved_state(args, before)
    prepared = _prepared(args, limits, before, placement, is_run=False)
    launched, notes = prepared.launched, prepared.notes
    if launched.note_on_hidden is not None:
        notes.append(launched.note_on_hidden)
    written: list[str] = []
    if args.save is not None:
        code_object, is_there = prepared.code_object, prepared.is_there
        if has_guards:
            _require_shown(launched, fill)
        loaded, not_loaded = ([], []) if is_there else _loaded(code_object)
        notes += not_loaded
        written = _save(args, launched, code_object, loaded, fill, is_there=is_there)
    return launched, notes, written


def _require_shown(launched: Launched, fill: int | None) -> None:
    """Raise `LimitExceeded` for a dispatch with more waves than the prompt, which shows a state of
    them, can read."""
    count, most = len(launched.waves), most_waves(launched, fill)
    if count > most:
        raise LimitExceeded(
            f"--dispatch: {count} waves: the prompt shows at most {most} of this kernel; give "
            "a smaller --grid, or execute all of them with `run`, whose --break and --print show "
            "waves"
        )


def _require_saved_state(args: Namespace, before: State | None) -> None:
    """Raise `UsageError` if `--save` cannot write, or would replace what the dispatch reads; the
    state of `--beside` may become the one that is saved."""
    # Only here: most launches save nothing.
    from dwarfgpu.options.written_files import WrittenFile, require_written_files

    inputs = [Path(args.file), *(path for _, path in argument_files(args.arg))]
    inputs += [] if before is None else [item.path for item in before.code_objects]
    updated = () if args.beside is None else (Path(args.beside),)
    require_written_files([WrittenFile("--save", Path(args.save), updated)], [*inputs, *updated])


def prepare_run(args: Namespace) -> Prepared:
    """Prepare the dispatch of the arguments on a separate machine, with a guard around each
    buffer."""
    return _able_to_run(_prepared(args, file_limits_of(args), None, _with_guards(FIRST_PLACEMENT)))


def _able_to_run(prepared: Prepared) -> Prepared:
    require_contents(prepared.launched)
    if prepared.launched.kernarg.unknown:
        prepared.notes.append(
            f"the kernel reads {prepared.launched.request.fill:#04x} in each byte of an argument "
            "that is declared unknown: results that depend on one change with --fill"
        )
    return prepared


def _with_guards(placement: DispatchPlacement) -> DispatchPlacement:
    return evolve(placement, guard_bytes=GUARD_BYTES)


def prepare_behind(
    args: Namespace, code_object: CodeObject, placement: DispatchPlacement
) -> Prepared:
    """Prepare a dispatch of a loaded code object on a machine whose waves were resumed."""
    return _able_to_run(
        _prepared(args, file_limits_of(args), None, _with_guards(placement), code_object)
    )


def prepare_next(args: Namespace, earlier: Sequence[Prepared]) -> Prepared:
    """Return a further dispatch of the same code object on the machine of earlier ones."""
    launches = [prepared.launched for prepared in earlier]
    buffers = {name: buffer.address for name, buffer in named_buffers(launches).items()}
    placement, code_object = next_placement(launches), earlier[0].code_object
    return _able_to_run(
        _prepared(args, file_limits_of(args), None, placement, code_object, buffers)
    )


def _prepared(
    args: Namespace,
    limits: FileLimits,
    before: State | None,
    placement: DispatchPlacement,
    opened: CodeObject | None = None,
    buffers: Mapping[str, int] = MappingProxyType({}),
    *,
    is_run: bool = True,
) -> Prepared:
    load_address, is_there = _load_address(args, before)
    code_object, code, kernel = _opened_kernel(args, limits, load_address, opened)
    kernel_name = shown_symbol(kernel.name, is_mangled=args.mangled)
    unread = kernel.metadata_problem
    why = None if unread is None else f"the metadata cannot be used: {error_line(unread)}"
    if why is not None and args.arg:
        raise UsageError(f"--arg: the arguments of {kernel_name} are not known: {why}")
    if is_run:  # before questions about the arguments
        from dwarfgpu.isa.tables import isa_target  # only a run needs instructions

        isa_target(_processor(code, args.file).name)
    arguments = () if kernel.metadata is None else kernel.metadata.arguments
    declared, problems = declared_parameters(code_object, kernel)
    problems += [error_line(problem) for problem in code.problems if problem is not unread]
    values, passed = argument_values(args.arg, limits.state_bytes), parameters(arguments, declared)
    if any("." in name for name in values):
        # Few launches give members of structures.
        from dwarfgpu.options.member_arguments import with_members

        passed = with_members(passed, values, code_object, kernel)
    request = Request(
        kernel,
        _processor(code, args.file),
        code_object.load_address,
        _geometry(args),
        passed,
        values,
        natural(args.dynamic_lds, "--dynamic-lds") or 0,
        natural(args.scratch, "--scratch"),
        placement,
        FILL if (fill := byte(args.fill, "--fill")) is None else fill,
        buffers,
        limits.waves,
        kernel_name,
    )
    if before is not None and kernel.descriptor is not None:
        require_same_waves(before, request.processor.name, kernel.descriptor.wave_size)
    try:
        launched = dispatched(request)
    except UsageError as error:
        if not problems:
            raise
        raise UsageError(f"{error.message}; {problems[0]}") from None  # a name may be one of these
    if not is_there:
        _require_room(code_object, launched, before, limits)
    unloaded = unloaded_sections(code_object.file)
    reasons = filter(None, (why, None if unloaded is None else error_line(unloaded)))
    notes = [*reasons, *problems, *launched.notes]
    return Prepared(code_object, launched, notes, is_there)


def _opened_kernel(
    args: Namespace, limits: FileLimits, load_address: int, opened: CodeObject | None = None
) -> tuple[CodeObject, GpuCode, GpuKernel]:
    """Return the code object of the arguments, unless it is open already, and the kernel."""
    code_object, code = _opened_code(args, limits, load_address, opened)
    kernel = chosen_kernel(code_object, code, args.kernel, args.file)
    if code_object.file.type == ET_REL:
        raise UsageError(
            f"{args.file} is not linked: compile without -c, or link it with `ld.lld -shared`"
        )
    return code_object, code, kernel


def _opened_code(
    args: Namespace, limits: FileLimits, load_address: int, opened: CodeObject | None
) -> tuple[CodeObject, GpuCode]:
    require_no_core(args.file)
    with opening():
        code_object = opened or CodeObject.open(
            args.file, load_address, target=args.target, limits=limits
        )
        code = read_gpu_code(code_object.file)
    if is_debug_file(code_object.file):
        raise UsageError(without_code(code_object.file, args.file))
    return code_object, code


def require_sizes(args: Namespace, sizes: Mapping[str, str | None], verb: str) -> None:
    """Raise `UsageError` if a size of a dispatch is missing, and before that for a file or a kernel
    that does not exist; `Unsupported` for a file that is not for an AMD GPU."""
    missing = [option for option, size in sizes.items() if size is None]
    if not missing:
        return
    require_object(args.file)
    if args.kernel is None:
        _opened_code(args, file_limits_of(args), LOAD_ADDRESS, None)
    else:
        _opened_kernel(args, file_limits_of(args), LOAD_ADDRESS)
    needed = " and ".join(missing)
    raise UsageError(f"{args.file}: to {verb} a kernel of it, give {needed} too")


def _require_room(
    code_object: CodeObject, launched: Launched, before: State | None, limits: FileLimits
) -> None:
    """Raise `UsageError` where the code object would lie in something else."""
    extents = [*extents_of_dispatch(launched)]
    if before is not None:
        extents += extents_of_state(before)
        for earlier in before.code_objects:
            try:
                file = CodeObject.open(earlier.path, earlier.load_address, limits=limits)
                extents += _extents(file, earlier.path.name)
            except DwarfGpuError:
                continue  # it is missing: its end is unknown
    loaded = [segment.alignment for segment in code_object.file.segments if segment.type == PT_LOAD]
    own = _extents(code_object, "segment")
    require_room(code_object.load_address, max(loaded, default=1) or 1, own, extents)


def _extents(code_object: CodeObject, subject: str) -> list[Extent]:
    return [
        Extent(subject, segment.address, segment.address + segment.size_bytes)
        for segment in code_object.loaded_segments()
    ]


def _load_address(args: Namespace, before: State | None) -> tuple[int, bool]:
    """Return where the code object is loaded, and whether the state to add to has it there."""
    load_address = natural(args.load_address, "--load-address")
    if before is None:
        return LOAD_ADDRESS if load_address is None else load_address, False
    address, is_there = load_address_in_state(before, Path(args.file))
    return (address, is_there) if load_address in (None, address) else (load_address or 0, False)


def _placement(args: Namespace, before: State | None) -> DispatchPlacement:
    agent = natural(args.agent, "--agent")
    if before is None:
        if agent is not None:
            raise UsageError("--agent needs a machine; give --beside STATE")
        return FIRST_PLACEMENT
    if args.save is None:
        raise UsageError("--beside: the new state must be saved; give --save STATE")
    return placement_in_state(before, agent)


def _save(
    args: Namespace,
    launched: Launched,
    code_object: CodeObject,
    loaded: list[tuple[int, bytes]],
    fill: int | None,
    *,
    is_there: bool,
) -> list[str]:
    """Write the state, and the code object beside it if its file contains several."""
    # Most launches are not saved.
    from dwarfgpu.service.machine.code_object_files import CodeObjectFiles, code_object_files

    path, contents, address = Path(args.save), code_object.file, launched.request.load_address
    if args.target is not None or is_bundle_file(Path(args.file)):
        stem = f"{path.name.removesuffix('.json')}.{launched.request.processor.name}"
        data = contents.file_bytes(0, contents.size_bytes, "the code object")
        name = content_name(stem, data, "co")
        files = CodeObjectFiles((LoadedFile(folder_of(path) / name, address),), {name: data})
    else:
        files = code_object_files([(contents, address)], path)
    [file] = files.loaded
    outcome = files.added_to(saved(launched, path, file, loaded, fill))
    if args.beside is not None:
        state = json_reader.load(Path(args.beside))
        assert isinstance(state.value, dict)  # it was loaded
        outcome = merged_states(state.value, folder_of(args.beside), outcome, path, is_there)
    write(outcome, path)
    return [str(path), *(str(folder_of(path) / name) for name in outcome.files)]


def _geometry(args: Namespace) -> Geometry:
    grid, dimensions = _position(args.grid, "--grid")
    workgroup, remaining_fields = _position(args.workgroup, "--workgroup")
    return Geometry(grid, workgroup, max(dimensions, remaining_fields))


def _position(text: str, option: str) -> tuple[Position, int]:
    """Return three sizes, and how many of them are in the text."""
    words = text.split(",")
    numbers = [json_reader.integer_of(word) or 0 for word in words]
    for word, number in zip(words, numbers, strict=True):
        if not 0 < number < 1 << 32:
            raise UsageError(
                f"{option} {text[:40]}: {word[:40]!r} is not a size from 1 to 2^32 - 1; "
                "expected one to three, such as 64,2"
            )
    if len(numbers) > 3:
        raise UsageError(f"{option} {text[:40]}: expected one to three sizes, such as 64,2")
    x, y, z = *numbers, *[1] * (3 - len(numbers))
    return (x, y, z), len(numbers)


def chosen_kernel(code_object: CodeObject, code: GpuCode, name: str | None, file: str) -> GpuKernel:
    """Return the kernel with a name, that of its symbol or in the source; `UsageError` if there is
    none."""
    names = [kernel.name for kernel in code.kernels]
    for kernel in code.kernels:
        if name is None and len(names) == 1 or kernel.name == name or kernel.symbol == name:
            return kernel
    if not names:
        why = f": {error_line(code.problems[0])}" if code.problems else ""
        raise UsageError(f"{file} has no kernel{why}")
    if name is None:
        raise UsageError(f"{file} has several kernels; name one after it: {_listed(code.kernels)}")
    word = _WORD.search(name)
    called = {
        kernel.name: _source_names(code_object, kernel, word[1] if word else "")
        for kernel in code.kernels
    }
    folded = _folded(name)
    matching = [kernel for kernel in code.kernels if folded in map(_folded, called[kernel.name])]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise UsageError(f"{file} has several kernels {name}: {_listed(matching)}")
    hint = nearest(name, sorted({*names, *chain.from_iterable(called.values())}))
    raise UsageError(f"{file} has no kernel {name}; it has {_listed(code.kernels)}{hint}")


def _listed(kernels: Sequence[GpuKernel]) -> str:
    """Return their source names, as far as their symbols contain them."""
    names = [demangled(kernel.name) or kernel.name for kernel in kernels[:16]]
    return ", ".join([*names, "…"] if len(kernels) > 16 else names)


def _source_names(code_object: CodeObject, kernel: GpuKernel, word: str) -> set[str]:
    """Return the source names of a kernel from debugging information or its symbol: `f`, `ns::f`,
    `ns::f(int)`, `ns::f<int>`, `ns::f<int>(int)`.

    `word`: of the name that is sought; of symbols without it, only the whole name is returned.
    """
    out = {demangled(kernel.name) or ""}
    if word in kernel.name:  # libraries have thousands of kernels
        plain = demangled_name(kernel.name) or ""
        out |= {demangled_function(kernel.name) or "", plain, _without_template_arguments(plain)}
    try:
        function = kernel_function(code_object, kernel)
        if function is not None:
            names = {function.name, "::".join(qualified(function.die))}
            out |= {*names, *map(_without_template_arguments, names)}
    except DwarfGpuError:
        pass  # the other names are true, too
    return out - {""}


def _folded(name: str) -> str:
    """Return a name without blanks and suffixes of numbers: `f<16U, float>` of debug information
    equals `f<16u,float>`."""
    return _NUMBER.sub(lambda match: match[0].lower(), canonical(name))


def _without_template_arguments(name: str) -> str:
    """Return `ns::f` of `ns::f<int>`."""
    return name.partition("<")[0] if name.endswith(">") else name


def _processor(code: GpuCode, file: str) -> Processor:
    if code.target is None or code.target.processor not in PROCESSORS:
        why = f": {error_line(code.problems[0])}" if code.problems else ""
        raise UsageError(f"the processor of {file} is unknown{why}")
    return PROCESSORS[code.target.processor]


def _loaded(code_object: CodeObject) -> tuple[list[tuple[int, bytes]], list[str]]:
    """Return writable memory of the code object, as loaded, and why parts of it are unknown."""
    out: list[tuple[int, bytes]] = []
    lost_names: list[str] = []
    for segment in code_object.loaded_segments():
        if not segment.is_writable:
            continue
        if segment.size_bytes > MAX_LOADED_BYTES:
            lost_names.append(
                f"memory at {segment.address:#x} is unknown: {segment.size_bytes} bytes"
            )
            continue
        try:
            out.append((segment.address, segment.read(0, segment.size_bytes)))
        except DwarfGpuError as error:
            lost_names.append(f"memory at {segment.address:#x} is unknown: {error_line(error)}")
    return out, lost_names
