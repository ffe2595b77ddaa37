"""Replays of traces under other settings: the player, its report, and checks whether a run fits a device."""
