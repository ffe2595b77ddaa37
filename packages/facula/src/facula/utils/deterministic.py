"""Switches of deterministic algorithms: kept, and looked at by nothing, as every result is the same in each run."""

fill_uninitialized_memory = True
