"""Replay: a recording lowered to sequences of launches in C, with its guards, memory and optimizer scalars."""
