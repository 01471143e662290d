"""Checks the packages as they stand: manifest hashes, and golden answers computed anew."""

import json

import numpy as np

from .golden import compute_golden
from .pack import describe, hash_files
from .packages import MINILM, STATIC, PackageSettings

# Far below the golden tolerance, far above what another processor or library adds to a float64 forward.
ALLOWED_DIFFERENCE = 1e-6


def verify_all() -> list[str]:
    """Every difference found, one sentence each; empty when both packages are whole."""
    problems = []
    for package in (STATIC, MINILM):
        found = verify_manifest(package) + verify_settings(package) + verify_golden(package)
        problems += [f"{package.name}: {problem}" for problem in found]
    return problems


def verify_manifest(package: PackageSettings) -> list[str]:
    recorded = read_json(package, "manifest.json")["files"]
    actual = hash_files(package)
    return [
        f"{name} is {actual.get(name, 'missing')}, manifest.json records {recorded.get(name, 'nothing')}"
        for name in sorted(recorded.keys() | actual.keys())
        if recorded.get(name) != actual.get(name)
    ]


def verify_settings(package: PackageSettings) -> list[str]:
    same = read_json(package, "rtrun.json") == describe(package)
    return [] if same else ["rtrun.json differs from what pack would write"]


def verify_golden(package: PackageSettings) -> list[str]:
    recorded, actual = read_json(package, "golden.json"), compute_golden(package)
    problems, largest = [], 0.0
    for kind, answer in (("embeddings", "vector"), ("classify", "probabilities")):
        probes, fresh = recorded.get(kind, []), actual.get(kind, [])
        if [probe["text"] for probe in probes] != [probe["text"] for probe in fresh]:
            problems.append(f"golden.json has other {kind} probes than packages.py")
            continue
        for probe, now in zip(probes, fresh):
            difference = float(np.abs(np.subtract(probe[answer], now[answer])).max())
            largest = max(largest, difference)
            if difference > ALLOWED_DIFFERENCE:
                problems.append(f"golden {kind} probe {probe['text'][:40]!r} is off by {difference:.2g}")
    print(f"verify: {package.name}: largest golden difference {largest:.2g}")
    return problems


def read_json(package: PackageSettings, name: str) -> dict:
    return json.loads((package.folder / name).read_text(encoding="utf-8"))
