"""What names mean in the focus: variables in scope, functions, and why a name is unknown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Self

from dwarfgpu.base.kept_with import first, kept_with
from dwarfgpu.base.records import evolve
from dwarfgpu.dwarf import constants as dw
from dwarfgpu.dwarf.code_object import CodeObject
from dwarfgpu.dwarf.loaded_code import CodeObjects, as_code_objects
from dwarfgpu.dwarf.scope.declarations import Kind  # its words judge arguments
from dwarfgpu.dwarf.scope.name_lookup import NameLookup
from dwarfgpu.dwarf.scope.variable import Variable, at_inline_level
from dwarfgpu.errors import DwarfGpuError, MissingContext, UsageError
from dwarfgpu.session.focused_lane import FocusedLane

if TYPE_CHECKING:
    from dwarfgpu.dwarf.scope.by_pc import Scopes
    from dwarfgpu.dwarf.scope.meaning import Meaning
    from dwarfgpu.dwarf.unit import CompilationUnit

_WITH_OWN_NAMES: Final = frozenset({*dw.FORTRAN, *dw.ADA, dw.LANG_PASCAL83, dw.LANG_D})
"""The languages whose names of variables `has_own_names`."""


class FocusedNames(FocusedLane):
    """The names that the lane in focus sees: a base of a session."""

    __slots__ = ()

    @property
    @abstractmethod
    def code_object(self) -> CodeObject | None: ...

    @property
    @abstractmethod
    def code_objects(self) -> tuple[CodeObject, ...]: ...

    @property
    @abstractmethod
    def inline_level(self) -> int: ...

    @property
    @abstractmethod
    def source_unit(self) -> CompilationUnit | None: ...

    @property
    @abstractmethod
    def has_frames(self) -> bool: ...

    @property
    @abstractmethod
    def notes(self) -> tuple[str, ...]: ...

    @abstractmethod
    def focused(self, lane: int | None) -> Self: ...

    def loaded_objects(self) -> tuple[CodeObject, ...]:
        """Return all files of the program, in the order of the dynamic linker's list."""
        return self.code_objects

    def variables(self) -> list[Variable]:
        """Return every variable in scope at the program location, innermost first."""
        scopes, pc = self._scopes()
        return self._at_level(scopes.variables_at(pc))

    def first_variables(self) -> list[Variable]:
        """Return `variables` with only the first of the unit, where it has very many."""
        scopes, pc = self._scopes()
        return self._at_level(scopes.first_variables_at(pc))

    def _at_level(self, variables: list[Variable]) -> list[Variable]:
        """Return those of the variables at a location that the function in focus sees."""
        if not self.inline_level:
            return variables
        own = [e for e in variables if e.kind != "global" and e.inline_level == self.inline_level]
        return own + [variable for variable in variables if variable.kind == "global"]

    def why_incomplete(self) -> DwarfGpuError | None:
        """Return why `variables` lacks global variables of imported units; None if it has all."""
        scopes, pc = self._scopes()
        return scopes.why_incomplete_at(pc)

    def why_cut(self) -> DwarfGpuError | None:
        """Return why entries of the unit at the pc may be missing, if names were looked up in it:
        what another scope has may answer for them. None if it has all."""
        code_object, pc = self.code_object, self.pc
        if code_object is None or pc is None:
            return None
        try:
            unit = code_object.scopes.unit_at(pc)
        except DwarfGpuError:
            return None  # nothing was looked up in it
        return None if unit is None else unit.why_cut

    def local_variables(self) -> list[Variable]:
        """Return those of them that are in the function in focus; its unit is not read for others,
        and `is_shadowed` is not set.

        `MissingContext` if the program location is unknown or in no code object, as that of a frame
        in a file that was not opened.
        """
        scopes, pc = self._scopes()
        return at_inline_level(scopes.locals_at(pc), self.inline_level)

    def parameters(self) -> list[Variable]:
        """Return the parameters among `local_variables`."""
        scopes, pc = self._scopes()
        return at_inline_level(scopes.parameters_at(pc), self.inline_level)

    def variables_to_suggest(self) -> list[Variable]:
        """Return `first_variables`; of a large function none, because a suggestion is not worth
        reading all of them."""
        scopes, pc = self._scopes()
        return [] if scopes.is_large_at(pc) else self.first_variables()

    def _scopes(self) -> tuple[Scopes, int]:
        """Return the scopes at the program location; `MissingContext` where there are none."""
        code_object, pc = self.code_object, self.program_location
        if pc is None:
            raise MissingContext("the context has no program location")
        if code_object is None:
            from dwarfgpu.session.unknown_name import outside_code  # most have their code object

            raise MissingContext(f"no variable is in scope: {outside_code(self)}")
        return code_object.scopes, pc

    def functions(self) -> list[str]:
        """Return the functions at the program location, the innermost inlined one first."""
        code_object, pc = self.code_object, self.program_location
        if code_object is None or pc is None:
            return []
        return code_object.scopes.functions_at(pc)

    def objects_with(self, name: str) -> tuple[CodeObject, ...]:
        """Return the code objects to search for a name in the order in which they were loaded, as
        GDB and dynamic linkers do, but for those that were loaded later than the program
        (`dwarfgpu.session.search_order`); for a wave, that of the program location first, and then
        two loads of each file (`CodeObjects.searched_from`)."""
        here = self.code_object
        if len(self.code_objects) < 2:
            return self.code_objects
        if self.architecture.is_simt:
            return as_code_objects(self.code_objects).searched_from(here)
        if here is None or here is self.code_objects[0]:
            return self.code_objects
        from dwarfgpu.session.search_order import search_order  # few frames are of libraries

        return search_order(self.code_objects, here)

    def meanings(self, name: str = "") -> NameLookup:
        """Return what names denote in the focus, at least `name`.

        Without a program location, what they mean in `source_unit`, or else in the unit of the main
        function, or in the only unit.
        """
        objects = self.objects_with(name)
        infos = as_code_objects(objects).infos
        code_object, pc = self.code_object, self.pc
        if code_object is not None and pc is not None:
            scopes, with_outer = code_object.scopes, not (self.has_frames or self.inline_level)
            is_absent = self.is_absent
            location = pc if is_absent else self._lane_pc(pc)
            try:
                if is_absent:  # the lane sees only names outside of functions
                    return NameLookup(infos, scopes.unit_at(location))
                return scopes.meanings_at(location, self.inline_level, infos, with_outer=with_outer)
            except DwarfGpuError as error:  # as of a missing split file: others may have the name
                return NameLookup(infos, why_no_unit=error.with_traceback(None))
        return NameLookup(infos, self.source_unit or self._main_unit(objects))

    @property
    def unit(self) -> CompilationUnit | None:
        """The unit in which `meanings` finds names; in code without one, that of `main`, whose
        language holds there, as in GDB."""
        frame = self.focused_frame
        code_object, pc = frame.code_object, frame.pc
        has_own_pc = self.lane is not None and frame.has_lane_pc and not self.is_absent
        if has_own_pc and code_object is not None and pc is not None:
            unit = code_object.scopes.unit_at(self._lane_pc(pc))
        else:
            unit = frame.unit
        return self._main_unit(self.objects_with("")) if unit is None else unit

    @property
    def has_own_names(self) -> bool:
        """Whether the language in focus has other rules for names of variables than C: then the
        language package looks them up."""
        try:
            unit = self.unit
            return unit is not None and unit.language in _WITH_OWN_NAMES
        except DwarfGpuError:
            return False  # the search for a name reports it

    def _main_unit(self, objects: Iterable[CodeObject]) -> CompilationUnit | None:
        return as_code_objects(objects).main_unit

    def variable(self, name: str) -> Variable:
        """Return the variable of a name; `UsageError` with GDB's words if there is none."""
        variable = self.find_variable(name)
        if variable is not None:
            return variable
        message = f'No symbol "{name}" in current context.{self._why_unknown(name)}'
        raise UsageError(self.with_unsearched(message))

    def find_variable(self, name: str) -> Variable | None:
        """Return the same, or None if there is none: why may take a search of all names."""
        lookup = self.meanings(name)
        return variable_among(self, lookup.of(name), lookup, name)

    def require_entered(self, name: str) -> None:
        """Raise the reason if the lane is not in the frame, and the name means something in the
        frame."""
        if not self.is_absent or self.focused(None).meanings(name).of(name):
            _ = self.program_location

    def _why_unknown(self, name: str) -> str:
        from dwarfgpu.session.unknown_name import why_unknown  # most names are known

        return why_unknown(self, name)

    def with_unsearched(self, message: str) -> str:
        """Return a message about an unknown name, followed by why the name may exist nevertheless;
        usually the message alone."""
        searched = as_code_objects(self.code_objects).searched_from(self.code_object)
        doubtful = _doubtful(searched)
        errors = [error for code_object in doubtful for error in code_object.info.why_not_found]
        errors += _damaged_symbols(doubtful)
        if not errors:
            return message
        from dwarfgpu.session.unknown_name import not_searched  # most files are whole

        end = "." if message and not message.endswith((".", "?")) else ""
        return f"{message}{end}{not_searched(errors)}"

    def unread_notes(
        self, message: str = "", files: Sequence[CodeObject] | None = None
    ) -> list[str]:
        """Return for each file whose units or symbols were asked for why one of them cannot be
        used, the first of several; not what a message says already. `files`: by default all."""
        files = self.code_objects if files is None else files
        notes = []
        for code_object in files:  # asked after each command of the prompt
            error = code_object.info.unread
            if error is not None and str(error) not in message:
                notes.append(f"not all units can be read: {error.kind}: {error}")
        for damage in _damaged_symbols(files):
            if str(damage) not in message:
                notes.append(f"not all symbols can be read: {damage.kind}: {damage}")
        return notes + damage_of(files)

    def damage(self) -> list[str]:
        """Return what shows that answers may be wrong: frames, or what depends on a compiler."""
        return damage_of(self.code_objects)

    def did_you_mean(self, name: str, *kinds: Kind) -> str:
        """Suggest a name: a variable in scope, else an entity of these kinds outside of
        functions, of the program or the code object in focus."""
        from dwarfgpu.session.unknown_name import suggestion

        return suggestion(self, name, kinds)


def damage_of(files: Iterable[CodeObject]) -> list[str]:
    """Return what shows that answers from files may be wrong."""
    return [note for code_object in files for note in code_object.info.damage]


def _doubtful(searched: CodeObjects) -> list[CodeObject]:
    """Return those of the files in which an unknown name may be nevertheless. Thousands of waves
    may ask, each of thousands of files: those without a doubt are known."""
    certain = _certain(searched.in_load_order)
    doubtful = [
        one
        for one, info in zip(searched, searched.infos, strict=True)
        if one not in certain or info.unread is not None or info.bare_names is not None
    ]
    certain |= {one for one in doubtful if _has_all_names(one)}
    return doubtful


@kept_with(first)
def _certain(_: CodeObjects) -> set[CodeObject]:
    """Return the files that are known to have all names, but for what questions note later."""
    return set()


def _has_all_names(code_object: CodeObject) -> bool:
    """Return whether all units and symbols of a file are read, or can be."""
    own, described = code_object.file, code_object.info.object
    if not (own.has_read_symbols and described.has_read_symbols and code_object.info.is_sound):
        return False
    return not _damaged_symbols([code_object])


def _damaged_symbols(files: Sequence[CodeObject]) -> list[DwarfGpuError]:
    """Return what is wrong with the symbol tables that answers were read from."""
    damages: list[DwarfGpuError] = []
    for code_object in files:  # asked after each command, too
        own, described = code_object.file, code_object.info.object
        for file in (own,) if own is described else (own, described):
            if not file.has_read_symbols or file.is_relocatable:
                continue  # `damage` has that of relocatable objects
            if file.symbol_damage is not None:
                damages.append(file.symbol_damage)
        if own.has_read_symbols and code_object.mini_debug_damage is not None:
            damages.append(code_object.mini_debug_damage)
    return damages


def variable_among(
    session: FocusedNames, meanings: tuple[Meaning, ...], lookup: NameLookup, name: str
) -> Variable | None:
    """Return the variable that a name means, given what the rules of a language have for it in
    a lookup."""
    for meaning in meanings[:1]:
        if not isinstance(meaning, Variable):
            continue
        # `f::x` is for the language: it needs a frame of f, or a location that needs none. So
        # is the variable of an enclosing function, which hides global ones.
        is_own = meaning.kind != "global"
        remarks = tuple(lookup.remarks)
        if not ("::" in name if is_own else lookup.in_enclosing_functions(name)):
            return evolve(meaning, remarks=remarks) if remarks else meaning
    session.require_entered(name)
    return None
