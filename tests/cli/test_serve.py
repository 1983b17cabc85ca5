"""`lookalike serve` opens what it is given, or says in one sentence why not."""

from __future__ import annotations

import pytest
from service import process

import lookalike
from lookalike.cli.program import run

pytest.importorskip("fastapi", reason="fastapi is not installed")


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "m.lookalike"
    lookalike.save(lookalike.KNeighborsClassifier(1).fit([[0.0], [1.0]], ["a", "b"]), path)
    return path


def test_what_cannot_be_served_is_one_sentence(capsys, tmp_path, model):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.lookalike").write_bytes(b"no model")
    for arguments, part in (
        (["nowhere/model.lookalike"], "does not exist"),
        ([tmp_path / "empty"], "no model files"),
        ([tmp_path / "broken.lookalike"], "broken.lookalike"),
        ([model, "--corrections", tmp_path / "c.csv"], "is for the page"),
        ([model, "--host", "not-an-address.invalid"], "cannot be listened on"),
        ([model, "--token-file", tmp_path / "none"], "none"),
    ):
        assert run(["serve", *map(str, arguments)]) == 2, arguments
        stderr = capsys.readouterr().err
        assert part in stderr
        assert "Traceback" not in stderr


def test_another_address_gets_a_token_that_is_printed_once(model, monkeypatch):
    monkeypatch.delenv("LOOKALIKE_TOKEN", raising=False)
    with process(model, "--host", "0.0.0.0", "--allow-host", "box.example") as service:
        (line,) = [line for line in service.printed if "Token" in line]
        token = line.split()[-1]
        assert len(token) > 40
        service.address = service.address.replace("0.0.0.0", "127.0.0.1")
        service.wait_ready()
        body, bearer = {"rows": [[0.2]]}, {"authorization": f"Bearer {token}"}
        assert service.post("/v1/predict", body).status == 401
        reply = service.post("/v1/predict", body, host="box.example", **bearer)
        assert reply.json()["predictions"] == ["a"]
        service.child.terminate()
        assert service.child.wait(30) == 0
        assert token not in service.child.stdout.read()


def test_a_model_that_cannot_be_served_is_named_first_and_others_are_served(model, tmp_path):
    (tmp_path / "broken.lookalike").write_bytes(b"no model")
    (tmp_path / "gone.lookalike").symlink_to(tmp_path / "nowhere.lookalike")
    with process(tmp_path) as service:
        said = [line for line in service.printed if line.startswith(("Not served", "Serving"))]
        assert said[0].startswith("Not served: broken. The file could not be loaded: broken.look")
        assert said[1] == (
            "Not served: gone. gone.lookalike is a symbolic link whose target does not exist.\n"
        )
        assert said[2].startswith("Serving ")
        service.wait_ready()
        listed = {one["name"]: one for one in service.get("/v1/models").json()["models"]}
        assert [name for name, one in listed.items() if one["ready"]] == ["m"]
        assert str(tmp_path) not in str(listed)
        answer = service.post("/v1/predict?model=m", {"rows": [[0.2]]}).json()
        assert answer["predictions"] == ["a"]


def test_data_are_served_by_their_study(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["study", "iris", "--models", "lda", "--time", "1s"]) == 0
    capsys.readouterr()
    with process("iris") as service:
        assert any("iris_study is served, the study of iris" in line for line in service.printed)
        service.wait_ready()
        answer = service.post("/v1/neighbors?k=3", {"rows": [[5.1, 3.5, 1.4, 0.2]]}).json()
        assert answer["rows"][0][0] == 0
        assert "neighbors come from its K-NN companion" in answer["neighbors_by"]
