"""Reports on a graph: its saved values as a table, and the graph as a picture."""
