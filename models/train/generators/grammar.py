"""Texts composed from lists of words and frames, of which each split sees only its own share."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from .deal import Split, deal, dealt
from .row import Row

WORDS = Path(__file__).parent / "words"
SLOT = re.compile(r"\{(\^?)([a-z][a-z_]*)(?:#(\d))?\}|\{([^{}]*\|[^{}]*)\}")
MAX_TRIES_PER_ROW = 40


@dataclass(frozen=True)
class Frame:
    text: str
    family: str
    language: str

    @property
    def id(self) -> str:
        return f"{self.family}-{sha256(self.text.encode()).hexdigest()[:8]}"


class Grammar:
    """`words/<task>_*.json` as one split sees it. A file holds `lists` (dealt to the splits entry by entry), `glue` (words
    without content, shared) and `frames` by label and family; "family@de" says the language, "family!contrast" the split.

    In a text, {name} is a random entry of a list, {^name} the same with a capital, {name#1} the same entry wherever it stands
    in one text, {a|b} either, {number} a number from 2 to 99."""

    def __init__(self, task: str, split: Split) -> None:
        self.lists: dict[str, list[str]] = {}
        self.frames: dict[str, dict[str, list[Frame]]] = {}
        for path in sorted(WORDS.glob(f"{task}_*.json")):
            words = json.loads(path.read_text(encoding="utf-8"))
            self.lists |= words.get("glue", {})
            for name, entries in words.get("lists", {}).items():
                self.lists.setdefault(name, []).extend(dealt(entries, split))
            for label, families in words.get("frames", {}).items():
                for key, texts in families.items():
                    self._add_family(label, key, texts, split)

    def _add_family(self, label: str, key: str, texts: list[str], split: Split) -> None:
        named, _, only = key.partition("!")
        family, _, language = named.partition("@")
        kept = [Frame(text, family, language or "en") for text in texts if (only or deal(text)) == split]
        if kept:
            self.frames.setdefault(label, {}).setdefault(family, []).extend(kept)

    def pick_frame(self, label: str, chance: random.Random, family: str | None = None, excluded: tuple[str, ...] = ()) -> Frame:
        """A frame of the label, of one family if named; a family weighs as much as the square root of its frames."""
        families = self.frames[label]
        names = [family] if family in families else [name for name in families if name not in excluded]
        weights = [len(families[name]) ** 0.5 for name in names]
        return chance.choice(families[chance.choices(names, weights)[0]])

    def fill(self, text: str, chance: random.Random) -> str:
        bound: dict[str, str] = {}
        used: set[str] = set()
        while match := SLOT.search(text):
            text = text[: match.start()] + self._fill_slot(match, bound, used, chance) + text[match.end() :]
        return text

    def _fill_slot(self, match: re.Match[str], bound: dict[str, str], used: set[str], chance: random.Random) -> str:
        capital, name, number, options = match.groups()
        if options is not None:
            return chance.choice(options.split("|"))
        if name == "number":
            return str(chance.randint(2, 99))
        value = bound.get(f"{name}#{number}") or self.fill(self._pick_unused(name, used, chance), chance)
        if number:
            bound[f"{name}#{number}"] = value
        return value[:1].upper() + value[1:] if capital else value

    def _pick_unused(self, name: str, used: set[str], chance: random.Random) -> str:
        """An entry that does not stand in the text yet, as long as there is one."""
        entry = chance.choice([entry for entry in self.lists[name] if entry not in used] or self.lists[name])
        used.add(entry)
        return entry


def draw_distinct(draw: Callable[[], Row], count: int, max_repeats: int = 1) -> list[Row]:
    """`count` distinct rows, a text at most `max_repeats` times (with other previous turns); fewer only if the frames give
    no more."""
    rows: dict[tuple[str, str | None], Row] = {}
    repeats: Counter[str] = Counter()
    for _ in range(count * MAX_TRIES_PER_ROW):
        if len(rows) == count:
            break
        row = draw()
        text = row.text.lower()
        if (text, row.previous) not in rows and repeats[text] < max_repeats:
            rows[text, row.previous] = row
            repeats[text] += 1
    return list(rows.values())
