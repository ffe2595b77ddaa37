"""Defects of facula-data: file, old text, new text, the test that must fail, the kind of defect."""

DEFECTS = [
    (
        "src/facula_data/_sampling/samplers.py",
        "for first in range(start, len(order), size)",
        "for first in range(start // size * size, len(order), size)",
        "tests/test_resume.py::test_another_batch_size_resumes_with_the_same_samples",
        "a sampler that loses its position when the batch size changes",
    ),
    (
        "src/facula_data/_sampling/distributed.py",
        "own = -(-left // self.world)",
        "own = left // self.world",
        "tests/test_policies.py::test_shards_split_each_epoch_and_resume_with_any_number",
        "samples at the end of an epoch that no shard gets",
    ),
]
