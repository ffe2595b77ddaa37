"""The state that a captured function reads, found from the instructions that it runs.

Note [Reads]
~~~~~~~~~~~~
A replay is equivalent to a call as long as the state that the function read is unchanged. During a capture, the
instructions of the program report which globals, cells and attribute names they load (events.py, instructions.py).
Starting from the function and its arguments, `Reads` follows them to the named attributes of each object, all entries
of each container, and the defaults of each function that runs (reachable.py). Guards can compare each value, or it
breaks the capture and the message names the line of the read. Operands are not inspected: a name loaded by one
instruction applies to every object that was reached. A value is recorded before the instruction that first makes it
readable. If the function itself changes it afterwards, a guard fails at the end of the run.
"""

from __future__ import annotations

import gc
import sys
from codecs import lookup_error
from collections import deque
from functools import partial
from importlib import import_module
from importlib.util import resolve_name
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.functions import FunctionContext
from facula_errors.extend import is_library_module
from facula_storage.extend.replay import CheckKind
from facula_tensor import Tensor

from .._recording.graph_breaks import GraphBreak
from .._recording.pytrees import parts_of
from .._recording.tensor_guards import first_failing
from .._source.closures import UNSET, cells_of, content
from .attributes import own_dict
from .constant_values import CONSTANTS, is_numpy
from .frames import is_installed, is_of_program
from .guards import CONTENTS
from .identity import operands_of
from .instructions import ABSTRACT, ATTRIBUTE, CELL, GLOBAL, IDENTITY, IMPORT, LOCAL, SPECIAL, Read, reads_of
from .marked_operands import MarkedOperands
from .process_state import ENCODERS, ENCODING, error_handlers
from .reachable import Reach

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from types import FrameType

    from .._recording.recorder import Recorder
    from .._recording.signature import Signature
    from .guards import Guard


MADE = (tuple, list, dict, set, frozenset, deque, partial, MethodType)
OPAQUE = (Tensor, ModuleType, type, BuiltinFunctionType)
"""Types whose references are not followed, unless the function reached their objects."""


class Running:
    """A running code object of the program, and its reads that have not happened yet."""

    __slots__ = ("code", "compared", "pending")

    def __init__(self, code: CodeType):
        self.code, self.pending = code, dict(reads_of(code))
        self.compared = {} if is_installed(code) else operands_of(code)


class Reads(Reach):
    """The reads of one run of a function; an observer of its instructions.

    Arguments:
        recorder: the recorder of the run; values that cannot be compared break it.
        allowed: ids of functions, types and objects that are treated as constant.
    """

    def __init__(self, recorder: Recorder, allowed: Collection[int] = ()):
        collected = [id(code) for callback in gc.callbacks if (code := getattr(callback, "__code__", None)) is not None]
        super().__init__(recorder, {*allowed, *collected})  # a garbage collection may start anywhere
        self.back: BackwardReads | None = None  # reads after the function has returned
        self.incomplete = False  # True if another tracer replaced this one
        self._running: dict[tuple[int, int], Running] = {}  # by the ids of the code and its globals
        self._parents: dict[int, CodeType] = {}  # id of a nested code object -> the enclosing one
        self._searched: set[int] = set()
        decisions = recorder.decisions
        self._operands = MarkedOperands(decisions).executed if decisions is not None else _ignore
        self._argument_parts: list[tuple[Any, list[Any]]] = []  # containers among the arguments, and their parts

    def begin(self, values: Iterable[Any], signature: Signature) -> None:
        """Reach the function, its bound object, its non-tensor arguments, and the classes of all arguments.

        Arguments:
            values: these objects.
            signature: the signature of the call. Its containers and the attributes of its tensors must not change.
        """
        for value in values:
            self.reach(value, "an argument")
        self._argument_parts += [
            (container, parts_of_argument(container)) for container in (*signature.containers, *signature.tensors)
        ]

    def begin_backward(self) -> BackwardReads:
        """Start recording the reads of backward passes, which may run long after the function has returned."""
        back = self.back = BackwardReads(self)
        return back

    # ------------------------------------------------------------------------------------------------ as an observer
    def enter(self, frame: FrameType, begins: bool) -> bool:
        """Return True if the reads of a frame that starts or resumes belong to the program."""
        if self.back is not None:
            return self.back.enter(frame, begins)
        if not is_of_program(frame, self.allowed):
            return False
        code = frame.f_code
        if (key := (id(code), id(frame.f_globals))) not in self._running:
            self._running[key] = Running(code)
            for constant in code.co_consts:
                if type(constant) is CodeType:
                    self._parents[id(constant)] = code
            self.site = code, 0
            self.runs(code)
        return True

    def is_late(self) -> None:
        """Give up on this run, because other threads keep capturing."""
        self.recorder.wait("another thread is capturing at the same time")

    def executed(self, frame: FrameType, offset: int) -> None:
        """Record the reads of an instruction that is about to run."""
        if self.back is not None:
            self.back.executed(frame, offset)
            return
        self._operands(frame, offset)
        running = self._running[id(frame.f_code), id(frame.f_globals)]
        if offset in running.compared:
            self.identity.compared(running.compared[offset], frame)
        read = running.pending.pop(offset, None)
        if read is None:
            return
        if read.name == "f_locals" and not is_installed(running.code):
            self.recorder.reads_locals = True
        if self.recorder.breaks is not None:
            return
        self.site = running.code, offset
        if not read.name.isidentifier() and read.kind != IMPORT:  # a variable in code that the library compiled
            return
        if read.kind == ATTRIBUTE:
            self.add_name(read.name)
        elif read.kind == GLOBAL:
            self._load(self._global(frame, read.name), read, running)
        elif read.kind == CELL:
            self._cell(frame, read, running)
        elif read.kind == IMPORT:
            self._import(frame, read)
        elif read.kind == LOCAL:
            self._local(frame, read, running)
        elif read.kind == SPECIAL:
            for name in read.chain:
                self.add_name(name)
            if "__format__" in read.chain:
                self.compare_digits()
        elif read.kind == ABSTRACT:
            self.asks_for_abstract_classes()
        elif read.kind == IDENTITY:
            self.compares_identity = True
        else:
            self.read_all()

    # ----------------------------------------------------------------------------------------------------- variables
    def _global(self, frame: FrameType, name: str) -> Any:
        value = self.guards.item(frame.f_globals, name, f"the global variable {name!r}")
        if value is UNSET:
            value = self.guards.item(frame.f_builtins, name, f"the builtin {name!r}")
        self.recorder.globals.setdefault(name, value)
        return value

    def _load(self, value: Any, read: Read, running: Running) -> None:
        if issubclass(type(value), ModuleType):
            self._follow(value, read, running)
        elif value is not UNSET:
            self.reach(value, f"the variable {read.name!r}")

    def _cell(self, frame: FrameType, read: Read, running: Running) -> None:
        """Guard a variable of an enclosing function, or one that is shared with a nested function."""
        cells = self._cells(running.code, read.name)
        for cell in cells:
            value = self.guards.slot(cell, CONTENTS, read.name, f"the variable {read.name!r}")
            self._load(value, read, running)
        if not cells:
            self._local(frame, read, running)

    def _local(self, frame: FrameType, read: Read, running: Running) -> None:
        """Follow a local variable if it is a module that an import statement assigned."""
        value = frame.f_locals.get(read.name)
        if isinstance(value, ModuleType):
            self._follow(value, read, running)

    def _cells(self, code: CodeType, name: str) -> list[CellType]:
        """Return the cells that may contain a variable, of functions that existed before the run."""
        while name in code.co_freevars:
            functions = self.functions.get(id(code), [])
            if not functions and id(code) not in self._parents and id(code) not in self._searched:
                self._searched.add(id(code))
                for referrer in gc.get_referrers(code):
                    if type(referrer) is FunctionType and referrer.__code__ is code:
                        self.reach(referrer, f"the function {code.co_name}")
                functions = self.functions.get(id(code), [])
            if functions:
                return [cells_of(function)[name] for function in functions]
            if id(code) not in self._parents:
                break
            code = self._parents[id(code)]
        return []

    # ------------------------------------------------------------------------------------------------------- modules
    def _follow(self, module: ModuleType, read: Read, running: Running) -> None:
        """Guard the attributes that the next instructions read of a module; any other use of the module breaks the
        capture.
        """
        value: Any = module
        for name, offset in zip(read.chain, read.offsets, strict=True):
            running.pending.pop(offset, None)
            value = self._of_module(value, name)
            if value is UNSET:
                return
            if not issubclass(type(value), ModuleType):
                self.reach(value, f"{module.__name__}.{'.'.join(read.chain)}")
                return
        self.reach(value, f"the module {value.__name__}")

    def read_all_of(self, owner: Any) -> None:
        """Record that all attributes of a library object are about to be read."""
        if (own := own_dict(owner)) is not None:
            self._note(own, f"a {type(owner).__name__}", True)
            self._read_whole(self.guards.attributes[id(own)])

    def _of_module(self, module: ModuleType, name: str) -> Any:
        own = vars(module)
        words = f"{module.__name__}.{name}"
        if not is_library_module(module.__name__) and not is_numpy(module.__name__):
            self.guards.kind_of(module)
            if type(module) is not ModuleType:  # its class may define attributes
                self.reach(type(module), f"the class of {module.__name__}")
                self._attributes(module, module.__name__)
                self.add_name(name)
        if name == "__dict__":
            self.reach(module, words)
            return UNSET
        if name in own:
            return self.guards.item(own, name, words)
        if is_library_module(module.__name__) or is_numpy(module.__name__):
            self._settings_of(module, name)
            return getattr(module, name, UNSET)  # it may be imported lazily
        self.guards.item(own, name, words)
        self.reach(self.guards.item(own, "__getattr__", words), words)
        return sys.modules.get(words, UNSET)

    def _import(self, frame: FrameType, read: Read) -> None:
        """Guard an import statement inside a function."""
        name = read.name
        if read.level:
            name = resolve_name("." * read.level + name, frame.f_globals.get("__package__") or "")
        try:
            module = import_module(name)
        except ImportError:
            return
        self.guards.item(sys.modules, name, f"the module {name}")
        for link in read.chain:
            value = self._of_module(module, link)
            if value is not UNSET and not issubclass(type(value), ModuleType):
                self.reach(value, f"{name}.{link}")

    # ------------------------------------------------------------------------------------------------- end of the run
    def compare_handlers(self, arguments: Iterable[Any]) -> None:
        """Guard the error handlers of encodings, if the program may encode or decode.

        Arguments:
            arguments: the plain values among the arguments.
        """
        if self.names.isdisjoint(ENCODING) and not any(map(self.has_reached, ENCODERS)):
            return
        constants = [constant for running in self._running.values() for constant in running.code.co_consts]
        names = {constant for constant in (*constants, *arguments) if type(constant) is str} | self.guards.texts()
        for name, handler in error_handlers(names).items():
            self.guards.add(CheckKind.CALL, name, lookup_error, handler, "", f"the error handler {name!r}")
            if type(handler) is not BuiltinFunctionType:  # otherwise it is a built-in one
                self.reach(handler, f"the error handler {name!r}")

    def all_guards(self) -> list[Guard]:
        """Return the guards of the function and of backward passes."""
        return self.guards.all() + ([] if self.back is None else self.back.guards.without(self.guards))

    def identities(self) -> frozenset[int]:
        """Return the ids of all reached objects, if the function may compare them with an argument."""
        found = frozenset(self._reached) if self.compares_identity else frozenset()
        return found if self.back is None else found | self.back.identities()

    def reads_any_of(self, names: set[str]) -> bool:
        """Return True if attributes of arguments with these names may be read."""
        return super().reads_any_of(names) or (self.back is not None and self.back.reads_any_of(names))

    def changed(self) -> GraphBreak | None:
        """Return a graph break if the function has changed state that it read, else None."""
        if self.incomplete:
            return GraphBreak("another tracer replaced that of the capture", "set it outside of the function", None)
        for given, parts in self._argument_parts:
            now = parts_of_argument(given)
            if len(now) != len(parts) or any([a is not b for a, b in zip(now, parts, strict=True)]):
                return _changed(f"a {type(given).__name__} among the arguments")
        words = self.difference() or (None if self.back is None else self.back.difference())
        return None if words is None else _changed(words)

    def difference(self) -> str | None:
        """Return the description of the first state that has changed since it was read, or None."""
        for attribute in self.guards.attributes.values():
            if name := attribute.difference():
                return f"the attribute {name!r} of {attribute.words}"
        guards = [guard for guard in self.guards.all() if not getattr(guard.key, "is_of_beginning", False)]
        failing = first_failing([guard.check for guard in guards])
        return None if failing is None else guards[failing].words


class BackwardReads(Reads):
    """The reads of the program in backward passes after the function has returned.

    State may change between a call and its backward pass, which then reads the new values. These reads are therefore
    separate from those of the function: they start with the variables of the frames that the pass runs.

    Arguments:
        before: the reads of the function.
    """

    def __init__(self, before: Reads):
        super().__init__(before.recorder, before.allowed)
        self._before: Reads | None = before
        self.identity = self.guards.identity = before.identity

    def end(self) -> None:
        """Record the end of the pass."""
        self._before = None  # breaks a reference cycle

    def enter(self, frame: FrameType, begins: bool) -> bool:
        if not super().enter(frame, begins):
            return False
        if begins and self._before is not None:
            for attributes, name in self._before.methods_with(frame.f_code):
                self.guards.item(attributes.own, name, f"the attribute {name!r} of {attributes.words}")
            for name, local in frame.f_locals.items():
                self._reach_from(local, f"the variable {name!r}")
        return True

    def _reach_from(self, value: Any, words: str) -> None:
        """Reach a value if the function reached it. If the function created it, reach the values that it references."""
        todo, seen = [value], set()
        for container in todo:  # the loop appends to it
            kind = type(container)
            if id(container) in seen or kind in CONSTANTS:
                continue
            seen.add(id(container))
            if self._before is not None and self._before.has_reached(container):
                self.reach(container, words)
            elif kind is FunctionType:
                todo += [*map(content, container.__closure__ or ()), container.__defaults__, container.__kwdefaults__]
            elif kind is FunctionContext:
                todo += vars(container).values()
            elif isinstance(container, MADE) or not (
                isinstance(container, OPAQUE) or is_library_module(kind.__module__)
            ):
                todo += gc.get_referents(container)


def _ignore(frame: FrameType, offset: int) -> None:
    """Do nothing: the run has no marked sizes."""


def parts_of_argument(value: Any) -> list[Any]:
    """Return the entries of a list or dict, or the attributes of a dataclass or tensor."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, Tensor):
        return [part for pair in (value._own_attributes or {}).items() for part in pair]
    pieces = parts_of(value)
    return [] if pieces is None else list(pieces[1])


def _changed(words: str) -> GraphBreak:
    return GraphBreak(
        f"{words} is changed by the function, but would not change in replays",
        "change it outside, or keep it in a tensor that is changed in place",
        None,
    )
