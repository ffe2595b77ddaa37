"""Replay: lowering of recordings to sequences of launches in C, with guards, memory and optimizer scalars."""
