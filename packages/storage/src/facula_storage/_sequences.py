"""Sequences: many launches as one call, which a captured step replays.

Note [Sequences]
~~~~~~~~~~~~~~~~
`Sequence(slots, launches, inputs, values, patches, checks, changed, puts, spans)` is what one C call, `run(inputs,
values)`, works through:

* `launches`: pairs of a plan's launch and its arguments, numbers; None with (address, count) leaves out the next
  `count` where the float32 at the address is not 0, or goes back where `count` is negative: -1 is the condition itself.
  With (address, count, 0) it does so where the number is 0. What is no launch but a function, as plans of NumPy's have
  it, is called with integers, and the GIL. Addresses among them are right for memory that the holder of the sequence
  keeps where it is; `set` changes a number.
* `inputs`: (layout, node, extent in bytes, root, delta, is_written, kind, twin, is_bare) of each tensor that a call
  is given. The layout is compared by value. `node` is what its slot `node` has to contain, or the type of that. `root`
  is the first input in the same memory, which begins `delta` bytes before; inputs of other roots may not overlap.
  Without the two they may lie anywhere. An input that is written may not be read-only. `kind` is its class, `twin` the
  first input that is the same object; without them neither is compared. One that `is_bare` has no hooks.
  `values` is the number of integers that follow: addresses of results, seeds.
* `patches`: (launch, argument, source, delta): before the launches that argument becomes a source plus delta. Sources
  are the inputs' addresses, then the values.
* `checks`: (kind, holder, key, expected), all before the first launch; see Note [Checks].
* `changed`: (storage, count, mutator): storages that are written, whose version is counted up. None of them may be
  read-only.
* `puts`: (object, descriptor, value): slots that are set in the end, as `.grad` is. With a fourth part, (layout,
  storage, offset, node, hooks) of the value, a tensor, these are set again where the program changed them.
* `spans`: (first address, address past the last, is_written) of memory that launches write, or read: no input may lie
  in the first, no input that is written in the second.

`slots` are the descriptors of a tensor's layout, storage, offset, node, hooks and gradient, of a storage's address,
version and mutator, and of a layout's shape, strides, dtype and device. Their places in an object are found once, by
setting them in a new instance, and then loaded without a call. `run` returns the number of a check that fails, before
anything is done. A launch that fails raises LaunchError, whose last argument
says which one it was; what came before it stays done, as in the program. The GIL is given away once, where the
launches together take as long as one that would give it away; a second thread that comes meanwhile gets the number of
checks, as does a call whose changed storage is read-only.

Note [Checks]
~~~~~~~~~~~~~
Values are compared by `same`: identity; of the exact types int, str, bytes, float, complex and tuple, and of NumPy's
immutable scalars, also equality (of floats by their bits). An equal value takes the place of the expected one, so
that the next comparison is by identity. No check runs code of the program: containers are read by the functions of
their exact C types. `ABSENT` expects that a slot or key is not there, `ANY` accepts every value.

* SLOT: the slot or C attribute of `holder` whose descriptor is `key` has this value, or ABSENT.
* ITEM: the dict `holder` has this value for `key`, or ABSENT. Keys with an `__eq__` of their own may run it.
* PLACE: the list `holder` has this value at `key`.
* SIZE: the length of the dict or list `holder`.
* ENTRIES: all entries of `holder` in their order, as a tuple; of a dict keys and values in turn. Dicts, lists, tuples
  and their subclasses; sets, frozensets and deques of exactly these types. An OrderedDict has an order of its own,
  which is followed where its keys are strings, bytes, ints or floats; other keys are refused.
* BYTES: `snapshot_bytes(holder)`: format, shape, strides and memory of an array.
* TYPE: the class of `holder`.
* TENSOR: (layout, storage, offset, node, hooks, address) or these and the gradient, each of which may be ANY, and
  ABSENT where a slot is not set. Layouts are compared by value.
* EXACT_SLOT, EXACT_ITEM, EXACT_ENTRIES: as SLOT, ITEM and ENTRIES, but values are compared by identity alone.
* CALL: `key(holder)`, or `key()` where the holder is None, gives this value; an exception is a failure. For functions
  of the library: they run before all other checks.
"""

from enum import IntEnum

from ._bridge import ABSENT, ANY, Sequence, launch_count, snapshot_bytes  # noqa: F401  of C


class CheckKind(IntEnum):
    """What a check of a sequence compares: Note [Checks]. The numbers are those of checks.h."""

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
