"""Lookup: names and modules of the face that a table gives, found when they are first used, and refusals of others."""
