"""Defects of facula-checkpoint: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_checkpoint/_atomic.py",
        "                os.fsync(file)\n",
        "",
        "tests/test_replacing.py::test_the_file_is_synced_before_the_rename_and_the_directory_after",
        "a torn file: renamed before its bytes are on the disk",
    ),
    (
        "src/facula_checkpoint/_header.py",
        "if entry.begin < position:",
        "if False:",
        "tests/test_hostile.py::test_ranges_must_be_a_partition",
        "a hostile file whose tensors overlap is read",
    ),
]
