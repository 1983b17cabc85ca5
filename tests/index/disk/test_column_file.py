import numpy as np
import pytest

from lookalike.errors import ColumnError, ModelFileError, ParameterError
from lookalike.index.disk import DiskIndex, build, build_index_file, segment
from lookalike.index.exact import ExactIndex


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(build, "BUILD_BLOCK_ROWS", 64)
    monkeypatch.setattr(segment, "CONDITION_ROWS", 70)


@pytest.fixture
def table():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.standard_normal((300, 3)), columns=list("abc"))
    frame["kind"] = rng.choice(["red", "green", "it's blue"], 300)
    frame["price"] = np.round(rng.uniform(0, 20, 300), 2)
    return frame


def expected(table, mask, k):
    X = table[["a", "b", "c"]].to_numpy()
    found = ExactIndex(X[mask]).query(X[:9], k)
    return found._replace(row=np.flatnonzero(mask)[found.row])


def assert_same(found, reference):
    np.testing.assert_array_equal(found.row, reference.row)
    np.testing.assert_array_equal(found.distance, reference.distance)


def test_conditions_on_columns_kept_and_compared_limit_a_search_on_disk(tmp_path, table):
    build_index_file(tmp_path / "i", table, keep=["kind", "price"])
    index = DiskIndex(tmp_path / "i")
    assert index.n_features == 3
    Q = table[["a", "b", "c"]].to_numpy()[:9]
    conditions = {
        "price < 10 and kind == 'red'": (table.price < 10) & (table.kind == "red"),
        'kind == "it\'s blue"': table.kind == "it's blue",
        "kind in ['red', 'green'] and a > 0": (table.kind != "it's blue") & (table.a > 0),
        "not (b < 0.5)": ~(table.b < 0.5),
    }
    for where, mask in conditions.items():
        assert_same(index.query(Q, 7, where=where), expected(table, mask.to_numpy(), 7))
    mask = (table.price > 19.5).to_numpy()
    every = int(mask.sum())  # never fewer than asked while rows remain
    found = index.query(Q, every, where=lambda rows: rows["price"] > 19.5)
    assert_same(found, expected(table, mask, every))
    with pytest.raises(ParameterError, match=f"where= leaves {every}"):
        index.query(Q, every + 1, where="price > 19.5")
    with pytest.raises(ParameterError, match="where leaves no row"):
        index.query(Q, 1, where="price > 100")
    with pytest.raises(ColumnError, match="the column 'cost', and the rows have 'kind', 'price'"):
        index.query(Q, 1, where="cost > 100")
    near = index.query_radius(Q, 1.0, where="kind == 'red'")
    assert (table.kind.to_numpy()[near.row] == "red").all()


def test_rows_added_and_removed_have_their_kept_columns(tmp_path, table):
    build_index_file(tmp_path / "i", table[:200], keep=["kind", "price"])
    index = DiskIndex(tmp_path / "i")
    with pytest.raises(ColumnError, match="The index keeps the column 'kind'"):
        index.add(table[["a", "b", "c"]][200:])
    index.add(table[200:].reset_index(drop=True))
    index.remove([0, 150, 210])
    left = table.drop(index=[0, 150, 210]).reset_index(drop=True)
    mask = ((left.kind == "green") & (left.price >= 3)).to_numpy()
    Q = left[["a", "b", "c"]].to_numpy()[:9]
    found = DiskIndex(tmp_path / "i").query(Q, 5, where="kind == 'green' and price >= 3")
    assert_same(found, expected(left, mask, 5))


def test_missing_values_satisfy_no_condition_and_only_kept_columns_may_have_them(tmp_path, table):
    table.loc[3, "kind"] = None
    table.loc[4, "price"] = np.nan
    build_index_file(tmp_path / "i", table, keep=["kind", "price"])
    index = DiskIndex(tmp_path / "i")
    assert not index.rows_where("kind == 'red'")[3]
    assert not index.rows_where("price < 99")[4]
    assert index.rows_where("price < 99").sum() == 299


def test_wrong_names_and_damaged_columns_are_refused(tmp_path, table):
    with pytest.raises(ColumnError, match="keep names the column 'size'"):
        build_index_file(tmp_path / "i", table, keep=["size"])
    with pytest.raises(ColumnError, match="none is left to compare"):
        build_index_file(tmp_path / "i", table, keep=list(table.columns))
    with pytest.raises(ColumnError, match="column 'kind' holds"):
        build_index_file(tmp_path / "i", table, keep=["price"])
    assert not (tmp_path / "i").exists()
    build_index_file(tmp_path / "i", table, keep=["price", "kind"])
    price = next(f for f in (tmp_path / "i").iterdir() if f.stat().st_size == 2400)
    price.write_bytes(bytes(2400))
    with pytest.raises(ModelFileError, match="damaged: it was changed or cut"):
        DiskIndex(tmp_path / "i").rows_where("price < 10")
    price.write_bytes(bytes(2399))
    with pytest.raises(ModelFileError, match="2399 of 2400 bytes"):
        DiskIndex(tmp_path / "i")


def test_columns_are_kept_from_csv_parquet_and_frames(tmp_path, table):
    table.to_csv(tmp_path / "rows.csv", index=False)
    sources = [tmp_path / "rows.csv", table]
    if pytest.importorskip("pyarrow"):
        table.to_parquet(tmp_path / "rows.parquet")
        sources.append(tmp_path / "rows.parquet")
    mask = (table.kind == "red").to_numpy()
    reference = expected(table, mask, 4)
    for source in sources:
        build_index_file(tmp_path / "i", source, keep=["kind", "price"], metric="euclidean")
        index = DiskIndex(tmp_path / "i")
        Q = table[["a", "b", "c"]].to_numpy()[:9]
        np.testing.assert_array_equal(index.query(Q, 4, where="kind == 'red'").row, reference.row)
