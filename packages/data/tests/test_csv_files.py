"""Rows of CSV files, compared with the standard library's reader."""

import csv
import io
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facula_data import CorruptFileError, DataLoader
from facula_data.files import CSVFile
from facula_data.files._csv_index import patterns
from facula_errors.testing import raises

TEXTS = st.text(st.sampled_from('ab ,;"\n\té–1'), max_size=6)


def table(rows, **options):
    stream = io.StringIO()
    csv.writer(stream, **options).writerows(rows)
    return stream.getvalue()


@given(
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS), max_size=40),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
    st.booleans(),
)
def test_rows_are_those_of_the_standard_library(tmp_path_factory, rows, ending, delimiter, ended, marked):
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    text = table([("x", "y", "a\nb"), *rows], lineterminator=ending, delimiter=delimiter)
    text = text if ended or not rows else text.removesuffix(ending)
    path.write_bytes(text.encode("utf-8-sig" if marked else "utf-8"))
    expected = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row][1:]
    data = CSVFile(path, delimiter=delimiter)
    assert len(data) == len(expected)
    assert data.names == ("x", "y", "a\nb")
    order = np.random.default_rng(0).permutation(len(data)).tolist()
    for place in order:
        assert list(data[place].values()) == expected[place]


def made(tmp_path, text, **options):
    path = tmp_path / "table.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return CSVFile(path, **options)


def test_columns_dtypes_and_missing_values(tmp_path):
    text = "name,size,count,good,note\nash,3.5,7,true,\nfir,,8,0,x\n"
    data = made(
        tmp_path,
        text,
        columns=["count", "size", "good", "name"],
        dtypes={"size": "float32", "count": np.int16, "good": bool, "name": str.upper},
        missing={"size": np.float32("nan")},
    )
    first = data[0]
    assert list(first) == ["count", "size", "good", "name"]
    assert (first["count"].dtype, first["size"].dtype, first["good"].dtype) == (np.int16, np.float32, bool)
    assert first == {"count": 7, "size": 3.5, "good": True, "name": "ASH"}
    assert np.isnan(data[1]["size"])
    batch = next(iter(DataLoader(data, batch_size=2)))
    assert batch["count"].dtype == np.int16
    assert batch["good"].tolist() == [True, False]
    assert pickle.loads(pickle.dumps(data))[-1]["name"] == "FIR"
    assert repr(data).startswith("CSVFile(2 rows of count, size, good, name in ")


def test_without_a_header_and_with_names(tmp_path):
    data = made(tmp_path, "1,2\n\n3,4\n", header=False, names=["a", "b"], dtypes={"a": int, "b": int})
    assert [data[0]["a"], data[1]["b"], len(data)] == [1, 4, 2]
    assert made(tmp_path, "x,y\n3,4\n", names=["a", "b"])[0] == {"a": "3", "b": "4"}
    assert len(made(tmp_path, "x,y\n")) == 0
    with raises(ValueError, "CSVFile", "expected names, as header=False"):
        made(tmp_path, "1,2\n", header=False)
    with raises(ValueError, "CSVFile", "names that differ"):
        made(tmp_path, "a,a\n1,2\n")


def test_quotes_that_are_text(tmp_path):
    assert made(tmp_path, 'a,b\n5" pipe,"x"\n', quotechar=None)[0] == {"a": '5" pipe', "b": '"x"'}
    assert made(tmp_path, 'a,b\n5" pipe,"x\ny"\nq,r\n')[1] == {"a": "q", "b": "r"}
    assert made(tmp_path, "a\nb\x0bc\x1cd\u2028e\n")[0] == {"a": "b\x0bc\x1cd\u2028e"}


def test_other_encodings(tmp_path):
    assert made(tmp_path, "a\né\n".encode("cp1252"), encoding="cp1252")[0] == {"a": "é"}
    for name in ("utf-16", "shift_jis", "cp037", "none-such"):
        with raises(ValueError, "CSVFile", "convert the file to UTF-8"):
            made(tmp_path, "a\n", encoding=name)


LONG = "".join(f"{number},{number}\n" for number in range(100))
DAMAGED = {
    "few fields": ("a,b\n" + LONG + "3\n", 100, "expected 2 fields; got 1; at row 100"),
    "many fields": ("a,b\n" + LONG + "3,4,5\n", 100, "expected 2 fields; got 3"),
    "no number": ("a,b\n" + LONG + "x,5\n", 100, "expected int32 in column 'a'; got 'x'"),
    "empty": ("a,b\n" + LONG + ",5\n", 100, "got '' ... or missing"),
    "too large": ("a,b\n" + LONG + "3000000000,5\n", 100, "OverflowError"),
    "after a quote": ('a,b\n"x"y,5\n', 0, "expected after '\"'; at row 0 (line 2)"),
    "wrong bytes": (b"a,b\n1,2\n3,\xff\n", 1, "text in utf-8; invalid start byte; at row 1 (line 3)"),
    "lone return": ("a,b\n1,2\r3,4\n", 0, "new-line character"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damaged_rows_are_named(tmp_path, kind):
    text, place, message = DAMAGED[kind]
    data = made(tmp_path, text, dtypes={"a": "int32"})
    with raises(CorruptFileError, "CSVFile", message) as caught:
        data[place]
    assert caught.value.path == str(tmp_path / "table.csv")


def test_a_quote_that_is_never_closed(tmp_path):
    with raises(CorruptFileError, "CSVFile", "the file ends in it", "at row 1 (line 3)"):
        made(tmp_path, 'a\n1\n"2\n3\n')
    with raises(CorruptFileError, "CSVFile", "at most 100 bytes", "at row 1 (line 3)", "close the quote"):
        made(tmp_path, 'a\n1\n"2\n' + LONG, max_row_bytes=100)
    with raises(CorruptFileError, "CSVFile", "at most 100 bytes"):
        made(tmp_path, "a\n" + "x" * 1000, max_row_bytes=100)
    with raises(CorruptFileError, "CSVFile", value="no row"):
        made(tmp_path, "")


def test_arguments(tmp_path):
    with raises(KeyError, "CSVFile", "expected names of columns, a, b", value="'c'"):
        made(tmp_path, "a,b\n1,2\n", columns=["c"])
    with raises(TypeError, "CSVFile", "one ASCII character"):
        made(tmp_path, "a\n", delimiter="::")
    with raises(ValueError, "CSVFile", "that differ"):
        made(tmp_path, "a\n", delimiter='"')
    with raises(TypeError, "CSVFile, column 'a'", "column 'a'"):
        made(tmp_path, "a\n", dtypes={"a": "flaot32"})
    with raises(FileNotFoundError, "CSVFile"):
        CSVFile(tmp_path / "none.csv")


def test_a_modified_file_is_detected(tmp_path):
    data = made(tmp_path, "a\n" + LONG.replace(",", ""))
    with open(data.path, "ab") as file:
        file.write(b"1\n")
    with raises(RuntimeError, "CSVFile", "make the dataset again"):
        pickle.loads(pickle.dumps(data))[0]


@given(st.text(st.sampled_from('"",;a '), max_size=14), st.booleans(), st.sampled_from(",;"))
def test_the_patterns_say_whether_a_quoted_field_is_open(line, inside, delimiter):
    whole, ending = patterns(delimiter.encode(), b'"')
    state = "quoted" if inside else "start"  # walked by hand, as the standard library's reader does
    for sign in line + "\n":
        if state == "quoted":
            state = "quote" if sign == '"' else "quoted"
        elif state == "quote" and sign == '"':
            state = "quoted"
        elif sign == delimiter:
            state = "start"
        else:
            state = "quoted" if state == "start" and sign == '"' else "text"
    closed = (ending if inside else whole).fullmatch(f"{line}\n".encode()) is not None
    assert closed == (state != "quoted")


def test_a_long_line_of_quotes_is_fast():
    whole, _ = patterns(b",", b'"')
    assert whole.fullmatch(b'"' * 200_001 + b"\n") is None
    assert whole.fullmatch(b'"' * 200_000 + b"\n") is not None
    assert whole.fullmatch(b'"a",' * 100_000 + b'"\n') is None
