"""Writes what makes a folder a package: `rtrun.json`, `golden.json` and `manifest.json`."""

import hashlib
import json
import shutil
from pathlib import Path

from .golden import compute_golden, format_golden
from .packages import HEAD_FILE, LABELS, MINILM, STATIC, PackageSettings
from .results import RESULTS

STATIC_FILES = ("model.safetensors", "tokenizer.json", "config.json", "modules.json")
HEAD_THRESHOLD = 0.5


def copy_static(weights_folder: Path) -> None:
    """Takes the static model's files as published."""
    STATIC.folder.mkdir(exist_ok=True)
    for name in STATIC_FILES:
        shutil.copyfile(weights_folder / name, STATIC.folder / name)


def pack_all() -> None:
    """Packs both packages; the card has to stand in the folder before, for the manifest covers it."""
    for package in (STATIC, MINILM):
        write_json(package.folder / "rtrun.json", describe(package))
        text = format_golden(compute_golden(package))
        (package.folder / "golden.json").write_text(text, encoding="utf-8")
        for path in package_files(package):
            path.chmod(0o644)
        write_json(package.folder / "manifest.json", {"schema": 1, "files": hash_files(package)})
        print(f"pack: {package.name}: {sum(path.stat().st_size for path in package_files(package)) / 1e6:.2f} MB")


def describe(package: PackageSettings) -> dict:
    """The content of `rtrun.json`."""
    settings = {
        "schema": 1,
        "family": package.family,
        "licence": package.licence,
        "max_tokens": package.max_tokens,
        "pooling": "mean",
        "normalize": True,
    }
    if package.head:
        settings["heads"] = [describe_head(package.head)]
    return settings


def describe_head(name: str) -> dict:
    figures = json.loads((RESULTS / f"{name}_head.json").read_text(encoding="utf-8"))
    return {
        "name": name,
        "kind": "sequence",
        "labels": list(LABELS),
        "file": HEAD_FILE,
        "weight": f"{name}.weight",
        "bias": f"{name}.bias",
        "temperature": figures["temperature"],
        "threshold": HEAD_THRESHOLD,
    }


def hash_files(package: PackageSettings) -> dict[str, dict]:
    """Size and SHA-256 of every file but the manifest, by name."""
    return hash_folder(package.folder)


def hash_folder(folder: Path) -> dict[str, dict]:
    """Size and SHA-256 of every file of a folder but the manifest, by name."""
    return {
        path.relative_to(folder).as_posix(): {
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def package_files(package: PackageSettings) -> list[Path]:
    return sorted(path for path in package.folder.rglob("*") if path.is_file())


def write_json(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
