"""Every route of the explorer answers as the page expects, and errors are problems."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
import pytest
from service import running
from web.conftest import Service

from lookalike.web.app import create_app
from lookalike.web.explorer import open_exploration
from lookalike.web.options import ServeOptions
from lookalike.web.server import BackgroundServer


@pytest.fixture(scope="module")
def exploration(digits_folder, tmp_path_factory):
    place = tmp_path_factory.mktemp("corrections") / "fixed.csv"
    return open_exploration(digits_folder, corrections=place)


@pytest.fixture(scope="module")
def service(exploration):
    options = ServeOptions(port=0)
    with BackgroundServer(create_app({}, exploration=exploration, options=options), options) as one:
        yield Service(one.url)


def test_arrays_have_one_entry_for_every_row_in_the_type_of_the_session(service):
    session = service.get("/explore/session").json()
    n_rows = session["n_rows"]
    for one in session["maps"]:
        xy = np.frombuffer(service.get(f"/explore/maps/{one['id']}").body, "<f4").reshape(-1, 2)
        assert len(xy) == n_rows
        assert np.abs(xy).max() == 1.0
    for one in session["colors"][:10]:
        body = service.get(f"/explore/colors/{one['id'].replace(':', '%3A')}").body
        assert len(np.frombuffer(body, np.dtype(one["dtype"]))) == n_rows
    k = session["k"]["selected"]
    at_k = np.frombuffer(service.get(f"/explore/k/{k}/predicted").body, np.uint8)
    predicted = np.frombuffer(service.get("/explore/colors/predicted").body, np.uint8)
    assert np.array_equal(at_k, predicted)


def test_the_curve_of_k_is_that_of_the_study(service, digits_folder):
    written = json.loads((digits_folder / "study.json").read_text())
    curve = written["k_selection"]["curves"]["loo uniform"]["scores"]["error"]
    assert service.get("/explore/k").json()["error"] == curve


def test_rows_images_and_evidence_are_served(service):
    row = service.get("/explore/rows/3").json()
    assert row["image"]
    pillow = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    sprite = pillow.open(io.BytesIO(service.get("/explore/thumbnails?rows=1,2,3").body))
    assert sprite.size == (24, 8)
    single = pillow.open(io.BytesIO(service.get("/explore/rows/1/image.png").body))
    assert np.array_equal(np.asarray(sprite)[:, :8], np.asarray(single))
    evidence = service.get("/explore/rows/3/evidence?k=7").json()
    assert len(evidence["neighbors"]) >= 7


def test_images_are_rebuilt_from_components(service, exploration):
    pillow = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    summary = service.get("/explore/components").json()
    assert len(summary["explained"]) == summary["max"]
    whole = service.get(f"/explore/components/5.png?m={summary['max']}").body
    rebuilt = np.asarray(pillow.open(io.BytesIO(whole))).astype(int)
    original = exploration.images.gray(np.asarray(exploration.rows.dataset.rows)[[5]])[0]
    assert np.abs(rebuilt - original.astype(int)).max() <= 1
    assert service.get("/explore/components/5.png?m=999").status == 404


def test_decision_regions_are_codes_of_a_grid(service):
    found = service.get("/explore/regions?map=pca&k=5&size=16").json()
    codes = np.frombuffer(base64.b64decode(found["codes"]), np.uint8)
    assert len(codes) == 256
    assert codes.max() < 10
    assert "two coordinates of the map" in found["model"]


def test_a_selection_by_rows_is_that_of_its_bitmask(service, exploration):
    rows = [1, 5, 8, 600]
    mask = np.zeros(len(exploration.rows), bool)
    mask[rows] = True
    packed = base64.b64encode(np.packbits(mask, bitorder="little").tobytes()).decode()
    one = service.post("/explore/selection", {"rows": rows}).json()
    assert one == service.post("/explore/selection", {"mask": packed}).json()
    assert one["n"] == 4
    assert sum(inside for inside, _ in one["labels"].values()) == 4
    effects = [abs(column["effect"]) for column in one["columns"]]
    assert effects == sorted(effects, reverse=True)
    assert service.post("/explore/selection", {"mask": "AAAA"}).status == 422


def test_rows_are_found_by_number_and_label(service):
    assert service.get("/explore/search?q=17").json()["rows"] == [17]
    assert service.get("/explore/search?q=17").json()["kind"] == "row"
    assert service.get("/explore/search?q=nothing").json()["total"] == 0


def test_a_dropped_image_is_predicted_explained_and_placed(service):
    image = service.get("/explore/rows/4/image.png").body
    reply = service.post("/explore/query", {"image": base64.b64encode(image).decode()})
    found = reply.json()
    assert found["neighbors"][0] == 4
    assert found["distances"][0] < 0.2  # gray values of the file are whole numbers
    xy = np.frombuffer(service.get("/explore/maps/pca").body, "<f4").reshape(-1, 2)
    assert found["maps"]["pca"] == pytest.approx(xy[4].tolist(), abs=0.01)
    assert service.post("/explore/query", {"image": "bm8="}).status == 422
    assert service.post("/explore/query", {}).status == 422


def test_panels_have_a_table_for_every_chart(service):
    for name in ("leaderboard", "scree", "learning_curve", "confusion", "columns"):
        found = service.get(f"/explore/panels/{name}").json()
        assert found["title"]
        assert all(len(row) == len(found["columns"]) for row in found["rows"])
        chart = found["chart"] or {}
        names = [one if isinstance(one, str) else one["name"] for one in found["columns"]]
        for part in ("x", "value", "label", "low", "high", "interval"):
            assert part not in chart or chart[part] in names
        assert set(found.get("shares", ())) <= set(names)
        if name == "leaderboard":
            remarks = {row[0]: row[-1] for row in found["rows"]}
            assert remarks[chart["mark"]] == "selected"
    assert service.get("/explore/panels/other").status == 404


def test_a_cell_of_the_confusion_matrix_opens_its_rows(service):
    found = service.get("/explore/panels/confusion").json()
    for i, line in enumerate(found["rows"]):
        for j, count in enumerate(line[1:]):
            rows = service.get(f"/explore/confusion/{i}/{j}").json()["rows"]
            assert len(rows) == count
        if i == 2:
            break


def test_neighbors_agree_with_brute_force(service):
    found = service.post("/explore/self-check", {"rows": 60}).json()
    assert (found["rows_checked"], found["equal"], found["different"]) == (60, 60, [])


def test_a_label_is_corrected_undone_and_exported(service, exploration):
    state = service.get("/explore/review").json()
    item = next(one for one in state["queue"] if one["split"] == "train")
    body = {"row": item["row"], "label": item["suggested"]}
    effect = service.post("/explore/review/effect", body).json()
    done = service.post("/explore/review", {**body, "action": "relabel"}).json()
    assert done["error"]["value"] == effect["error_after"]
    assert done["decided"] == 1
    labels = np.frombuffer(service.get("/explore/colors/label").body, np.uint8)
    assert str(labels[item["row"]]) == item["suggested"]
    exported = service.get("/explore/review/corrections.csv").body.decode().splitlines()
    assert exported == ["row,action,label", f"{item['row']},relabel,{item['suggested']}"]
    assert service.post("/explore/review/undo", {}).json()["error"] == state["error"]
    assert service.post("/explore/review/undo", {}).status == 409
    assert len(service.get("/explore/review/log").json()["entries"]) == 2


def test_a_test_row_needs_a_confirmation(service, exploration):
    row = int(np.flatnonzero(exploration.rows.is_test)[0])
    reply = service.post("/explore/review", {"row": row, "action": "relabel", "label": "0"})
    assert reply.status == 409
    assert "test row" in reply.json()["detail"]


@pytest.mark.parametrize(
    "path", ["maps/none", "rows/5000", "colors/none", "rows/1/evidence?k=900", "confusion/a/b"]
)
def test_what_is_not_there_is_a_problem_with_a_sentence(service, path):
    reply = service.get(f"/explore/{path}")
    assert reply.status == 404
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["detail"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/selection", b'{"rows": ' + b"[" * 50 + b"]" * 50 + b"}", 422),
        ("/selection", b'{"rows": [' + b"[]," * 50_000 + b"[]]}", 413),
        ("/selection", b'{"rows": [1], "rows": [2]}', 400),
        ("/selection", b'{"rows": [NaN]}', 400),
        ("/selection", b'{"rows": [99999999999999999999999]}', 422),
        ("/selection", b'{"rows": [1', 400),
        ("/review", b'{"row": 1, "action": "relabel", "label": 1' + b"0" * 5000 + b"}", 400),
        ("/review/effect", b'{"row": 1e400, "label": "5"}', 422),
        ("/query", b'{"cells": {"a": [[[]]]}}', 422),
    ],
)
def test_bodies_of_the_page_are_read_strictly(service, path, body, status):
    reply = service.post(f"/explore{path}", body)
    assert reply.status == status, reply.body
    assert reply.json()["detail"]


def test_numbers_of_thousands_of_digits_are_no_rows(service):
    assert service.get("/explore/search?q=" + "9" * 5000).json()["total"] == 0
    assert service.get("/explore/thumbnails?rows=" + "9" * 5000).status == 422
    assert service.get("/explore/rows/" + "9" * 5000).status in (404, 422)


def test_the_pixels_of_thumbnails_are_limited(digits_folder, tmp_path):
    exploration = open_exploration(digits_folder, corrections=tmp_path / "fixed.csv")
    with running({}, exploration=exploration, limits={"result_cells": 640}) as service:
        assert service.get("/explore/thumbnails?rows=" + ",".join(["1"] * 10)).status == 200
        assert service.get("/explore/thumbnails?rows=" + ",".join(["1"] * 11)).status == 413
