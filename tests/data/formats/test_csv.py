"""Csv files, read strictly (case 118)."""

import contextlib
import csv
import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.data import gather, open_source
from lookalike.errors import (
    ColumnError,
    LookalikeError,
    ParameterError,
    ShapeError,
    SourceError,
)


def matrix(path, **options):
    return gather(open_source(path, **options)).X.tolist()


def columns(path, **options):
    source = open_source(path, **options)
    (table,) = source.tables()
    kinds = {column.name: column.kind for column in source.columns}
    return kinds, {name: values.tolist() for name, values in table.values.items()}


def test_a_plain_file_gives_its_numbers(write):
    source = open_source(write("a,b\n1,2\n3,4.5\n"))
    assert (source.n_rows, source.n_features, source.repeatable) == (None, 2, True)
    assert matrix(write("a,b\n1,2\n3,4.5\n")) == [[1, 2], [3, 4.5]]


def test_a_byte_order_mark_is_no_part_of_the_first_name(write):
    kinds, _ = columns(write(b"\xef\xbb\xbfa,b\n1,2\n"))
    assert list(kinds) == ["a", "b"]


def test_quotes_hold_newlines_commas_and_quotes(write):
    _, values = columns(write('a,"b\nc"\n"x\ny",1\n"p,""q""",2\n'))
    assert values == {"a": ["x\ny", 'p,"q"'], "b\nc": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("a,b\n1,2\n3\n4,5\n", r"1 cells in row 1 \(line 3\)"),
        ("a,b\n1,2\n3,4,5\n", r"3 cells in row 1 \(line 3\)"),
        ('a,b\n"x\ny",2\n\n3,4,5\n', r"3 cells in row 1 \(line 5\)"),
        ("a,b\r\n1,2\r\n3\r\n", r"1 cells in row 1 \(line 3\)"),
        ('a,b\n1,2\n"x,2\n', r"1 cells in row 1 \(line 3\)"),
    ],
)
def test_a_ragged_row_is_an_error_with_its_line(write, content, place):
    with pytest.raises(SourceError, match=place + ", the first line has 2"):
        open_source(write(content))


def test_a_ragged_row_far_down_is_found_with_its_line(write):
    path = write("a,b\n" + "1,2\n" * 500_000 + "7\n" + "1,2\n" * 10)
    source = open_source(path)
    with pytest.raises(SourceError, match=r"row 500000 \(line 500002\)"):
        list(source.chunks())


def numbers_with(odd, count=40):
    return "a,b\n" + "".join(f"{i},{i / 8}\n" for i in range(count)) + f"99,{odd}\n6,7\n"


@pytest.mark.parametrize(
    "odd", ["abc", "1e400", "0x10", "1_000", "inf", "-Infinity", "1 00", "1.2.3", "unknown"]
)
def test_a_cell_among_numbers_that_is_none_is_missing_and_named_with_its_line(write, odd):
    source = open_source(write(numbers_with(odd)))
    X = gather(source).X
    np.testing.assert_array_equal(X[:, 1], [*np.arange(40) / 8, np.nan, 7])
    (decision,) = source.decisions.about("column 'b'")
    assert decision.choice == "number"
    assert f"1 of 42 cells is not a number and becomes missing: {odd!r}" in decision.reason
    assert "the first in row 40 (line 42)" in decision.reason
    assert "--types b=category (in Python types={'b': 'category'})" in decision.reason


def test_a_cell_far_down_that_is_no_number_is_missing_and_a_warning(write):
    path = write("a,b\n" + "1,2\n" * 600_000 + "3,abc\n4,abc\n")
    source = open_source(path)
    assert not source.decisions
    with pytest.warns(UserWarning, match=r"2 of 600,002 cells .* 'abc' \(2\); .*line 600002"):
        column = np.concatenate([chunk.X[:, 1] for chunk in source.chunks()])
    np.testing.assert_array_equal(column, [2.0] * 600_000 + [np.nan] * 2)
    list(source.chunks())  # which does not warn again
    assert [decision.about for decision in source.decisions] == ["column 'b'"]


@pytest.mark.parametrize("odd", ["abc", "1e400", "0x10", "1_000", "A/5 21171"])
def test_a_column_with_many_cells_that_are_no_numbers_is_of_categories(write, odd):
    path = write(f"a,b\n1,2\n3,4\n5,{odd}\n6,7\n")
    source = open_source(path)
    assert columns(path) == (
        {"a": "number", "b": "category"},
        {"a": [1, 3, 5, 6], "b": ["2", "4", odd, "7"]},
    )
    (decision,) = source.decisions
    assert f"3 of 4 cells are numbers, and {odd!r} for example is not" in decision.reason
    given = open_source(path, types={"b": "number"})
    np.testing.assert_array_equal(gather(given).X[:, 1], [2, 4, np.nan, 7])


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60),
    st.lists(st.text("abc-+.,$%?/ 0123456789", max_size=6), max_size=30),
    st.randoms(use_true_random=False),
)
@settings(max_examples=100, deadline=None)
def test_other_strings_among_numbers_never_raise_and_never_change_a_number(numbers, others, random):
    cells = [*map(repr, numbers), *others]
    random.shuffle(cells)
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([["s", "n"], *([c, 1] for c in cells)])
    source = open_source(io.BytesIO(stream.getvalue().encode()), decimal=".")
    got = [cell for table in source.tables() for cell in table.values["s"].tolist()]
    expected = {repr(number): number for number in numbers}
    for cell, value in zip(cells, got, strict=True):
        if cell in expected:
            assert value == (expected[cell] if source.columns[0].kind == "number" else cell)


def test_numbers_of_every_form_are_exact(write):
    written = [
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "-0.0",
        "1e5",
        "1E-300",
        "0.1",
        "123456789012345678",
        "1e308",
    ]
    got = matrix(write("a\n" + "\n".join(written) + "\n"))
    assert [row[0] for row in got] == [float(text) for text in written]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
@settings(max_examples=50, deadline=None)
def test_every_float_comes_back_bit_for_bit(numbers):
    text = "a,b\n" + "".join(f"{number!r},0\n" for number in numbers)
    got = gather(open_source(io.BytesIO(text.encode()))).X[:, 0]
    assert got.tobytes() == np.array(numbers).tobytes()


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0\ufffd"), max_size=8), min_size=1
    )
)
@settings(max_examples=60, deadline=None)
def test_every_text_comes_back_as_it_was_written(texts):
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([["s", "n"], *([t, 1] for t in texts)])
    content = io.BytesIO(stream.getvalue().encode())
    source = open_source(content, types={"s": "text"}, default_missing=False)
    got = [text for table in source.tables() for text in table.values["s"].tolist()]
    assert got == texts


CELLS = [
    b"a",
    b"1",
    b",",
    b'"',
    b"\n",
    b"\r",
    b";",
    b"-.e",
    b" ",
    b"\xc3\xa9",
    b"\xff",
    b"NA",
    b"\0",
]


@given(st.sampled_from([b"", b"a,b\n"]), st.lists(st.sampled_from(CELLS), max_size=30))
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_rows_or_a_clear_error(header, cells):
    with contextlib.suppress(LookalikeError):
        list(open_source(io.BytesIO(header + b"".join(cells))).tables())


def test_lines_are_counted_right_past_quotes_within_cells_and_empty_lines(write):
    rows = "".join(f"y,{i / 8}\n" for i in range(40))
    source = open_source(write('a,b\n5" pipe,1\n\n"two\nlines",2\n6" pipe,3\nx,abc\ny,4\n' + rows))
    assert "row 3 (line 7)" in str(source.decisions)


def test_a_cell_too_long_to_count_lines_past_it_still_has_its_row(write):
    rows = "".join(f"y,{i / 8}\n" for i in range(40))
    source = open_source(write("a,b\n" + "x" * 200_000 + ",1\ny,abc\nz,2\n" + rows))
    assert "the first in row 1;" in str(source.decisions)


def test_a_mixed_column_is_of_categories_by_option(write):
    kinds, values = columns(write("zip\n1010\n2020\nA-1\n"), types={"zip": "category"})
    assert kinds == {"zip": "category"}
    assert values == {"zip": ["1010", "2020", "A-1"]}


def test_two_columns_of_one_name_are_an_error_that_names_the_line_of_the_header(write):
    for text in ("a,b,a\n1,2,3\n", "# note\na,b,a\n1,2,3\n4,5,6\n", "a,,a,\n1,2,3,4\n"):
        line = 1 + text.startswith("#")
        with pytest.raises(ColumnError, match=f"named 'a', number 1 and 3, in line {line}"):
            open_source(write(text))


def test_missing_cells_are_nan_and_999_only_if_declared(write):
    path = write("a,b\n,NA\nNaN,null\n?,-999\n1, N/A \n")
    nan = np.nan
    np.testing.assert_array_equal(matrix(path), [[nan, nan], [nan, nan], [nan, -999], [1, nan]])
    declared = matrix(path, missing=["-999"])  # in addition to the default ones
    np.testing.assert_array_equal(declared, [[nan, nan], [nan, nan], [nan, nan], [1, nan]])


def test_missing_cells_of_other_kinds_are_none_nat_and_nan(write):
    _, values = columns(write("s,d,b\nx,2020-01-01,true\nNA,NA,NA\nx,2020-01-02,FALSE\n"))
    assert values["s"] == ["x", None, "x"]
    assert values["d"][1] is None
    np.testing.assert_array_equal(values["b"], [1, np.nan, 0])


def test_words_for_a_missing_value_are_missing_among_numbers_whatever_their_share(write):
    cells = ["1.5", "unknown", "N.A.", "2", "-", "unknown", "#N/A", " "]
    _, values = columns(write("a,b\n" + "".join(f"{cell},x\n" for cell in cells)))
    nan = np.nan
    np.testing.assert_array_equal(values["a"], [1.5, nan, nan, 2, nan, nan, nan, nan])
    kinds, values = columns(write("s,n\nunknown,1\nnone,2\nlow,3\n"))
    assert (kinds["s"], values["s"]) == ("category", ["unknown", "none", "low"])
    kinds, values = columns(write("s,n\nunknown,1\nunknown,2\n"))
    assert (kinds["s"], values["s"]) == ("category", ["unknown", "unknown"])


@pytest.mark.parametrize(
    ("cells", "numbers", "words"),
    [
        (["1,5", "2"], [1.5, 2], "decimal comma"),
        (["1,234", "12", "1.5"], [1234, 12, 1.5], "thousands comma, as in '1,234'"),
        (["1.234.567", "12"], [1234567, 12], "decimal comma, thousands point"),
        (["1'234.5", "12"], [1234.5, 12], "thousands apostrophe"),
        (["1 234,5", "12"], [1234.5, 12], "decimal comma, thousands blank"),
        (["$12.50", "-$1,200", "$ 7"], [12.5, -1200, 7], "'$' left out"),
        (["7 €", "8,50 €"], [7, 8.5], "decimal comma, '€' left out"),
        (["12%", "7.5 %"], [12, 7.5], "'%' left out, as in '12%'"),
    ],
)
def test_the_way_numbers_are_written_is_found_in_their_column_and_said(
    write, cells, numbers, words
):
    source = open_source(write("a,b\n" + "".join(f'"{cell}",1\n' for cell in cells)))
    assert gather(source).X[:, 0].tolist() == numbers
    assert words in str(source.decisions)


def test_separators_that_are_given_are_not_questioned(write):
    path = write("a;b\n1,5;2\n-,5;3,25e1\n")
    assert matrix(path, delimiter=";", decimal=",") == [[1.5, 2], [-0.5, 32.5]]
    assert columns(path, delimiter=";", decimal=".")[0]["a"] == "category"
    path = write("a;b\n1.5;2\n2,5;3\n")
    assert columns(path, delimiter=";", decimal=",")[1]["a"] == ["1.5", "2,5"]


def test_thousands_are_read_by_option_and_must_stand_right(write):
    path = write("a;b\n1.234.567,5;2\n12;3\n")
    assert matrix(path, delimiter=";", decimal=",", thousands=".") == [[1234567.5, 2], [12, 3]]
    path = write("a;b\n1.23,5;2\n12;3\n")
    assert columns(path, delimiter=";", decimal=",", thousands=".")[0]["a"] == "category"


@pytest.mark.parametrize("name", ["x", "label"])
def test_digits_with_leading_zeros_stay_text(write, name):
    path = write(f"{name},n\n007,1\n07,2\n7,3\n0,4\n")
    kinds, values = columns(path)
    assert (kinds[name], values[name]) == ("category", ["007", "07", "7", "0"])
    assert next(open_source(path, target=name).tables()).y.tolist() == ["007", "07", "7", "0"]
    assert "digits with leading zeros are codes" in str(open_source(path).decisions)
    assert matrix(path, types={name: "number"})[0] == [7, 1]
    many = "c,n\n" + "".join(f"{i:05},{i}\n" for i in range(50))
    assert columns(write(many))[0] == {"c": "id", "n": "number"}
    assert next(open_source(write(many), target="c").tables()).y[7] == "00007"


def test_numbers_padded_with_zeros_stay_numbers_where_they_have_a_point(write):
    assert matrix(write("a,b\n01.50,1\n12.25,2\n"))[0] == [1.5, 1]


@pytest.mark.parametrize("name", ["zip", "ZipCode", "zip_code", "PLZ", "Postal Code", "phone no."])
def test_whole_numbers_under_the_name_of_a_code_are_categories(write, name):
    path = write(f"{name},n\n90210,1\n10001,2\n90210,3\n60601,4\n")
    assert columns(path)[0] == {name: "category", "n": "number"}
    assert columns(path)[1][name][:2] == ["90210", "10001"]
    assert "its name says that its numbers are codes" in str(open_source(path).decisions)
    assert columns(write(f"{name},n\n0,1\n1,2\n0,3\n"))[0][name] == "number"
    assert columns(write(f"{name} population,n\n90210,1\n1,2\n2,3\n"))[0] == {
        f"{name} population": "number",
        "n": "number",
    }


def test_distinct_numbers_under_the_name_of_an_identifier_are_pointed_out(write):
    source = open_source(write("user_id,n\n" + "".join(f"{7 * i},{i % 3}\n" for i in range(50))))
    assert [column.kind for column in source.columns] == ["number", "number"]
    assert "--types user_id=id" in str(source.decisions)


def test_distinct_short_strings_are_identifiers_and_longer_ones_text(write):
    keys = "".join(f"7590-V{i:03},{i % 2},a house of {i} rooms\n" for i in range(50))
    source = open_source(write("key,n,note\n" + keys))
    assert [column.kind for column in source.columns] == ["id", "number", "text"]


def test_a_stream_is_read_as_a_file_is(write):
    rows = [f"{i},{i:03},{i % 7}" for i in range(12_000)]
    rows[40], rows[11_000] = "x,y,z", "u,v,w"
    content = "a,b,c\n" + "\n".join(rows) + "\n"
    answers = []
    for data in (write(content), io.BytesIO(content.encode())):
        source = open_source(data)
        with pytest.warns(UserWarning, match="are not a number"):
            tables = list(source.tables())
        answers.append((source.columns, [table.values["a"].tobytes() for table in tables]))
    assert answers[0] == answers[1]


def test_a_dropped_column_is_never_read(write):
    path = write("a,b,b\n1,2,3\n3,4,5\n")
    assert matrix(path, drop=["b"]) == [[1], [3]]
    source = open_source(write("a,b\n1,x\n3,4\n"), drop="b")
    assert ([column.name for column in source.columns], len(source.decisions)) == (["a"], 0)
    with pytest.raises(ColumnError, match="drop names 'z', and there is no such column"):
        open_source(path, drop=["z"])
    with pytest.raises(ColumnError, match="'a' is both dropped and a target"):
        open_source(path, drop=["a"], target="a")


def test_tabs_separate_a_tsv(write):
    assert matrix(write("a\tb\n1\t2\n", "t.tsv")) == [[1, 2]]
    assert matrix(write(gzip.compress(b"a\tb\n1\t2\n"), "t.tsv.gz")) == [[1, 2]]


def test_blanks_around_numbers_do_not_matter(write):
    assert matrix(write("a,b\n 1 ,\t2\n3 , 4\n")) == [[1, 2], [3, 4]]


def test_ten_thousand_columns_are_read(write):
    names = ",".join(f"c{j}" for j in range(10_000))
    row = ",".join(str(j) for j in range(10_000))
    X = gather(open_source(write(f"{names}\n{row}\n{row}\n"))).X
    np.testing.assert_array_equal(X, np.tile(np.arange(10_000.0), (2, 1)))


@pytest.mark.parametrize("content", ["", "\n", "\n\n\n"])
def test_an_empty_file_is_an_error(write, content):
    with pytest.raises(SourceError, match=r"t\.csv' is empty"):
        open_source(write(content))


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\r\n\r\n"])
def test_a_header_alone_is_an_error(write, content):
    with pytest.raises(SourceError, match="a header and no rows"):
        open_source(write(content))


def test_an_empty_line_is_a_missing_value_where_there_is_one_column(write):
    np.testing.assert_array_equal(matrix(write("a\n1\n\n2\n")), [[1], [np.nan], [2]])


def test_a_first_row_that_may_be_names_or_numbers_is_an_error(write):
    for content in ("0,1\n2,3\n", "1990,1991\n1.5,2\n", "400.5,401,401.5\n0.1,0.2,0.3\n"):
        with pytest.raises(SourceError, match=r"starts with numbers.*header=False"):
            open_source(write(content))
    path = write("0,1\n2,3\n")
    assert list(columns(path, header=True)[0]) == ["0", "1"]
    assert columns(path, header=False)[1] == {"x0": [0, 2], "x1": [1, 3]}


def test_lines_are_counted_right_without_a_header(write):
    with pytest.raises(SourceError, match=r"row 1 \(line 2\)"):
        open_source(write("1,2\n3\n"), header=False)


def test_kinds_are_recognized(write):
    kinds, values = columns(write("n,b,c,d\n1,true,x,2020-01-01\n2,false,y,2021-02-03 04:05:06\n"))
    assert kinds == {"n": "number", "b": "boolean", "c": "category", "d": "date"}
    assert str(values["d"][1]) == "2021-02-03 04:05:06"
    assert columns(write("d\n2020-01-01T00:00:00Z\n"))[0] == {"d": "date"}
    many = "t\n" + "".join(f"name {i}\n" for i in range(100))
    assert columns(write(many))[0] == {"t": "text"}


@pytest.mark.parametrize(
    "written", ["7.1.2022", "07.01.2022", "2022/1/7", "2022.01.07", "2022-1-7"]
)
def test_dates_that_can_be_read_in_one_way_only_are_dates(write, written):
    kinds, values = columns(write(f"a,d\n1,{written}\n2,\n3,{written}\n"))
    assert kinds["d"] == "date"
    assert str(values["d"][2])[:10] == "2022-01-07"


def test_no_day_is_invented(write):
    assert columns(write("a,d\n1,31.02.2022\n2,31.02.2022\n"))[0]["d"] == "category"


def test_an_ambiguous_date_is_said_with_the_option_for_the_other_order(write):
    source = open_source(write("a,d\n1,03/04/2021\n2,03/05/2021\n"))
    (decision,) = source.decisions.about("column 'd'")
    assert decision.choice == "dates, month before day"
    assert "'03/04/2021' is 2021-03-04; no cell decides" in decision.reason
    assert "day before month: --types d=date:dmy (in Python types={'d': 'date:dmy'})" in (
        decision.reason
    )


def test_versions_and_addresses_are_no_malformed_numbers(write):
    kinds, _ = columns(write("v,ip\n1.10.2,192.168.0.1\n1.10.3,10.0.0.7\n"))
    assert kinds == {"v": "category", "ip": "category"}


@pytest.mark.parametrize(
    ("good", "odd", "missing"),
    [("true", "maybe", np.isnan), ("2020-01-01", "yesterday", np.isnat)],
)
def test_a_cell_far_down_that_is_not_of_the_type_of_its_column_is_missing(
    write, good, odd, missing
):
    source = open_source(write("c,n\n" + f"{good},1\n" * 200_000 + f"{odd},1\n"))
    with pytest.warns(UserWarning, match=rf"{odd!r}; the first in row 200000 \(line 200002\)"):
        column = np.concatenate([table.values["c"] for table in source.tables()])
    assert np.flatnonzero(missing(column)).tolist() == [200_000]


def test_text_where_numbers_are_needed_is_named(write):
    source = open_source(write("a,s\n1,\n2,abc\n"))
    with pytest.raises(ColumnError, match="column 's' holds text: 'abc' at row 1"):
        source.chunks()


def test_features_target_and_weight_are_chosen_by_name(write):
    path = write("id,a,y,w\nr1,1,p,1\nr2,2,q,3\n")
    got = gather(open_source(path, columns=["a"], target="y", weight="w"))
    assert (got.X.tolist(), got.y.tolist(), got.weight.tolist()) == ([[1], [2]], ["p", "q"], [1, 3])
    with pytest.raises(ColumnError, match="'z', and there is no such column"):
        open_source(path, target="z")


def test_a_bad_cell_in_a_column_that_is_not_needed_does_not_matter(write):
    assert matrix(write("a,b\n1,2\n2,x\n3,4\n"), columns=["a"]) == [[1], [2], [3]]


def test_labels_given_beside_a_file_must_fit(write):
    path = write("a\n1\n2\n3\n")
    assert gather(open_source(path, y=[7, 8, 9])).y.tolist() == [7, 8, 9]
    with pytest.raises(ParameterError, match="Both y and target"):
        open_source(path, y=[7, 8, 9], target="a")
    with pytest.raises(ShapeError, match="y holds 2 entries, the table has at least 3 rows"):
        gather(open_source(path, y=[7, 8]))
    with pytest.raises(ShapeError, match="y holds 4 entries, the table has 3 rows"):
        gather(open_source(path, y=[6, 7, 8, 9]))


def test_chunks_are_the_same_as_of_the_array(write):
    X = np.arange(30_000.0).reshape(-1, 3)
    path = write("a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in X.tolist()))
    for rows in (1000, 777, None):
        for got, wanted in zip(
            open_source(path).chunks(rows), open_source(X).chunks(rows), strict=True
        ):
            assert got.offset == wanted.offset
            np.testing.assert_array_equal(got.X, wanted.X)


def test_targets_of_a_date_and_a_number_keep_their_types(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c\n1,2024-01-01,3.5\n2,2024-01-02,1.5\n")
    y = next(open_source(path, target=["b", "c"]).tables()).y
    assert y[:, 1].tolist() == [3.5, 1.5]
    assert str(y[0, 0]).startswith("2024-01-01")


def test_ragged_lines_are_left_out_by_option_and_counted(write):
    rows = "".join(f"{i},{i / 8}\n" for i in range(40))
    path = write("a,b\n1,2\n3\n4,5,6\n7,8\nx,9\n" + rows)
    with pytest.raises(SourceError, match=r"line 3.*Correct that line, or give ragged='skip'"):
        open_source(path)
    source = open_source(path, ragged="skip")
    X = gather(source).X
    assert (X[:2].tolist(), len(X)) == ([[1, 2], [7, 8]], 43)
    assert "lines: 2 left out (they have other than 2 cells, as '3')" in str(source.decisions)
    assert "'x'; the first in row 2 (line 6)" in str(source.decisions)
    with pytest.raises(ParameterError, match="ragged='fill' is not known"):
        open_source(path, ragged="fill")


def test_two_columns_of_one_name_are_left_out_by_option(write):
    path = write("a,b,a\n1,2,3\n")
    with pytest.raises(ColumnError, match=r"in line 1. Rename one .* out with drop=\['a'\]"):
        open_source(path)
    assert matrix(path, drop=["a"]) == [[2]]


def test_truth_words_are_0_and_1_where_numbers_are_given(write):
    kinds, values = columns(write("a,b\ntrue,1\nfalse,2\n"), types={"a": "number"})
    assert (kinds["a"], values["a"]) == ("boolean", [1, 0])


@pytest.mark.parametrize("missing", ["", "1.5,\n"])
def test_labels_that_are_true_or_false_are_booleans(write, missing):
    path = write(f"x,ok\n1,true\n2,False\n{missing}")
    labels = next(open_source(path, target="ok").tables()).y
    assert labels.tolist() == [True, False, *([None] if missing else [])]
    assert columns(path)[1]["ok"][:2] == [1, 0]


@pytest.mark.parametrize("first", ["<!DOCTYPE html>", "\n<html lang='en'>"])
def test_a_web_page_in_the_place_of_a_table_is_called_one(write, first):
    with pytest.raises(SourceError, match="is a web page, not a table: it begins with '<"):
        open_source(write(f"{first}<head><title>404, not found</title></head>\n<p>a,b</p>\n"))
