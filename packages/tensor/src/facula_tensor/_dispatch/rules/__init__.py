"""Rules: what nodes save, and the functions by which the engine calls vjp rules."""
