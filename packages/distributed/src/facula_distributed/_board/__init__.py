"""Memory that all ranks share: the board, the program's lines on it, and this rank's part in collectives."""
