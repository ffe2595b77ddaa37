"""Collation of a list of samples: arrays are stacked, containers keep their structure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from facula_errors import FaculaError, InvalidValueError
from facula_errors.extend import trim_traceback

from .._arrays import as_numpy, is_array
from .._memory import new
from .._sample_errors import CollateError, CollateTypeError
from .._types import Batch, Collate, Convert, Index, Sample
from .containers import is_sequence, like_mapping, like_record, like_sequence, map_leaves, record_fields
from .native_tensors import Native, native_of

Types: TypeAlias = set[type]  # of the samples

TEXT, NUMERIC, MAPPING, RECORD, SEQUENCE = (
    "text",
    "a number or array",
    "a mapping",
    "a namedtuple or dataclass",
    "a sequence",
)
UNIFORM_REMEDY = "make them uniform in the dataset, or pass collate_fn"


def default_collate(batch: Sequence[object], *, convert: Convert = None) -> Batch:
    """Collate `batch`, a list of samples: the same containers, with a new first dimension of `len(batch)`.

    Numbers and arrays (anything with `__array__`, DLPack or a buffer) become new NumPy arrays: int64, float64, bool or
    complex128 for Python numbers, and the common dtype for arrays. Mappings, lists, namedtuples and dataclasses keep
    their type; a tuple becomes a list, and text becomes a list of strings. Each array is then passed to `convert`.

    Raises:
        CollateError: samples differ in shape, length or keys; the error names the samples.
        CollateTypeError: a sample contains a value of another type, or samples differ in kind.
        ValueError: `batch` is empty.

    >>> default_collate([(1, "a"), (2, "b")])
    [array([1, 2]), ['a', 'b']]
    >>> import numpy as np
    >>> default_collate([{"x": np.float32([1, 2])}, {"x": np.float32([3, 4])}])
    {'x': array([[1., 2.],
           [3., 4.]], dtype=float32)}

    Source: torch.utils.data.default_collate.
    """
    try:
        samples = list(batch)
        if not samples:
            raise InvalidValueError("default_collate: expected at least one sample; got none")
        collated = _collate(samples, "", native_of(convert))
        return collated if convert is None else convert_arrays(collated, convert)
    except FaculaError as error:
        trim_traceback(error)
        raise


def default_convert(data: object, *, convert: Convert = None) -> Batch:
    """Convert each array in `data` to NumPy and apply `convert`, without a new dimension and without copying memory.

    Numbers, text and other values stay as they are. A tuple becomes a list.

    >>> import numpy as np
    >>> default_convert({"x": np.float32(1), "name": "one"})
    {'x': array(1., dtype=float32), 'name': 'one'}

    Source: torch.utils.data.default_convert.
    """

    try:
        native = native_of(convert)

        def leaf(value: object) -> Batch:
            if not is_array(value) or (native is not None and isinstance(value, native.kind)):
                return value
            array = as_numpy(value)
            return array if convert is None else convert(array)

        return map_leaves(data, leaf)
    except FaculaError as error:
        trim_traceback(error)
        raise


def convert_arrays(batch: object, convert: Callable[[np.ndarray], object]) -> Batch:
    """Replace each NumPy array in `batch` by `convert(array)`."""
    return map_leaves(batch, lambda value: convert(value) if isinstance(value, np.ndarray) else value)


def finishing(collate: Collate, convert: Convert) -> Collate:
    """Return a function that collates by `collate` and applies `convert` to each array of the result."""
    if convert is None:
        return collate
    if collate is default_collate or collate is default_convert:
        return partial(collate, convert=convert)
    return lambda samples: convert_arrays(collate(samples), convert)


def _kind(sample: object) -> str | None:
    """Return the kind of a sample, which selects a rule below."""
    if isinstance(sample, (str, bytes)):
        return TEXT
    if isinstance(sample, (bool, int, float, complex)) or is_array(sample):
        return NUMERIC
    if isinstance(sample, Mapping):
        return MAPPING
    if record_fields(sample) is not None:
        return RECORD
    return SEQUENCE if is_sequence(sample) else None


def _collate(samples: Sequence[Sample], where: str, native: Native | None) -> Batch:
    first = samples[0]
    kind = _kind(first)
    if kind is None:
        raise CollateTypeError(
            "arrays, numbers, text, mappings or sequences", where, [0], [type(first).__name__], "pass collate_fn"
        )
    types = set(map(type, samples))
    if len(types) > 1:
        for position, sample in enumerate(samples):
            if type(sample) is not type(first) and _kind(sample) != kind:
                raise CollateTypeError(
                    f"{kind} in every sample", where, [position], [type(sample).__name__], UNIFORM_REMEDY
                )
    return _RULES[kind](samples, types, where, native)


def _text(samples: Sequence[Sample], types: Types, where: str, native: Native | None) -> list[Sample]:
    return list(samples)


def _numeric(samples: Sequence[Sample], types: Types, where: str, native: Native | None) -> Batch:
    if native is not None and all([issubclass(element_type, native.kind) for element_type in types]):
        try:
            return native.stack(samples)
        except Exception:
            _check_shapes(samples, where)  # raises an error that names the samples
            raise
    if int in types and types <= {bool, int}:
        return _integers(samples, where)
    if types <= {bool, int, float, complex}:
        return np.array(samples)
    return stacked([as_numpy(sample) for sample in samples], where)


def _integers(samples: Sequence[int], where: str) -> np.ndarray:
    try:
        return np.array(samples, dtype=np.int64)
    except OverflowError:
        position = next(p for p, value in enumerate(samples) if not -(1 << 63) <= value < 1 << 63)
        expected, found = "integers of 64 bits", repr(samples[position])
        raise CollateError(expected, where, [position], [found], "pass numpy.uint64 or float") from None


def _check_shapes(arrays: Sequence[Sample], where: str) -> None:
    shape = arrays[0].shape
    for position, array in enumerate(arrays):
        if array.shape != shape:
            remedy = "pad or crop them in the dataset, or pass collate_fn"
            found = [str(tuple(shape)), str(tuple(array.shape))]
            raise CollateError("samples of one shape", where, [0, position], found, remedy)


def stacked(arrays: list[np.ndarray], where: str = "") -> np.ndarray:
    """Stack arrays of one shape in their common dtype; raise CollateError if shapes differ."""
    _check_shapes(arrays, where)
    shape = arrays[0].shape
    dtypes = {array.dtype: position for position, array in reversed(list(enumerate(arrays)))}
    for dtype, position in dtypes.items():
        if dtype.hasobject:
            raise CollateTypeError("arrays of numbers", where, [position], [f"dtype {dtype}"], "pass collate_fn")
    # Equivalent to np.stack, without a view per sample, and always in C order.
    dtype = np.result_type(*dtypes).newbyteorder("=")
    batch = new((len(arrays), *shape), dtype)
    if shape:
        np.concatenate(arrays, out=batch.reshape(len(arrays) * shape[0], *shape[1:]))
    else:
        np.concatenate([array.reshape(1) for array in arrays], out=batch)
    return batch


def _mapping(samples: Sequence[Mapping[Index, Sample]], types: Types, where: str, native: Native | None) -> Batch:
    first = samples[0]
    for position, sample in enumerate(samples):
        if sample.keys() != first.keys():
            found = [f"keys {list(first)}", f"keys {list(sample)}"]
            raise CollateError("the same keys in every sample", where, [0, position], found, UNIFORM_REMEDY)
    parts = {key: _collate([sample[key] for sample in samples], f"{where}[{key!r}]", native) for key in first}
    return like_mapping(first, parts)


def _record(samples: Sequence[Sample], types: Types, where: str, native: Native | None) -> Batch:
    first = samples[0]
    for position, sample in enumerate(samples):
        if type(sample) is not type(first):
            found = [type(first).__name__, type(sample).__name__]
            raise CollateTypeError("records of one type", where, [0, position], found, UNIFORM_REMEDY)
    names = record_fields(first) or ()
    parts = {name: _collate([getattr(sample, name) for sample in samples], f"{where}.{name}", native) for name in names}
    return like_record(first, parts)


def _sequence(samples: Sequence[Sequence[object]], types: Types, where: str, native: Native | None) -> Batch:
    lengths = set(map(len, samples))
    if len(lengths) > 1:
        length = len(samples[0])
        position = next(position for position, sample in enumerate(samples) if len(sample) != length)
        found = [f"length {length}", f"length {len(samples[position])}"]
        remedy = "pad or crop them in the dataset, or pass collate_fn"
        raise CollateError("sequences of one length", where, [0, position], found, remedy)
    if types <= {tuple, list}:
        columns: Iterable[Sequence[object]] = zip(*samples, strict=True)
    else:  # a sequence that may support only access by index
        columns = ([sample[i] for sample in samples] for i in range(*lengths))
    parts = [_collate(column, f"{where}[{i}]", native) for i, column in enumerate(columns)]
    return like_sequence(samples[0], parts)


_RULES: dict[str, Callable[[Sequence[Sample], Types, str, Native | None], Batch]] = {
    TEXT: _text,
    NUMERIC: _numeric,
    MAPPING: _mapping,
    RECORD: _record,
    SEQUENCE: _sequence,
}
