"""Recording: signatures of calls, the recorder of launches, and the recordings that it produces."""
