"""Records as csrc/recorder.h defines them."""

import numpy as np

RAW = np.dtype(
    [
        ("start", "i8"), ("end", "i8"), ("seq", "i8"), ("value", "i8"), ("name", "i4"), ("lane", "i4"), ("stack", "i4"),
        ("plan", "i4"), ("kind", "u4"), ("stamp", "u4"), ("link", "i8"),
    ]
)  # fmt: skip
ALLOCATION = 100  # the kind of an allocation: `seq` is the address, `value` the bytes
IN_PLACE = 128  # a bit of the kind of launches that write to their first operand
HEADER = np.dtype([("magic", "S16"), ("capacity", "i8"), ("began", "i8"), ("began_utc", "i8"), ("count", "u8")])
HEADER_BYTES = 4096
FIRST_OWN_LANE = 4096  # lanes from here on were made by sources; those below -1 are threads of pools
