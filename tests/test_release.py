"""What a release is made of says the same everywhere, and is what pyproject.toml says."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import distribution
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import lookalike

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RELEASE = ROOT / "release"
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # without the toolkits of windows


def test_the_versions_of_python_are_those_of_the_wheels():
    classified = re.findall(r"Python :: (3\.\d+)", str(PROJECT["project"]["classifiers"]))
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in classified]
    assert PROJECT["project"]["requires-python"] == f">={classified[0]}"
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in classified


def test_the_conda_recipe_needs_what_the_wheel_needs():
    recipe = (RELEASE / "conda" / "recipe.yaml").read_text()
    run = recipe.split("  run:\n")[1].split("\n\n")[0]
    listed = dict(re.findall(r"- ([\w-]+) (>=\S+)", run))
    assert listed.pop("python") == PROJECT["project"]["requires-python"]
    needed = dict(re.findall(r"'([\w-]+)(>=[^']+)'", str(PROJECT["project"]["dependencies"])))
    assert listed == {CONDA_NAMES.get(name, name): least for name, least in needed.items()}
    assert f'version: "{lookalike.__version__}"' in recipe


@pytest.mark.parametrize(
    "name",
    [
        *("CITATION.cff", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "LICENSE"),
        *(".github/ISSUE_TEMPLATE/bug.md", ".github/ISSUE_TEMPLATE/wish.md"),
        *PROJECT["project"]["license-files"],
    ],
)
def test_what_a_release_promises_is_there(name):
    assert (ROOT / name).stat().st_size > 200


def test_the_citation_is_of_this_version():
    assert f"version: {lookalike.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_license_of_compiled_code_is_the_one_that_came_with_it():
    nanobind = pytest.importorskip("nanobind", reason="nanobind is needed to build, not to run")
    texts = (RELEASE / "third_party_licenses.txt").read_text()
    files = distribution("nanobind").files or ()
    (license_file,) = (file for file in files if file.name == "LICENSE")
    assert license_file.read_text().strip() in texts
    header = Path(nanobind.include_dir()).parent / "ext/robin_map/include/tsl/robin_map.h"
    for line in header.read_text().split("*/")[0].splitlines()[1:]:
        assert line.strip(" *") in texts


def test_the_bill_of_materials_names_every_dependency_in_its_version():
    pytest.importorskip("packaging", reason="it reads the markers of requirements")
    spec = spec_from_file_location("sbom", RELEASE / "sbom.py")
    sbom = module_from_spec(spec)
    spec.loader.exec_module(sbom)
    document = sbom.materials()
    versions = {part["name"]: part.get("version") for part in document["components"]}
    for requirement in PROJECT["project"]["dependencies"]:
        name = re.match(r"[\w-]+", requirement)[0]
        assert versions[name] == distribution(name).version
    assert {"nanobind", "robin_map"} <= versions.keys()
    known = {*versions, "lookalike"}
    assert all({one["ref"], *one["dependsOn"]} <= known for one in document["dependencies"])
