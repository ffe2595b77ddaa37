"""Sequences: many launches as one call, which a captured step replays.

Note [Sequences]
~~~~~~~~~~~~~~~~
`Sequence(slots, launches, inputs, values, patches, checks, changed, puts, spans)` describes the work of one C call,
`run(inputs, values)`:

* `launches`: pairs of a plan's launch and its numeric arguments. None with (address, count) is a condition: it skips
  the next `count` launches if the float32 at the address is nonzero, or jumps back if `count` is negative: -1 is the
  condition itself. With (address, count, 0) it does so if the number is 0. Any other function, as in NumPy's plans, is
  called with integers while holding the GIL. Addresses among the arguments must stay valid: the owner of the sequence
  keeps that memory in place. `set` changes a number.
* `inputs`: (layout, node, extent in bytes, root, delta, is_written, kind, twin, is_bare) of each tensor that a call
  receives. The layout is compared by value. `node` is the required content of its slot `node`, or the required type of
  that content. `root` is the first input in the same memory, which begins `delta` bytes before; inputs with other roots
  may not overlap. Without the two, any location is accepted. An input that is written may not be read-only. `kind` is
  its class, `twin` the first input that is the same object; if omitted, they are not compared. An input with `is_bare`
  has no hooks. `values` is the number of integers that follow: addresses of results, seeds.
* `patches`: (launch, argument, source, delta): before the launches, that argument is set to a source plus delta.
  Sources are the inputs' addresses, then the values.
* `checks`: (kind, holder, key, expected), all before the first launch; see Note [Checks].
* `changed`: (storage, count, mutator): storages that are written, whose version is incremented. They may not be
  read-only.
* `puts`: (object, descriptor, value): slots that are set at the end, such as `.grad`. With a fourth item, (layout,
  storage, offset, node, hooks) of the value, a tensor, these slots are also restored if the program changed them.
* `spans`: (first address, end address, is_written) of memory that launches write or read: no input may overlap written
  memory, and no written input may overlap read memory.

`slots` are the descriptors of a tensor's layout, storage, offset, node, hooks and gradient, of a storage's address,
version and mutator, and of a layout's shape, strides, dtype and device. Their offsets in an object are determined once,
by setting them in a new instance, and then loaded without a call. `run` returns the number of a failed check, before
any effect. A failed launch raises LaunchError, whose last argument is the index of the launch; earlier launches are not
undone, as in the program. After an error, `failed_step()` is the step at which it stopped, or -1 if no launch began;
the versions of `changed` and the `puts` are then left to the caller. The GIL is released once, if the launches together
take as long as one that would release it. A concurrent call from a second thread returns the number of checks, as does
a call whose changed storage is read-only.

`returns(kind, layout, offset, node, memory, release)` describes a result, for sequences whose only value is its
address: `serve(inputs)` takes memory for the layout `memory`, runs, and returns a new tensor of the class `kind` with
these contents of its slots, or the number of a failed check. `release` is the descriptor of a storage's slot `__del__`.

`combine(launch)` lets a backend run all steps by one call. Instead of a launch's arguments, its kernel receives the
number of steps, the address of four words for each (kernel, plan, first argument, number of arguments), the address of
all arguments, and the address of a buffer for the arguments of one step. It returns 0 after it has queued all steps.
After another number, which means that it queued nothing, the steps run one by one. A sequence with a condition or a
Python function is never combined.

Note [Observed replays]
~~~~~~~~~~~~~~~~~~~~~~~
`observe_replays(address)` reports replays to a C function
`void (int64_t kind, int64_t thread, int64_t start, int64_t end, int64_t value)`, which is called in the thread of the
replay, possibly without the GIL; `thread` is -1. Times are those of CLOCK_MONOTONIC in ns.

* Kind 7: a launch, or a call of a Python function; `value` is its first argument, a launch's number of elements.
* Kind 6: all steps of a replay, without its checks; `value` is the number of steps.

`Sequence.label` sets other kinds for the steps of a sequence, by which the observer identifies them.
Combined steps are not reported one by one, and sequences without steps not at all. Replays that run while the observer
changes still call the former one. A forked child has no observer. Without an observer, a replay tests one variable.

Note [Checks]
~~~~~~~~~~~~~
Values are compared by `same`: identity, and equality for the exact types int, str, bytes, float, complex and tuple, and
for NumPy's immutable scalars (floats are compared by their bits). An equal value replaces the expected one, so that the
next comparison is by identity. No check runs code of the program: containers are read by the functions of their exact C
types. `ABSENT` expects that a slot or key is missing, `ANY` accepts every value. A check of a dict's entries passes
without a comparison if the dict has not changed since it passed before; Python 3.11 and 3.12 count the changes.

* SLOT: the slot or C attribute of `holder` with the descriptor `key` has this value, or ABSENT.
* ITEM: the dict `holder` has this value for `key`, or ABSENT. Keys with a custom `__eq__` may run it.
* PLACE: the list `holder` has this value at `key`.
* SIZE: the length of the dict or list `holder`.
* ENTRIES: all entries of `holder` in order, as a tuple; for a dict, alternating keys and values. Supported are dicts,
  lists, tuples and their subclasses; sets, frozensets and deques of exactly these types. An OrderedDict has a separate
  order, which is followed if its keys are strings, bytes, ints or floats; other keys are rejected.
* BYTES: `snapshot_bytes(holder)`: format, shape, strides and memory of an array.
* TYPE: the class of `holder`.
* TENSOR: (layout, storage, offset, node, hooks, address), or these and the gradient. Each item may be ANY, or ABSENT if
  the slot is not set. Layouts are compared by value.
* EXACT_SLOT, EXACT_ITEM, EXACT_ENTRIES: like SLOT, ITEM and ENTRIES, but values are compared only by identity.
* CALL: `key(holder)`, or `key()` if the holder is None, returns this value; an exception is a failure. This is for
  functions of the library: they run before all other checks.
"""

import os
from enum import IntEnum

from ._bridge import ABSENT, ANY, Sequence, launch_count, observe_replays, snapshot_bytes  # noqa: F401  of C

os.register_at_fork(after_in_child=lambda: observe_replays(0))  # it may write to memory of the parent


class CheckKind(IntEnum):
    """The kind of a sequence's check: Note [Checks]. The numbers are those of checks.h."""

    SLOT = 0
    ITEM = 1
    PLACE = 2
    SIZE = 3
    ENTRIES = 4
    BYTES = 5
    TYPE = 6
    TENSOR = 7
    CALL = 8
    EXACT_SLOT = 16
    EXACT_ITEM = 17
    EXACT_ENTRIES = 20
