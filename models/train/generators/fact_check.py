"""Prompts that need checkable facts, and prompts that do not.

The rule. "fact_check": a good answer depends on facts about the world that do not stand in the prompt (who, when, how many, is it true,
medicine, law, prices, comparisons of real things, news), in whatever tone it is asked. "no_fact_check": code, maths with given numbers,
invention, rewriting, translation, role play, opinions on the user's own text, chat and plans with given data, also where the subject is a
real event or person. In a text of several turns the last one decides. Both sides draw on the same subjects, so that subjects tell nothing.
"""

import json
import random
from pathlib import Path

from .deal import Split, dealt
from .row import Row

WORDS = {name: part for file in ("fact_check.json", "fact_check_more.json") for name, part in json.loads((Path(__file__).parent / "words" / file).read_text(encoding="utf-8")).items()}
TOPICS = {name: topics.split(", ") for name, topics in WORDS["topics"].items()}
LABELS = {"yes": "fact_check", "no": "no_fact_check"}


def generate(split: Split, chance: random.Random, count: int) -> list[Row]:
    """Rows half and half; `source` names the frame."""
    rows: list[Row] = []
    seen: set[str] = set()
    misses = 0
    while len(rows) < count and misses < 50 * count:
        side = "yes" if len(rows) % 2 else "no"
        text, source, language = compose(side, split, chance)
        if text in seen:
            misses += 1
            continue
        seen.add(text)
        rows.append(Row(text=text, label=LABELS[side], source=f"generated/fact_check/{source}", language=language))
    return rows


def compose(side: str, split: Split, chance: random.Random) -> tuple[str, str, str]:
    """A prompt with its source and language. The contrast split has pairs of its own: alike in words, unlike in label."""
    if chance.random() < 0.18:
        language = chance.choice([name for name, bank in WORDS["other"].items() if dealt(bank[side], split)])
        bank = WORDS["other"][language]
        frame = chance.choice(dealt(bank[side], split))
        return frame.replace("{x}", chance.choice(dealt(bank["x"].split(", "), split) or bank["x"].split(", "))), f"{language}/{side}/{bank[side].index(frame)}", language
    hard = split == "contrast" and chance.random() < 0.4
    text, source = pick_hard(side, chance) if hard else ask(side, split, chance)
    if chance.random() < 0.15:
        before, _ = ask(chance.choice(("yes", "no")), split, chance)
        return chance.choice(WORDS["turns"]).replace("{before}", before).replace("{now}", text), source, "en"
    if chance.random() < 0.25:
        text += chance.choice(dealt(WORDS["closers"] + ([] if hard else WORDS["tones"]), split))
    if chance.random() < 0.2:
        text = chance.choice(dealt(WORDS["openers"], split)) + text
    elif chance.random() < 0.4:
        before, after = chance.sample(dealt(WORDS["backgrounds"], split), 2)
        text = f"{before} {text}" if chance.random() < 0.6 else f"{before} {after} {text}" if chance.random() < 0.5 else f"{before}\n{text}"
    return roughen(text, chance), source, "en"


def pick_hard(side: str, chance: random.Random) -> tuple[str, str]:
    bank = WORDS["hard_" + side]
    number = chance.randrange(len(bank))
    return bank[number], f"{side}/hard/{number}"


def ask(side: str, split: Split, chance: random.Random) -> tuple[str, str]:
    """A prompt of one side, and the name of its frame."""
    frames = [
        (topic, number, frame)
        for topic, bank in WORDS[side].items()
        for number, frame in enumerate(bank)
        # There are too few ways to chat to deal out.
        if (split == "train" if topic == "chat" else frame in dealt(bank, split))
    ]
    topic, number, frame = chance.choice(frames)
    if topic == "maths":
        return frame.replace("{n}", str(chance.randint(11, 990))).replace("{m}", str(chance.randint(2, 10))), f"{side}/{topic}/{number}"
    subjects = dealt(TOPICS[topic], split)
    first = chance.choice(subjects)
    second = chance.choice([subject for subject in subjects if subject != first] or TOPICS[topic][:1])
    text = frame.replace("{x2}", second).replace("{x}", first)
    return text, f"{side}/{topic}/{number}"


def roughen(text: str, chance: random.Random) -> str:
    style = chance.random()
    if style < 0.2:
        return text.lower()
    if style < 0.3:
        return text.rstrip("?.!")
    return text[0].upper() + text[1:] if style < 0.5 else text
