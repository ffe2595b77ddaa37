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
* `inputs`: (layout, node, extent in bytes, root, delta) of each tensor that a call is given. `node` is what its slot
  `node` has to hold, or the type of that. `root` is the first input in the same memory, which begins `delta` bytes
  before; inputs of other roots may not overlap. Without the two they may lie wherever they do.
  `values` is how many integers come beside: addresses of results, seeds.
* `patches`: (launch, argument, source, delta): before the launches that argument becomes a source plus delta. Sources
  are the inputs' addresses, then the values.
* `checks`: (object, descriptor, expected) compares a slot; (dict, key, expected) and (list, place, expected) compare an
  item; (dict or list, None, length) compares its length. All by identity, all before the first launch.
* `changed`: (storage, count, mutator): storages that are written, whose version is counted up.
* `puts`: (object, descriptor, value): slots that are set in the end, as `.grad` is.
* `spans`: (first address, address past the last) of memory that is written: no input may lie there.

`slots` are the descriptors of a tensor's layout, storage, offset and node and of a storage's address, version and
mutator: reading a slot through its descriptor takes a quarter of the time of an attribute. A check that fails is
answered with its number, and nothing has been done then. A launch that fails raises LaunchError, whose last argument
says which one it was; what came before it stays done, as in the program. The GIL is given away once, where the
launches together take as long as one that would give it away; a second thread that comes meanwhile is told so.
"""

from ._bridge import Sequence, launch_count

__all__ = ["Sequence", "launch_count"]
