"""Groups of processes: addresses at which they connect, their members, and work in progress."""
