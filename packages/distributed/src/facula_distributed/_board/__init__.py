"""Memory that ranks share: the board, lines of the program on it, a rank's part in collectives, state for restarts."""
