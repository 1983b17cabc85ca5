import json

import numpy as np
import pytest

from lookalike.index.exact import ExactIndex

X = np.random.default_rng(0).standard_normal((200, 4))


@pytest.fixture
def files(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "more.npy", X[:10] + 5)
    np.save(tmp_path / "queries.npy", X[:6] + 0.1)
    return tmp_path


def test_an_index_is_built_changed_and_searched(files, run_cli):
    index = files / "rows.index"
    code, out, _ = run_cli("--memory", "1MB", "index", "build", files / "rows.npy", "-o", index)
    assert code == 0
    assert "rows\t200" in out
    assert run_cli("index", "add", index, files / "more.npy")[0] == 0
    assert run_cli("index", "remove", index, 0, 205)[0] == 0
    facts = json.loads(run_cli("index", "info", index, "--json")[1])
    assert (facts["rows"], facts["columns"], facts["metric"]) == (208, 4, "euclidean")
    code, out, _ = run_cli("neighbors", files / "queries.npy", "--index", index, "-k", "3")
    assert code == 0
    left = np.delete(np.concatenate([X, X[:10] + 5]), [0, 205], axis=0)
    reference = ExactIndex(left).query(X[:6] + 0.1, 3)
    lines = [line.split(",") for line in out.split()[1:]]
    assert [int(line[2]) for line in lines] == reference.row.reshape(-1).tolist()
    assert [float(line[3]) for line in lines] == reference.distance.reshape(-1).tolist()


def test_a_condition_on_columns_limits_a_search_of_an_index(table, tmp_path, run_cli, refused):
    lines = [f"{i},{'Rome' if i % 3 else 'Oslo'},{i * 2}" for i in range(30)]
    path = table("\n".join(["size,city,age", *lines, ""]))
    index = tmp_path / "i"
    assert run_cli("index", "build", path, "-o", index, "--keep", "city", "--keep", "age")[0] == 0
    search = ("neighbors", path, "--index", index, "-k", "2")
    code, out, note = run_cli(*search, "--where", "city == 'Oslo' and age > 8")
    assert code == 0  # the queries have columns that are not compared, and that is not an obstacle
    found = [int(line.split(",")[2]) for line in out.split()[1:]]
    assert len(found) == 60
    assert set(found) <= set(range(6, 30, 3))
    assert "MB a query" in note
    assert "names the column 'town'" in refused(*search, "--where", "town == 'Oslo'")


def test_an_index_takes_no_option_that_would_be_ignored(files, run_cli, refused):
    run_cli("index", "build", files / "rows.npy", "-o", files / "i", "--metric", "cosine")
    search = ("neighbors", files / "queries.npy", "--index", files / "i")
    assert "Leave out --query" in refused(*search, "--scale")
    assert "built by cosine" in refused(*search, "--metric", "mahalanobis")
    assert "does not exist" in refused("neighbors", files / "rows.npy", "--index", files / "none")


def test_rows_that_satisfy_a_condition_are_the_neighbors(table, run_cli, refused):
    lines = [f"{i},{'Rome' if i % 3 else 'Oslo'}" for i in range(30)]
    path = table("\n".join(["size,city", *lines, ""]))
    code, out, _ = run_cli("neighbors", path, "-k", "2", "--where", "city == 'Oslo' and size > 4")
    assert code == 0
    found = {int(line.split(",")[2]) for line in out.split()[1:]}
    assert found <= set(range(6, 30, 3))
    assert "names the column 'town'" in refused("neighbors", path, "--where", "town == 'Oslo'")
