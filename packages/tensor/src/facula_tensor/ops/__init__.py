"""The operators, one file a family. Importing a file declares its operators; the order does not matter."""
