"""Models are loaded again when their files are replaced, and a broken file changes nothing."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from service import BackgroundServer, ServeOptions, Service, create_app, running

import lookalike
from lookalike.web.metrics import Metrics
from lookalike.web.registry import ModelRegistry


def constant(label):
    X = np.array([[0.0, 1.0], [2.0, 3.0], [1000.0, 1000.0]])
    return lookalike.KNeighborsClassifier(1).fit(X, [label, label, "far away"])


def replace(path, content):
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)


def described(service, place=0):
    return service.get("/v1/models").json()["models"][place]


def label(service, model="m"):
    reply = service.post(f"/v1/predict?model={model}", {"rows": [[1, 2]]})
    return reply.json()["predictions"][0]


def test_a_replaced_file_takes_over_and_a_broken_one_does_not(tmp_path):
    path = tmp_path / "m.lookalike"
    lookalike.save(constant("one"), path)
    with running({"m": path}, folder=tmp_path, reload_interval=0.02) as service:
        assert label(service) == "one"
        lookalike.save(constant("two"), path)
        service.wait_until(lambda: label(service) == "two")

        assert described(service)["version"] == 2
        good = path.read_bytes()
        for version, content in enumerate((good[: len(good) // 2], b"no model", b""), start=2):
            replace(path, content)
            service.wait_until(lambda: described(service)["failure"])
            failure = described(service)["failure"]
            assert f"Version {version} still serves" in failure
            assert str(tmp_path) not in failure
            assert label(service) == "two"
            assert service.get("/readyz").status == 200
            replace(path, good)
            service.wait_until(lambda: described(service)["failure"] is None)
            assert described(service)["version"] == version + 1
        path.unlink()
        assert label(service) == "two"
        lookalike.save(constant("new"), tmp_path / "other.lookalike")
        (tmp_path / "notes.txt").write_text("no model")
        service.wait_until(lambda: service.get("/v1/models").json()["models"][1:])
        service.wait_until(lambda: service.get("/readyz").status == 200)
        assert label(service, "other") == "new"


def test_no_answer_is_lost_or_mixed_while_models_are_replaced(tmp_path):
    path = tmp_path / "m.lookalike"
    lookalike.save(constant("0"), path)
    wrong, seen, done = [], [], threading.Event()

    with running({"m": path}, reload_interval=0.01) as service:

        def ask():
            while not done.is_set():
                reply = service.post("/v1/predict", {"rows": [[1, 2]]})
                if reply.status != 200:
                    wrong.append(reply.body)
                    continue
                content = reply.json()
                seen.append((content["version"], content["predictions"][0]))

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(1, 5):
            lookalike.save(constant(str(number)), path)
            service.wait_until(lambda number=number: label(service) == str(number))
        done.set()
        for thread in threads:
            thread.join()
    assert not wrong
    assert {answer for _, answer in seen} >= {"0", "4"}
    versions = dict(seen)
    assert all(versions[version] == answer for version, answer in seen)


def test_a_service_is_ready_only_when_a_model_answered_a_probe(tmp_path):
    class Unwilling:
        n_features_in_ = 2

        def predict(self, _):
            raise ZeroDivisionError

    with running({}) as service:
        assert service.get("/readyz").status == 503
    path = tmp_path / "m.lookalike"
    path.write_bytes(b"no model")
    options = ServeOptions(port=0, reload_interval=0.02)
    for models in ({"m": path}, {"m": Unwilling()}):
        with BackgroundServer(create_app(models, options=options), options) as server:
            service = Service(server.url)
            service.wait_until(lambda service=service: described(service)["failure"])
            assert service.get("/readyz").status == 503
            assert service.get("/healthz").status == 200
            assert service.post("/v1/predict", {"rows": [[1, 2]]}).status == 503


def test_models_stop_in_an_interpreter_that_exits_and_starts_no_thread():
    async def start_and_stop():
        registry = ModelRegistry({"m": constant("a")}, ServeOptions(), Metrics())
        registry.load_all()
        threads = ThreadPoolExecutor(1)
        asyncio.get_running_loop().set_default_executor(threads)
        threads.shutdown()
        await registry.stop()
        return registry

    (served,) = asyncio.run(start_and_stop()).serving.values()
    assert not served.queue._thread.is_alive()


def test_models_are_offered_while_requests_list_them():
    registry = ModelRegistry({}, ServeOptions(), Metrics())
    model, failures, done = constant("a"), [], threading.Event()

    def ask():
        try:
            while not done.is_set():
                assert all(described["ready"] is not None for described in registry.describe())
                assert registry.ready in (True, False)
        except Exception as error:
            failures.append(repr(error))

    readers = [threading.Thread(target=ask) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(8):
        registry.offer({f"m{number}": model})
    done.set()
    for reader in readers:
        reader.join()
    asyncio.run(registry.stop())
    assert not failures
    assert len(registry.serving) == 8


def test_a_dangling_link_is_named_in_the_log_and_served_once_its_target_is_there(tmp_path, caplog):
    model = lookalike.KNeighborsClassifier(1).fit([[0.0], [1.0]], ["a", "b"])
    lookalike.save(model, tmp_path / "m.lookalike")
    (tmp_path / "late.lookalike").symlink_to(tmp_path / "target.bin")
    options = ServeOptions(port=0, reload_interval=0.02)
    app = create_app({}, options=options, folder=tmp_path)
    with BackgroundServer(app, options) as server:
        service = Service(server.url)
        service.wait_ready()
        assert "late.lookalike is a symbolic link whose target does not exist" in caplog.text
        assert service.post("/v1/predict?model=m", {"rows": [[0.1]]}).status == 200
        lookalike.save(model, tmp_path / "target.bin")
        service.wait_until(
            lambda: service.post("/v1/predict?model=late", {"rows": [[0.1]]}).status == 200
        )
        assert caplog.text.count("late.lookalike is a symbolic link") == 1


def test_what_a_model_cannot_do_beside_predicting_is_refused_with_the_reason(tmp_path):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    X, y = [[0.0, 1.0], [1.0, 0.0], [0.2, 1.1], [1.1, 0.3]], [0, 1, 0, 1]
    with running({"m": LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)}) as service:
        assert service.post("/v1/predict", {"rows": X}).json()["predictions"] == y
        assert "transform" not in described(service)["operations"]
        reply = service.post("/v1/transform", {"rows": X})
        assert reply.status == 422
        assert "m has no transform: " in reply.json()["detail"]
        assert described(service)["refused"].keys() == {"transform"}


def test_a_model_answers_without_a_companion_that_cannot_be_read(tmp_path, caplog):
    model = lookalike.Ridge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    lookalike.save(model, tmp_path / "model.lookalike")
    (tmp_path / "study.json").write_text("{}")
    (tmp_path / "neighbors.lookalike").write_bytes(b"no model")
    with running({"m": tmp_path / "model.lookalike"}) as service:
        assert service.post("/v1/predict", {"rows": [[1.0]]}).status == 200
        assert "neighbors" not in described(service)["operations"]
        assert "the companion is not used" in caplog.text


@pytest.mark.parametrize("error", [PermissionError("no"), RecursionError(), MemoryError("m")])
def test_files_are_looked_at_whatever_a_companion_raises(tmp_path, monkeypatch, error):
    def failing(_):
        raise error

    path = tmp_path / "m.lookalike"
    lookalike.save(constant("one"), path)
    with running({"m": path}, reload_interval=0.02) as service:
        monkeypatch.setattr("lookalike.web.registry.load_companion", failing)
        for name in ("two", "three"):
            lookalike.save(constant(name), path)
            service.wait_until(lambda name=name: label(service) == name)


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX alone")
def test_a_model_whose_name_is_no_text_is_served_and_counted(tmp_path):
    lookalike.save(constant("one"), tmp_path / "m.lookalike")
    odd = os.fsencode(tmp_path) + b"/\xff\n.lookalike"
    os.rename(tmp_path / "m.lookalike", odd)
    with running({"first": constant("one")}, folder=tmp_path, reload_interval=0.02) as service:
        service.wait_until(lambda: len(service.get("/v1/models").json()["models"]) == 2)
        service.wait_until(
            lambda: all(one["ready"] for one in service.get("/v1/models").json()["models"])
        )
        for path in ("/metrics", "/openapi.json", "/readyz", "/v1/models"):
            assert service.get(path).status == 200
        assert label(service, "first") == "one"
