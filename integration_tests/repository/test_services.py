"""Files that services read fit their schemas, which check-jsonschema contains: no network is used."""

import subprocess
import sys

import pytest

SCHEMAS = {
    "github-workflows": ".github/workflows/*.yml",
    "dependabot": ".github/dependabot.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "citation-file-format": "CITATION.cff",
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_for_services_fit_their_schemas(root, schema):
    pytest.importorskip("check_jsonschema", reason="nox -s workflows installs check-jsonschema")
    paths = sorted(root.glob(SCHEMAS[schema]))
    assert paths
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
