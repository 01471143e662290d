"""Writes what makes a folder a package: `rtrun.json`, `golden.json` and `manifest.json`."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from .golden import format_golden
from .packages import STATIC, PackageSettings

STATIC_FILES = ("model.safetensors", "tokenizer.json", "config.json", "modules.json")


def copy_static(weights_folder: Path) -> None:
    """Takes the static model's files as published."""
    STATIC.folder.mkdir(exist_ok=True)
    for name in STATIC_FILES:
        shutil.copyfile(weights_folder / name, STATIC.folder / name)


def pack(package: PackageSettings, folder: Path, settings: dict, golden: Callable[[Path], dict]) -> None:
    """Writes the three files for the weights in `folder`; the card has to stand there before, for the manifest covers it."""
    write_json(folder / "rtrun.json", describe(package) | settings)
    (folder / "golden.json").write_text(format_golden(golden(folder)), encoding="utf-8")
    for path in package_files(folder):
        path.chmod(0o644)
    write_json(folder / "manifest.json", {"schema": 1, "files": hash_files(folder)})
    print(f"pack: {package.name}: {sum(path.stat().st_size for path in package_files(folder)) / 1e6:.2f} MB")


def describe(package: PackageSettings) -> dict:
    """What `rtrun.json` says of every package."""
    return {
        "schema": 1,
        "family": package.family,
        "licence": package.licence,
        "max_tokens": package.max_tokens,
    }


def hash_files(folder: Path) -> dict[str, dict]:
    """Size and SHA-256 of every file but the manifest, by name."""
    return {
        path.relative_to(folder).as_posix(): {
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in package_files(folder)
        if path.name != "manifest.json"
    }


def package_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def write_json(path: Path, content: dict) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
