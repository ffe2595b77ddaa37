"""Control flow decided by tensors: conditions, loops and scans, recorded or eager."""
