"""Loaded graphs: the graphs of a file as a callable object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any
from weakref import WeakMethod

from facula_autograd.extend.modes import active_modes
from facula_cpu.extend import with_streams
from facula_errors import (
    ArgumentError,
    FaculaError,
    OperationError,
)
from facula_errors.extend import boundary
from facula_storage import Device, cpu
from facula_storage.extend.memory import launching_modules
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import current_recorder
from facula_tensor import Parameter, Tensor, is_grad_enabled
from facula_tensor.extend.declaring import no_record_ops
from facula_tensor.extend.tensors import snapshot

from .._graph.graph import Graph, numbered
from .._recording.graph_breaks import CaptureError
from .._recording.signature import Signature, shown
from .._replay.replay import MISS, Replay
from . import archive, json_values
from .batch_sizes import MAX_SIZE, at
from .call_signatures import as_data, size_of, tensors_of, words
from .devices import copied, device_of, host_parts, on
from .errors import Refusal, SaveError, refuse
from .json_values import a_list, an_int, entries, is_int, to_layout
from .loaded_tensors import LoadedTensors
from .optimizer_options import Options
from .results import with_arguments
from .sections import Section, check_versions, memory_of
from .sized_graph import Shared, SizedGraph

if TYPE_CHECKING:
    from facula_storage import Layout, Storage

    Parts = tuple[Storage, Layout, int]

launching_modules.add(__name__)

FORMAT = 2  # format 1 has no tensor-dependent control flow
# errors raised for invalid contents
CONTENT_ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
MAX_SIZES = 16  # batch sizes per file for which replays are cached
KINDS = ("parameter", "buffer", "state", "tensor", "constant", "grad")


@boundary
class Loaded(LoadedTensors):
    """A graph that `load` has read: called like the captured function, without its source.

    The graph owns copies of the function's tensors: `parameters()`, `state_dict()`, `load_state_dict()`. `options` are
    those of the optimizers' groups; their numbers can be set. Dropout and other random draws use the default generator.
    `function` is None: there is no Python code to run, so that calls without a matching graph raise an error.

    Arguments:
        data: graph.json.
        contents: the tensors of the file.
        members: its other members.
        device: the device on which it runs.
    """

    function = None

    def __init__(self, data: Any, contents: dict[str, Parts], members: dict[str, bytes], device: Device = cpu):
        found = entries(data, ("format", "operators", "tensors", "memory", "groups", "plans", "graphs"), "graph.json")
        number, operators, tensors, memory, groups, plans, graphs = found
        if not is_int(number, 1) or number > FORMAT:
            known = f"this version reads formats up to {FORMAT}"
            refuse(f"it has format {number!r:.40}, and {known}; update facula-jit to read it")
        check_versions(operators)
        self._data, self.members = data, members
        self._kinds = {}
        held = [
            (copied(storage, layout.extent, cpu, device), layout)
            for storage, layout in memory_of(a_list(memory, "memory"), contents)
        ]
        self._shared = shared = Shared(a_list(plans, "plans"), held, device)
        self._named = shared.named
        self._ready: OrderedDict[tuple[int, int], SizedGraph] = OrderedDict()
        shared.tensors += [self._tensor(tensor) for tensor in a_list(tensors, "tensors")]
        shared.options += [self._options(group) for group in a_list(groups, "groups")]
        self.options: list[Options] = shared.options
        self._graphs = [Section(graph) for graph in a_list(graphs, "graphs")]
        if not self._graphs:
            refuse("it has no graph")
        self._latest: Replay | None = None
        self._name = self._graphs[0].name
        for place, graph in enumerate(self._graphs):
            self._at(place, graph.first_size)
        self._put_grads()

    # ------------------------------------------------------------------------------------------------------- reading
    def _tensor(self, data: Any) -> Tensor:
        name, kind, memory, layout, offset, wants = entries(
            data, ("name", "kind", "memory", "layout", "offset", "requires_grad"), "a tensor"
        )
        if type(name) is not str or name in self._named or kind not in KINDS or type(wants) is not bool:
            refuse(f"a tensor {name!r:.60} is duplicated or of an unknown kind")
        storage, whole = self._shared.memory[an_int(memory, 0, len(self._shared.memory) - 1, "memory")]
        layout, offset = to_layout(layout), an_int(offset, 0, json_values.MAX_BYTES, "an offset")
        boolean = (layout.dtype.name == "bool") is not (whole.dtype.name == "bool")
        if offset + layout.extent > whole.extent or offset % json_values.alignment(layout.dtype) or boolean:
            refuse(f"tensor {name!r:.60} is outside of its memory, or of another dtype")
        tensor = new_instance(Parameter if kind == "parameter" else Tensor)
        tensor._storage, tensor._offset, tensor.node = storage, offset, None
        tensor._layout = on(layout, self._shared.device)
        if wants:
            if not (layout.dtype.is_floating_point or layout.dtype.is_complex):
                refuse(f"tensor {name!r:.60} requires a gradient, and is of {layout.dtype.name}")
            tensor.requires_grad_()
        self._named[name], self._kinds[name] = tensor, kind
        return tensor

    def _options(self, data: Any) -> Options:
        optimizer, options, fixed = entries(data, ("optimizer", "options", "fixed"), "a group of options")
        if (
            type(optimizer) is not str
            or type(options) is not dict
            or not all([type(option) is str for option in fixed])
        ):
            refuse("a group of options is malformed")
        read = {name: json_values.to_parameter(value) for name, value in options.items()}
        return Options(optimizer[:100], read, frozenset(fixed), WeakMethod(self._renew))

    def _put_grads(self) -> None:
        """Set `.grad`s to their values between calls."""
        for ready in self._ready.values():
            recording = ready.replay.recording
            for leaf, grad in (*recording.puts, *recording.needed):
                leaf._grad = grad

    def _at(self, place: int, size: int) -> SizedGraph:
        """Return a graph for a batch size."""
        key = place, size
        if key in self._ready:
            self._ready.move_to_end(key)
            return self._ready[key]
        graph = self._graphs[place]
        try:
            made = SizedGraph(
                self._shared, at(graph.data, size), at(self._shared.plans, size), at(graph.arguments, size)
            )
        except Refusal:
            raise
        except (*CONTENT_ERRORS, FaculaError) as error:
            refuse(f"its graph cannot be created: {type(error).__name__}: {error!s:.200}")
        self._ready[key] = made
        if len(self._ready) > MAX_SIZES + len(self._graphs):
            self._ready.popitem(last=False)
        return made

    def _renew(self) -> None:
        for ready in self._ready.values():
            for refill in ready.refills:
                ready.renew(*refill)

    # ------------------------------------------------------------------------------------------------------- running
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        latest = self._latest
        if latest is not None and not kwargs and not active_modes:
            result = latest.replay(args)
            if result is not MISS:
                return result
        recorder: Any = current_recorder()
        if recorder is not None:
            recorder.broken(f"the loaded graph {self._name} runs here", "call it outside of the captured function")
        return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        signature, device = Signature(args, kwargs), self._shared.device
        if not signature.supported or any([tensor.device is not device for tensor in signature.tensors]):
            where = "the CPU" if device is cpu else f"'{device}' on its default stream"
            raise OperationError(
                f"{self._name}: a loaded graph runs on tensors of {where}, outside of transforms and saved-tensor "
                "hooks; move its arguments there, or load it with another map_location"
            )
        try:
            given = as_data(signature.key)
        except SaveError:  # no file contains such arguments
            given = None
        wants, recording = [tensor["gradient"] for tensor in tensors_of(given)], is_grad_enabled()
        fitting = []
        for place, graph in enumerate(self._graphs):
            size = size_of(graph.arguments, given)
            if size is not None and size < MAX_SIZE:
                alike = [tensor["gradient"] for tensor in tensors_of(graph.arguments)] == wants
                fitting.append((alike, graph.is_differentiable is recording, -place, size))
        if not fitting:
            known = " or ".join([words(graph.arguments) for graph in self._graphs[:3]])
            others = (
                "" if any([graph.sizes for graph in self._graphs]) else ", or save it with batch=True for all batches"
            )
            raise ArgumentError(
                f"{self._name}: expected {known}; got {shown(args, kwargs)}: a graph runs only captured "
                f"signatures; call the function with this one before you save it{others}"
            )
        _, _, place, size = max(fitting)
        try:
            ready = self._at(-place, size)
        except Refusal as error:
            raise ArgumentError(f"{self._name}: it cannot run on {shown(args, kwargs)}: {error}") from None
        tensors = tuple([self._fit(tensor, k, ready) for k, tensor in enumerate(signature.tensors)])
        replay = ready.replay
        result = replay.replay(tensors)
        if result is MISS:
            self._refused(ready)
        self._latest = replay if ready.is_plain and not kwargs else None
        if ready.gives_arguments:
            result = with_arguments(replay.recording.result, result, signature.tensors)
        return result

    def _fit(self, tensor: Tensor, place: int, ready: SizedGraph) -> Tensor:
        """Return an argument in the form that the graph requires."""
        like = ready.likes[place]
        if like.node is None and tensor.node is not None:
            if ready.replay.has_backward:
                raise OperationError(
                    f"{self._name}: argument {place} requires a gradient, and the graph was captured without one; "
                    "pass its detach()"
                )
            tensor = snapshot(tensor)
        if tensor._layout != like.layout:
            if place in ready.writes_to:
                raise OperationError(
                    f"{self._name}: argument {place} is changed in place, and a copy of it would be: expected strides "
                    f"{like.layout.strides}; got {tuple(tensor.stride())}; give its contiguous() and copy the result"
                )
            tensor = snapshot(no_record_ops.contiguous(tensor)) if tensor.node is None else tensor.contiguous()
        if place in ready.writes_to and tensor._storage.version is None:
            raise OperationError(
                f"{self._name}: argument {place} is changed in place, and its memory is read-only; pass a copy"
            )
        return tensor

    def _refused(self, ready: SizedGraph) -> None:
        replay = ready.replay
        raise CaptureError(f"{self._name}: a guard of the captured graph fails; {replay.describe(replay.missed)}")

    # ------------------------------------------------------------------------------------------------------ inspection
    def graph(self, number: int = -1) -> Graph:
        """Return a graph of the file as operators; raise IndexError if the number is too large.

        A graph for all batch sizes is shown for the smallest captured size, or the latest one used.
        """
        place = numbered(range(len(self._graphs)), number, "graphs")
        used = [ready for (index, _), ready in self._ready.items() if index == place]
        return Graph(used[-1].replay.recording, self._name, words(self._graphs[place].arguments))

    def _described(self) -> tuple[dict[str, Any], dict[str, Parts]]:
        """Return the present graph.json, and the contents of memory."""
        data = dict(self._data)
        data["groups"] = [
            {**group, "options": {name: json_values.parameter(value) for name, value in options.items()}}
            for group, options in zip(data["groups"], self.options, strict=True)
        ]
        for entry in data["graphs"]:
            for place, generator in enumerate(entry["graph"]["generators"]):
                if place in self._shared.generators and generator["drawn"] is not None:
                    generator["state"] = [self._shared.generators[place]._key, self._shared.generators[place]._offset]
        names = [entry["tensor"] for entry in data["memory"]]
        data.pop("device", None)
        device = self._shared.device
        if device is not cpu:
            data["device"] = str(device)
        memory = zip(names, self._shared.memory, strict=True)
        return data, host_parts({name: (storage, layout, 0) for name, (storage, layout) in memory}, device)

    def save(self, path: archive.File, *, _extra_files: Mapping[str, bytes | str] | None = None) -> None:
        """Write it to a file again, with its present tensors and options.

        Programs for machines without Python are omitted if options have changed, since they contain the numbers.

        Arguments:
            path: the path, or a binary file that is open for writing.
            _extra_files: bytes or texts by name, in addition to those that were loaded.
        """
        extra = archive.extra_members(_extra_files)
        data, contents = self._described()
        is_same = data["groups"] == self._data["groups"]
        kept = {name: member for name, member in self.members.items() if name.startswith(archive.EXTRA)}
        others = [(name, member) for name, member in self.members.items() if name not in kept]
        programs = {name: with_streams(program, self._shared.state_of) for name, program in others}
        archive.write(path, json_values.dumps(data), contents, {**(programs if is_same else {}), **kept, **extra})

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles own separate tensors and options, like a file."""
        whole = BytesIO()
        self.save(whole)
        return _unpacked, (whole.getvalue(),)

    # ------------------------------------------------------------------------------------------------ module interface
    @property
    def forward(self) -> Loaded:
        """The graph itself."""
        return self

    @property
    def code(self) -> str:
        """The latest graph as Python code."""
        return str(self.graph())

    @property
    def training(self) -> bool | None:
        """The training mode of the modules at the capture; None without modules, or with modules in both modes."""
        found = {graph.training for graph in self._graphs}
        return found.pop() if len(found) == 1 else None

    def train(self, mode: bool = True) -> Loaded:
        """Return the graph itself, which has a fixed mode.

        Arguments:
            mode: True for training mode.

        Raises:
            OperationError: it was captured in the other mode.
        """
        if self.training not in (None, bool(mode)):
            modes = "evaluation", "training"
            raise OperationError(
                f"train: {self._name} was captured in {modes[not mode]} mode, and a graph cannot change its mode; "
                f"capture it in {modes[bool(mode)]} mode and save that"
            )
        return self

    def eval(self) -> Loaded:
        """Return the graph itself if it was captured in evaluation mode, like `train(False)`."""
        return self.train(False)

    def to(self, device: object = None, dtype: object = None, non_blocking: bool = False) -> Loaded:
        """Return the graph itself, which stays on its device and in its dtypes.

        Arguments:
            device: None or the graph's device.
            dtype: None.
            non_blocking: ignored.

        Raises:
            OperationError: for another device, and for any dtype.
        """
        for argument in (device, dtype):
            own = archive.CPU if self._shared.device is cpu else (str(self._shared.device), self._shared.device.type)
            if argument is not None and str(argument) not in own:
                where = "the CPU" if self._shared.device is cpu else f"'{self._shared.device}'"
                raise OperationError(
                    f"to: {self._name} runs on {where} in the dtypes that it was captured with; got {argument!r:.60}; "
                    "load it with map_location for another device, or convert the model, capture it and save that"
                )
        return self

    def cpu(self) -> Loaded:
        """Return the graph itself; raise OperationError if it is on another device."""
        return self.to("cpu")

    def __repr__(self) -> str:
        return f"<loaded {self._name}: {', '.join([words(graph.arguments) for graph in self._graphs])}>"


def _unpacked(whole: bytes) -> Loaded:
    """Return the graph that `Loaded.__reduce__` pickled."""
    graph, contents, members = archive.read(BytesIO(whole))
    data = json_values.loads(graph)
    return Loaded(data, contents, members, device_of(data))
