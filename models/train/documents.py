"""Documents as agents read them: parts of the files of packages, as they are and with a text planted.

The files are those of the packages that building and training bring, so what trains changes with their versions. Of a quarter of the
packages nothing trains; these measure (see `bench/planted/documents.ts`).
"""

import hashlib
import os
import random
import re
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from .signals.examples import Example, TaskData

REPOSITORY = Path(__file__).parents[2]
CRATES = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry/src"
SUFFIXES = frozenset(".md .txt .rst .py .rs .ts .js .mjs .toml .json .yaml .yml .css .html .sh .c .h .cpp .go".split())
# Of one package, so that none of them is the task.
FILES_OF_A_KIND = 4
LEAST, LONGEST_LINE = 600, 160
# Documents about attacks quote them.
TELLS = re.compile(r"(ignore|disregard|forget)[^.]{0,40}(instruction|prompt)|jailbreak|system prompt|prompt injection", re.IGNORECASE)
PLAIN, ATTACKED, BESIDE = 9000, 6000, 3000
# What is planted is no longer, so that most of a window is the document.
PLANTED = range(25, 400)
# Orders of users and of programs are harmless where they come from, and not in what an agent reads: they do not train within other texts.
ORDERS = ("written/steering/", "written/harness/", "written/prompts/", "addressed/harmless")
MARKS = ("", "", "", "- ", "# ", "// ", "> ", "* ")


Document = tuple[str, str]
"""Source and text."""


def with_documents(task: TaskData, documents: list[Document], seed: int) -> TaskData:
    """The task of attacks with parts of documents among what trains: plain, with an attack, and with a harmless text in it."""
    chance = random.Random(f"{seed}/documents")
    short = [row for row in task.train if len(row.text) in PLANTED]
    attacks = [row for row in short if row.label == "jailbreak"]
    harmless = [row for row in short if row.label == "benign" and not row.source.startswith(ORDERS)]
    rows = [Example(part_of(text, chance), source, "benign") for source, text in chance.choices(documents, k=PLAIN)]
    for planted, count in ((attacks, ATTACKED), (harmless, BESIDE)):
        for source, text in chance.choices(documents, k=count):
            row = chance.choice(planted)
            rows.append(Example(plant(part_of(text, chance), row.text, chance), source, row.label))
    return replace(task, train=task.train + rows)


def package_folders() -> Iterator[tuple[str, Path]]:
    """Each with the kind of package. Raises where a kind is missing, because fewer documents make another model."""
    npm, python = REPOSITORY / "node_modules", Path(sysconfig.get_path("purelib"))
    for kind, roots in (("npm", [npm, *npm.glob("@*")]), ("python", [python]), ("crates", list(CRATES.glob("*")))):
        found = [folder for root in roots if root.is_dir() for folder in sorted(root.iterdir()) if folder.is_dir() and folder.name[0] not in "@._"]
        if not found:
            raise FileNotFoundError(f"Cannot train with documents: there are no {kind} packages; run npm ci, cargo fetch and pip install -r requirements.txt")
        yield from ((kind, folder) for folder in found)


def measures(name: str) -> bool:
    """Whether the documents of this package only measure."""
    return hashlib.sha256(name.encode()).digest()[0] % 4 == 0


def read_documents(packages: Iterable[tuple[str, Path]]) -> Iterator[Document]:
    """Each text once, because most packages have the same licence."""
    chance, known = random.Random("documents"), set()
    for kind, folder in packages:
        if folder.is_symlink() or measures(folder.name):
            continue
        for path in files_of(folder, chance):
            text = path.read_bytes().decode("utf-8", "ignore")
            # Licences differ in their first lines alone.
            mark = re.sub(r"\W+", "", text[:3000]).lower()[200:500]
            if LEAST <= len(text) <= LONGEST_LINE * (text.count("\n") + 1) and mark not in known and not TELLS.search(text):
                known.add(mark)
                yield f"documents/{kind}/{folder.name}", text


def files_of(folder: Path, chance: random.Random) -> Iterator[Path]:
    """Some of each kind; a licence has no suffix."""
    kinds: dict[str, list[Path]] = {}
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - {"node_modules", "__pycache__"})
        for path in (Path(base) / name for name in sorted(names)):
            suffix = path.suffix.lower()
            if suffix in SUFFIXES or (suffix == "" and path.name.isupper()):
                kinds.setdefault(suffix, []).append(path)
    for suffix in sorted(kinds):
        yield from chance.sample(kinds[suffix], min(FILES_OF_A_KIND, len(kinds[suffix])))


def part_of(text: str, chance: random.Random) -> str:
    """Whole lines, about as many as a window holds."""
    lines, size = text.splitlines(keepends=True), chance.randint(200, 1100)
    at, part = chance.randrange(len(lines)), ""
    while at < len(lines) and len(part) < size:
        part, at = part + lines[at], at + 1
    return part


def plant(document: str, text: str, chance: random.Random) -> str:
    """The text as a line of the document."""
    lines = document.splitlines(keepends=True)
    at = chance.randint(0, len(lines))
    line = f"{chance.choice(MARKS)}{' '.join(text.split())}\n"
    return "".join([*lines[:at], line, *lines[at:]])
