"""Defects of the repository outside the packages: file, old text, new text, the test that must fail, the kind."""

DEFECTS = [
    (
        "examples/gcn.py",
        "optimizer.step()",
        "optimizer.stop()",
        "integration_tests/together/test_examples.py::test_a_program_reads_its_command_line_and_prints_how_it_goes[gcn]",
        "a broken example",
    ),
    (
        "docs/how-to/questions.md",
        "](onnx.md)",
        "](onyx.md)",
        "integration_tests/repository/test_readme.py::test_links_between_pages_lead_somewhere",
        "a broken link",
    ),
    (
        "docs/how-to/questions.md",
        "autograd.md#find-the-first-nan",
        "autograd.md#find-a-nan",
        "integration_tests/repository/test_readme.py::test_anchors_of_links_are_headings",
        "a link to a heading that is not there",
    ),
    (
        ".github/workflows/docs.yml",
        "timeout-minutes: 30",
        "timeout: 30",
        "integration_tests/repository/test_services.py::test_files_for_services_fit_their_schemas",
        "an invalid workflow",
    ),
]
