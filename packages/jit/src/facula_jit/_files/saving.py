"""`save` and `load`: graphs to and from files."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any

from facula_checkpoint import load_file, save_file
from facula_checkpoint.extend import shown
from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_storage import cpu

from .._capture import captured as _captured
from .._graph import graph as _graph
from . import archive, json_values
from .batch_sizes import alike, check_decisions, unify
from .call_signatures import as_data
from .devices import device_of, host_parts
from .errors import DeviceRefusal, GraphFileError, Refusal, SaveError
from .loaded import FORMAT, Loaded
from .plan_requests import version_of
from .program_members import captures_of_other_modes, input_names, member_name
from .writer import Writer, describe

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence

    from .._replay.replay import Replay
    from .archive import File


@boundary
def save(
    captured: _captured.Captured[Any, Any] | _graph.Graph | Loaded,
    path: File,
    *,
    batch: bool = False,
    run: bool = False,
    _extra_files: Mapping[str, bytes | str] | None = None,
) -> None:
    """Write captures to a file, which any machine can load and run without the source of the function.

    The file contains the operators and all tensors of the program that they use: parameters, buffers, optimizer state,
    `.grad`. It contains one capture of each signature: the one that ran last among those that fit the present modes
    and settings. It is a zip of a JSON graph and safetensors, without pickles or code. It is replaced atomically.

    Arguments:
        captured: a captured function with at least one capture; one of its graphs; or a result of `load`.
        path: the path, by convention with the suffix ".facula". A file that is open in binary mode, such as
            `io.BytesIO()`, is written from its position on.
        batch: write one graph for all batch sizes, the first size of the first tensor. The function must be captured
            with at least three sizes, and the sizes in its operators must follow from the batch size. Python decisions
            based on a size (`min(len(x), 8)`) stay as they were for these.
        run: also write a program of each capture for its sizes, which `facula-run` runs without Python. If modules ran
            both in training and in evaluation mode, there is a program for each mode.
        _extra_files: additional bytes or texts by name, which `load` returns. The name is PyTorch's.

    Raises:
        SaveError: there is no capture, or a part of it cannot be in a file; the message names the line.
        NotImplementedError: with `run`, an operator has no kernel in C, or a schedule steps inside the function.
        OSError: the file cannot be written.

    >>> import tempfile
    >>> from facula_jit import capture, load
    >>> from facula_tensor import ones
    >>> weight = ones(3, 2)
    >>> scaled = capture(lambda x: (x @ weight).relu())
    >>> _ = scaled(ones(1, 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(scaled, f"{folder}/scaled.facula")
    ...     again = load(f"{folder}/scaled.facula")
    >>> again(ones(1, 3))
    tensor([[3., 3.]])
    >>> list(again.state_dict())
    ['weight']
    """
    further = archive.extra_members(_extra_files)
    if isinstance(captured, Loaded):
        if run:
            raise SaveError("save: run=True requires the captured function; a loaded graph keeps the programs it has")
        captured.save(path, _extra_files=_extra_files)
        return
    if isinstance(captured, _graph.Graph):
        if captured.source is None:
            raise SaveError("save: this graph does not belong to a captured function; save a captured function")
        function, found = captured.source
    elif isinstance(captured, _captured.Captured):
        function, found = captured, captured._improved()
    else:
        raise InvalidTypeError(
            f"save: expected a captured function or its graph; got {type(captured).__name__}, which has no "
            "recorded run; save trace(it, example_inputs), or capture(it) after one call"
        )
    if not found:
        pieces = len(function._found())
        if pieces:
            raise SaveError(
                f"save: {function._name} runs split around lines that cannot be captured, and a file contains "
                "one graph; save the pieces separately: save(captured.graph(number), path) for numbers from 0 "
                f"to {pieces - 1}, "
                f"which str(captured.graph(number)) shows. {function.report()}"
            )
        raise SaveError(f"save: there is no capture yet; call it first. {function.report()}")
    if run and found[0][1].device is not cpu:
        raise SaveError(
            f"save: programs without Python run on the CPU; got a capture of {function._name} on "
            f"'{found[0][1].device}'; leave out run=True, or call it with tensors and parameters on the CPU"
        )
    others = captures_of_other_modes(function) if run and isinstance(captured, _captured.Captured) else []
    data, contents, writer = _file_of(function.function, found, batch, others)
    if run:
        from .._replay.portable_program import section  # only needed for saving

        for number, (key, replay) in enumerate([*found, *others]):
            inputs = input_names(function, as_data(key))
            further[member_name(number, replay)] = section(replay, writer.names_of(replay.recording), inputs)
    archive.write(path, json_values.dumps(data), contents, further)


def in_memory(captured: _captured.Captured[Any, Any], batch: bool) -> Loaded:
    """Return the result of saving and loading, with constants for parameters."""
    found = captured._improved()
    data, contents, _ = _file_of(captured.function, found, batch)
    for tensor in data["tensors"]:
        tensor.update(kind="constant", requires_grad=False)
    copies = BytesIO()
    save_file(contents, copies)
    copies.seek(0)
    try:
        return Loaded(json_values.loads(json_values.dumps(data)), load_file(copies), {}, found[0][1].device)
    except Refusal as error:
        raise SaveError(f"freeze: {error}") from None


@boundary
def load(path: File, map_location: object = None, _extra_files: MutableMapping[str, Any] | None = None) -> Loaded:
    """Return the graph of a file that `save` wrote. It is called like the captured function, with the same results.

    The file is validated completely before any of its contents are used, since it may be untrusted.

    Arguments:
        path: the file, or one that is open in binary mode, which is read from its position to its end.
        map_location: the device on which the graph runs, its name, or a dict from names of devices to these. None is
            the device from which it was saved.
        _extra_files: a dict with names of saved members; it receives their bytes, and no bytes for unknown names.

    Raises:
        GraphFileError: the file was not written by `save`, is damaged, or has a later version.
        RuntimeError: this machine lacks the device, or the graph cannot run there.
        OSError: the file cannot be read.
    """
    if not isinstance(map_location, Mapping):
        device_of({}, map_location)  # refused before the file is read
    graph, contents, members = archive.read(path)
    name = shown(path)
    try:
        data = json_values.loads(graph)
        loaded = Loaded(data, contents, members, device_of(data, map_location))
    except DeviceRefusal as error:
        raise OperationError(f"load: {name}: {error}; load it with map_location='cpu'") from None
    except Refusal as error:
        raise GraphFileError(name, str(error)) from None
    except (MemoryError, OverflowError, RecursionError) as error:
        raise GraphFileError(name, f"it wants more than there is: {error or type(error).__name__}") from None
    archive.fill_extra(_extra_files, members)
    return loaded


def _file_of(
    function: Any, found: list[tuple[Any, Replay]], batch: bool, others: Sequence[tuple[Any, Replay]] = ()
) -> tuple[dict[str, Any], dict[str, Any], Writer]:
    """Return graph.json, the contents of memory, and the writer; for `others`, the file contains only the tensors."""
    device = found[0][1].device
    if others_on := {replay.device for _, replay in (*found, *others)} - {device}:
        raise SaveError(
            f"save: expected captures on one device; got '{device}' and '{others_on.pop()}'; save its graphs separately"
        )
    writer = Writer(function, device)
    described = [(as_data(key), replay) for key, replay in found]
    graphs = [(arguments, describe(writer, replay, arguments)) for arguments, replay in described]
    for key, replay in others:
        describe(writer, replay, as_data(key))
    if batch:
        sized, decisions = [], {}
        for (_, replay), (_, graph) in zip(described, graphs, strict=True):
            sized.append((replay.inputs[0].layout.shape[0] if _has_batch(replay) else 0, graph))
            decisions[id(graph)] = replay.recording.recorder.decisions
        sized = alike(sorted(sized, key=lambda pair: pair[0]))
        check_decisions([(size, decisions[id(graph)]) for size, graph in sized])
        graph = unify(sized)
        entries = [{"graph": graph, "sizes": sorted([size for size, _ in sized]), "arguments": graph["arguments"]}]
    else:
        entries = [{"graph": graph, "sizes": [], "arguments": arguments} for arguments, graph in graphs]
    shared, contents = writer.data()
    plans, operators = _put_together(entries)
    decides = any([replay.recording.recorder.has_control_flow for _, replay in found])
    number = FORMAT if decides else 1  # earlier versions can read it
    data = {"format": number, "operators": operators, **shared, "plans": plans, "graphs": entries}
    if device is not cpu:
        data["device"] = str(device)
    return data, host_parts(contents, device), writer


def _has_batch(replay: Replay) -> bool:
    if not replay.inputs or not replay.inputs[0].layout.ndim:
        raise SaveError("save: batch=True requires a first argument whose first size is that of the batch")
    return True


def _put_together(entries: list[dict[str, Any]]) -> tuple[list[Any], dict[str, int]]:
    """Return the distinct plans of all launches, and the versions of their operators."""
    plans: dict[bytes, tuple[int, Any]] = {}
    operators: dict[str, int] = {}
    for entry in entries:
        for launch in entry["graph"]["launches"]:
            plan = launch["plan"]
            launch["plan"] = plans.setdefault(json_values.dumps(plan), (len(plans), plan))[0]
            operator = plan["operator"]
            for name in (
                [operator] if type(operator) is str else [operation for operation, _ in operator["instructions"]]
            ):
                operators[name] = version_of(name)
    return [plan for _, plan in plans.values()], dict(sorted(operators.items()))
