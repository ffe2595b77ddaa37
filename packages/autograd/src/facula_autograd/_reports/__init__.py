"""Reports of a graph: what it saves, as a table, and the graph as a picture."""
