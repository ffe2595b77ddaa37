"""Switches of deterministic algorithms. They keep their values but have no effect: every result is deterministic."""

fill_uninitialized_memory = True
