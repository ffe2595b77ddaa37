"""Recording: launches, ranges and memory are written into a ring of records, which becomes a `Trace`."""
