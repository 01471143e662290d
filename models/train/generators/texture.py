"""How people really type: lower case, lost punctuation, typos, emoji, a word of greeting. Independent of the label."""

import random

EMOJI = ["🙂", "😅", "🙏", "👍", "🔥", "🤔", "😂", "✨", "👀", "💡"]
OPENERS = ["hey", "hi", "Hi there,", "ok so", "Hello!", "um", "quick one:", "so", "Good morning,", "yo", "Alright,", "btw"]
CLOSERS = ["thx", "pls", "Thank you!", "asap", "Cheers", "thanks in advance", "please", "!!", "..."]


def roughen(text: str, chance: random.Random, language: str = "en") -> str:
    """The text as one of many people would type it; about half of the texts stay as they are."""
    if chance.random() < 0.5:
        return text
    steps = [lower_case, drop_punctuation, add_emoji, change_spacing, shout]
    if language == "en":
        steps += [mistype, add_opener, add_closer, lower_case]
    for step in chance.sample(steps, chance.choice([1, 1, 2])):
        text = step(text, chance)
    return text


def lower_case(text: str, chance: random.Random) -> str:
    return text.lower()


def drop_punctuation(text: str, chance: random.Random) -> str:
    return text.rstrip(" .!?。！？") if chance.random() < 0.6 else text.translate(str.maketrans("", "", ".,!?;'"))


def add_emoji(text: str, chance: random.Random) -> str:
    return f"{text} {chance.choice(EMOJI)}"


def change_spacing(text: str, chance: random.Random) -> str:
    return text.replace(". ", chance.choice([".  ", ".\n", "\n\n"]))


def shout(text: str, chance: random.Random) -> str:
    return text.upper() if len(text) < 90 and chance.random() < 0.3 else text


def add_opener(text: str, chance: random.Random) -> str:
    return f"{chance.choice(OPENERS)} {text}"


def add_closer(text: str, chance: random.Random) -> str:
    return f"{text} {chance.choice(CLOSERS)}"


def mistype(text: str, chance: random.Random) -> str:
    """One to three letters swapped, doubled or lost inside words."""
    letters = list(text)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(max(1, len(letters) - 1))
        if not all(letter.isalpha() for letter in letters[at : at + 2]):
            continue
        kind = chance.choice(["swap", "lose", "double"])
        if kind == "swap":
            letters[at : at + 2] = reversed(letters[at : at + 2])
        elif kind == "lose":
            del letters[at]
        else:
            letters.insert(at, letters[at])
    return "".join(letters)
