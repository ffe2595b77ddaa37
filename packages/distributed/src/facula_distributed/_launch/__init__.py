"""The launcher: it starts ranks, watches the board, and names the rank that failed or is late."""
