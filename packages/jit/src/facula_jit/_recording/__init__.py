"""Recording: the signature of a call, the recorder of its launches, and the recording that it leaves."""
