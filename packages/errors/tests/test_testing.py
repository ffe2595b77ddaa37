"""raises: the parts of a message that it requires, and the errors that it does not accept."""

import pytest

from facula_errors import ArgumentError, FaculaError, FileError, InvalidValueError, OperationError
from facula_errors.testing import raises

WHOLE = "take: expected count to be at least 0; got -1; pass abs(count)"


def check(message, *wanted, kind=ValueError, **options):
    with raises(kind, *wanted, **options) as caught:
        raise InvalidValueError(message)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        (WHOLE, ["take"]),
        (WHOLE, ["take", "count", "at least 0", "abs(count)"]),
        (WHOLE, ["take: count"]),
        (WHOLE, ["take: expected ... 0; got -1", "pass...count)"]),
        ("Adam.step: there is no gradient; call backward", ["Adam.step", "no gradient"]),
        ("/tmp/x/a.pt: it is truncated; copy it again", [".../a.pt", "truncated"]),
        ("load: entries do not fit:\n    weight of shape (2,)", ["load: weight"]),
    ],
)
def test_complete_messages_pass(message, wanted):
    check(message, *wanted)


@pytest.mark.parametrize("value", [-1, "-1"])
def test_value_is_shown_after_got(value):
    check(WHOLE, "take", value=value)
    check("take: expected a number; got str '-1'", "take", value="'-1'")
    check("take: expected one length; got a (2, 3), b (4, 5)", "take", value=(4, 5))
    with pytest.raises(AssertionError, match=r"expected 'got \.\.\. 0' in the message\ntake: "):
        check(WHOLE, "take", value=0)


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("got -1", 1),
        ("got +1", 1),
        ("got 21", 1),
        ("got 0.1", 1),
        ("got 1.5", 1),
        ("got 1e5", 1),
        ("got (1+2j)", 1),
        ("got (1+2j)", 2),
        ("got x='a1'", 1),
        ("got '1'", 1),
        ("got b'a'", "'a'"),
        ("got uint8", "int8"),
        ("got int8x", "int8"),
        ("got 21; pass at most 2", 2),
        ("got 21\npass at most 2", 2),
        ("forgot 1", 1),
        ("expected 1", 1),
    ],
)
def test_other_values_do_not_pass(shown, value):
    with pytest.raises(AssertionError, match=r"expected [\"']got \.\.\. "):
        check(f"take: wrong value; {shown}; pass another", "take", value=value)


@pytest.mark.parametrize(
    ("shown", "value"),
    [
        ("got x=1, y=2", 2),
        ("got [1, 2]", 1),
        ("got -1.5", -1.5),
        ("got x=-1", -1),
        ("got the text 'a; b'", "'a; b'"),
        ("got 'a'", "'a'"),
        ("got facula.int64 of 3 elements", "facula.int64 ... elements"),
        ("1 and got 1", 1),
    ],
)
def test_whole_values_pass(shown, value):
    check(f"take: wrong value; {shown}; pass another", "take", value=value)


@pytest.mark.parametrize(
    ("message", "wanted", "missing"),
    [
        (WHOLE, ["tak"], "'tak: CLAUSE; CLAUSE'"),
        (WHOLE, ["count"], "'count: CLAUSE; CLAUSE'"),
        ("take: the count is negative", ["take"], "'take: CLAUSE; CLAUSE'"),
        ("take: the count is negative; ", ["take"], "'take: CLAUSE; CLAUSE'"),
        ("take: count", ["take: counts"], "'take: CLAUSE; CLAUSE', 'counts'"),
        (WHOLE, ["take", "coun", "ount", "got", "expected.count"], "'coun', 'ount', 'expected.count'"),
        (WHOLE, ["take: got ... at least"], "'got ... at least'"),
        ("take: expected 1; got 2.5", ["take", "got 2"], "'got 2'"),
    ],
)
def test_missing_parts_are_named(message, wanted, missing):
    with pytest.raises(AssertionError) as failed:
        check(message, *wanted)
    assert str(failed.value).startswith(f"expected {missing} in the message\n{message}")


def test_notes_are_searched_but_are_no_clauses():
    def fail(message):
        error = InvalidValueError(message)
        error.add_note("in Net.head")
        raise error

    with raises(ValueError, "linear", "Net.head"):
        fail(WHOLE.replace("take", "linear"))
    with pytest.raises(AssertionError, match="CLAUSE"), raises(ValueError, "linear", "Net.head"):
        fail("linear: expected a matrix")


def test_error_numbers_precede_the_operation():
    with raises(FileNotFoundError, "read", "file"):
        raise FileError(2, "read: there is no file; pass another path", "weights")


def test_class_must_be_a_facula_error_of_the_kind():
    with raises((TypeError, RuntimeError), "take"):
        raise ArgumentError(WHOLE)
    with pytest.raises(AssertionError, match="expected a FaculaError; got ValueError"), raises(ValueError, "take"):
        raise ValueError(WHOLE)
    with pytest.raises(OperationError), raises(ValueError, "take"):
        raise OperationError(WHOLE)
    with pytest.raises(AssertionError, match="FaculaError'>; got no error"), raises(FaculaError, "take"):
        pass
    with pytest.raises(KeyboardInterrupt), raises(FaculaError, "take"):
        raise KeyboardInterrupt


def test_traceback_ends_in_the_block():
    with raises(ValueError, "take") as caught:
        raise InvalidValueError(WHOLE)
    assert caught.value.__traceback__.tb_next is None
