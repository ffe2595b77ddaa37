"""Profiles that the program pauses with `toggle_collection_dynamic`."""

from launch_testing import Operators, plan_of

from facula_profiler import ProfilerActivity, profile, record_function


def test_ranges_around_and_across_a_pause():
    operators = Operators(add=plan_of())

    def toggle(enable):
        prof.toggle_collection_dynamic(enable, [ProfilerActivity.CPU])

    with profile() as prof:
        with record_function("around"):
            toggle(False)
            with record_function("within"):
                pass
            toggle(True)
        with record_function("ends later"):
            toggle(False)
        with record_function("begins before"):
            toggle(True)
            toggle(True)
        operators.call("add")
        with record_function("open at the end"):
            toggle(False)
    assert {one.key: one.count for one in prof.key_averages()} == {
        "around": 1, "ends later": 1, "begins before": 1, "aten::add": 1, "open at the end": 1,
    }  # fmt: skip
    spans = {event.name: event.time_range for event in prof.events()}
    assert spans["ends later"].end <= spans["begins before"].end <= spans["aten::add"].start
