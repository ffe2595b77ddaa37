"""The data model: records, traces, and their files."""
