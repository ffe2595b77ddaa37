"""Rules: the values that nodes save, and the functions by which the engine calls vjp rules."""
