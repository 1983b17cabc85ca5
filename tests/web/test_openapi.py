"""The OpenAPI document lists the problems of a route; fuzz/test_routes.py draws its requests."""

from __future__ import annotations


def test_every_route_lists_its_problems(service):
    for path, methods in service.get("/openapi.json").json()["paths"].items():
        for method, route in methods.items():
            if path.startswith("/v1"):
                assert {"200", "401", "404", "413", "422", "503"} <= set(route["responses"])
                problem = route["responses"]["422"]["content"]
                assert list(problem) == ["application/problem+json"], (method, path)
