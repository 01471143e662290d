"""Checks the packages as they stand: manifest hashes, and golden answers computed anew."""

import json

from .decide.golden import compute_decide_golden
from .golden import compute_golden
from .pack import hash_files
from .packages import PACKAGES, PackageSettings

# Far below the golden tolerance, far above what another processor or library adds to a float64 forward.
ALLOWED_DIFFERENCE = 1e-6


def verify_all() -> list[str]:
    """Every difference found, one sentence each; empty when all packages are whole."""
    problems = []
    for package in PACKAGES:
        found = verify_manifest(package) + verify_golden(package)
        problems += [f"{package.name}: {problem}" for problem in found]
    return problems


def verify_manifest(package: PackageSettings) -> list[str]:
    recorded = read_json(package, "manifest.json")["files"]
    actual = hash_files(package.folder)
    return [
        f"{name} is {actual.get(name, 'missing')}, manifest.json records {recorded.get(name, 'nothing')}"
        for name in sorted(recorded.keys() | actual.keys())
        if recorded.get(name) != actual.get(name)
    ]


def verify_golden(package: PackageSettings) -> list[str]:
    recorded = read_json(package, "golden.json")
    same, largest = compare(recorded, fresh_golden(package))
    print(f"verify: {package.name}: largest golden difference {largest:.2g}")
    if not same:
        return ["golden.json has other probes than the code"]
    return [] if largest <= ALLOWED_DIFFERENCE else [f"a golden answer is off by {largest:.2g}"]


def fresh_golden(package: PackageSettings) -> dict:
    if package.family == "marker_decisions":
        return compute_decide_golden(package.folder, read_json(package, "rtrun.json")["decisions"])
    return compute_golden(package, package.folder)


def compare(recorded: object, fresh: object) -> tuple[bool, float]:
    """Whether all but the numbers is the same, and the largest difference of the numbers."""
    if isinstance(recorded, float | int) and isinstance(fresh, float | int):
        return True, abs(recorded - fresh)
    if type(recorded) is not type(fresh):
        return False, 0.0
    if isinstance(recorded, dict):
        pairs = [(recorded[key], fresh[key]) for key in recorded] if recorded.keys() == fresh.keys() else None
    elif isinstance(recorded, list):
        pairs = list(zip(recorded, fresh, strict=True)) if len(recorded) == len(fresh) else None
    else:
        return recorded == fresh, 0.0
    if pairs is None:
        return False, 0.0
    found = [compare(*pair) for pair in pairs]
    return all(same for same, _ in found), max((difference for _, difference in found), default=0.0)


def read_json(package: PackageSettings, name: str) -> dict:
    return json.loads((package.folder / name).read_text(encoding="utf-8"))
