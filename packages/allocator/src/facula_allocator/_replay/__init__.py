"""Replays of traces under other settings: the player, its report, and whether a run fits into a device."""
