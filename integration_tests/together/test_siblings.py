"""Siblings are installed from this commit, never from an index, even if an index offers equal versions."""

import json
import subprocess
import sys
import zipfile
from importlib import metadata

import pytest

MARK = "decoy.txt"


def test_everything_of_ours_here_came_from_dist(wheels):
    for name, wheel in wheels.items():
        address = json.loads(metadata.distribution(name).read_text("direct_url.json"))["url"]
        assert address == wheel.as_uri()


@pytest.fixture(scope="module")
def decoys(wheels, tmp_path_factory):
    """Return a folder of fake wheels with facula's names and versions, and the same as an index."""
    folder = tmp_path_factory.mktemp("decoys")
    for name, wheel in wheels.items():
        module = name.replace("-", "_")
        version = metadata.version(name)
        info = f"{module}-{version}.dist-info"
        target = folder / f"{module}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(f"{module}/{MARK}", wheel.name)
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        page = folder / "simple" / name / "index.html"
        page.parent.mkdir(parents=True)
        page.write_text(f'<a href="{target.as_uri()}">{target.name}</a>')
    return folder


def plan_install(tmp_path, *arguments):
    """Return pip's install plan by distribution: (address, whether requested by that address)."""
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pip", "install", "-qq", "--dry-run", "--ignore-installed"]
    subprocess.run([*command, "--report", str(report), *arguments], check=True)
    rows = json.loads(report.read_text())["install"]
    return {row["metadata"]["name"]: (row["download_info"]["url"], row["is_direct"]) for row in rows}


def test_a_decoy_index_is_not_asked(wheels, dist, decoys, tmp_path):
    name, wheel = list(wheels.items())[-1]
    offers = ["--find-links", str(decoys), "--extra-index-url", (decoys / "simple").as_uri()]
    constraints = ["-c", str(dist / "constraints.txt")]
    planned = plan_install(tmp_path, *constraints, *offers, f"{name} @ {wheel.as_uri()}")
    ours = {name: row for name, row in planned.items() if name in wheels}
    assert name in ours
    assert ours == {name: (wheels[name].as_uri(), True) for name in ours}


def test_without_the_constraints_the_decoys_would_win(wheels, decoys, tmp_path):
    """Check that the test above can fail: pip, given names, installs the fake wheels."""
    name = "facula-storage"
    planned = plan_install(tmp_path, "--no-index", "--find-links", str(decoys), "--no-deps", name)
    assert planned[name][0].startswith(decoys.as_uri())
