"""Transfer: blocks that a process makes or receives, and messages that send arrays in them."""
