"""Print the bill of materials of an installed lookalike: CycloneDX 1.6, as JSON.

`python release/sbom.py > sbom.json`. It names what the base set needs, directly or not, in the
versions that are installed, and the libraries that are compiled into the native module.
"""

from __future__ import annotations

import json
from importlib.metadata import distribution

from packaging.requirements import Requirement

COMPILED_IN = {"nanobind": "BSD-3-Clause", "robin_map": "MIT"}  # see third_party_licenses.txt


def materials() -> dict[str, object]:
    """Return the document: lookalike, its parts, and which needs which."""
    needs = _needed("lookalike", {})
    needs["lookalike"] |= COMPILED_IN.keys()
    root = _component("lookalike", "application")
    compiled = [
        {"type": "library", "name": name, "bom-ref": name, "licenses": [{"license": {"id": kind}}]}
        for name, kind in COMPILED_IN.items()
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": root},
        "components": [_component(name) for name in sorted(needs) if name != "lookalike"]
        + compiled,
        "dependencies": [
            {
                "ref": name,
                "dependsOn": sorted(parts | ({*COMPILED_IN} if name == "lookalike" else set())),
            }
            for name, parts in sorted(needs.items())
        ],
    }


def _needed(name: str, known: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return what a package needs, what those need, and so on; extras are left out."""
    parts = {
        required.name.lower().replace("_", "-")
        for required in map(Requirement, distribution(name).requires or ())
        if required.marker is None or required.marker.evaluate({"extra": ""})
    }
    known[name] = parts
    for part in parts - known.keys():
        _needed(part, known)
    return known


def _component(name: str, kind: str = "library") -> dict[str, object]:
    about = distribution(name)
    license_name = about.metadata.get("License-Expression") or about.metadata.get("License") or ""
    first = license_name.strip().split("\n")[0]
    return {
        "type": kind,
        "name": name,
        "version": about.version,
        "bom-ref": name,
        "purl": f"pkg:pypi/{name}@{about.version}",
        **({"licenses": [{"license": {"name": first}}]} if first else {}),
    }


if __name__ == "__main__":
    print(json.dumps(materials(), indent=1))
