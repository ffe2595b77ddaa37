"""Defects of facula-multiprocessing: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_multiprocessing/_processes/queues.py",
        "len(message.data) <= MAX_ATOMIC and self._handed == self._send_bytes.done and",
        "len(message.data) <= MAX_ATOMIC and",
        "tests/test_queues.py::test_the_order_is_kept_when_the_pipe_is_full_for_a_while",
        "messages that overtake each other",
    ),
    (
        "src/facula_multiprocessing/_processes/supervision.py",
        "    for end in list(_ends.values()):\n        end.close()\n",
        "",
        "tests/test_supervision.py::test_ends_are_closed_only_in_a_forked_child",
        "a hang: children that outlive a killed parent",
    ),
]
