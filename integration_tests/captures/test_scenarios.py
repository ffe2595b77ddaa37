"""Every scenario of the table: no replay differs from the eager twin, and captures behave as the table says."""

import json
from functools import cache
from pathlib import Path

import pytest
from scenarios import table
from twins import OPTIONS, behaviour_of, captured, differences, eager

SCENARIOS = {one.name: one for one in table()}
DEVIATIONS = json.loads((Path(__file__).parent / "deviations.json").read_text())
SETTLED = 10  # entries of results, two for each call, before the first change


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("programs")


@cache
def eagerly(name, folder):
    return eager(SCENARIOS[name], folder)


@cache
def reports_of(name, folder):
    return captured(SCENARIOS[name], folder)[1]


def test_the_table_is_large():
    kinds = {one.kind.name for one in SCENARIOS.values()}
    assert len(SCENARIOS) == len(table()) >= 500 and len(kinds) >= 40
    read = {name: {(one.read, one.way) for one in SCENARIOS.values() if one.kind.name == name} for name in kinds}
    assert all(len(ways) >= 3 for name, ways in read.items() if "own" not in {way for _, way in ways}), read
    assert set(DEVIATIONS) <= set(SCENARIOS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_change_changes_the_eager_result(name, folder):
    """Check the table itself: without a visible change, a capture without guards would pass."""
    kind, found = SCENARIOS[name].kind, eagerly(name, folder)
    assert not any(str(one).startswith("raised") for one in found[:SETTLED]), found
    if kind.varies:  # on its own, in results or in observed state
        assert any(len({str(one) for one in found[at:SETTLED:2]}) > 2 for at in (0, 1)), found
    else:
        unchanged = eager(SCENARIOS[name], folder, changes=False)
        assert found[:SETTLED] == unchanged[:SETTLED]
        assert found[SETTLED : SETTLED + 7] != unchanged[SETTLED : SETTLED + 7], found


@pytest.mark.parametrize("mode", OPTIONS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_no_replay_differs(name, mode, folder):
    scenario = SCENARIOS[name]
    found, reports = captured(scenario, folder, mode)
    wrong = differences(scenario, eagerly(name, folder), found)
    assert not wrong, "\n".join(
        [f"{name}, {mode}:", *wrong, scenario.source, "# change:", scenario.kind.change, *reports]
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_behaviour_is_the_table_s(name, folder):
    reports = reports_of(name, folder)
    expected = DEVIATIONS.get(name, SCENARIOS[name].kind.behaviour)
    assert behaviour_of(reports) == expected, "\n".join([name, *reports])
