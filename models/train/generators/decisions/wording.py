"""How questions and options are worded: instructions from frames, options in one of several styles."""

import random
from string import ascii_uppercase

from .decision import Option
from .library import Attribute, Genre, Library, Value
from .marked_text import choose

STYLES = ("key", "words", "key_and_name", "key_and_name", "name", "letter_and_name", "number_and_name", "key_and_says", "letter_and_says")


def instruct(library: Library, attribute: Attribute, genre: Genre, kind: str, chance: random.Random) -> str:
    """Instructions about an attribute: its own question, or a frame around what it is about."""
    if chance.random() < 0.35:
        text = chance.choice(attribute.ask)
    else:
        text = put_in(chance.choice(library.wordings[kind]), "about", chance.choice(attribute.about))
    return vary(library, genre, text, chance)


def vary(library: Library, genre: Genre, text: str, chance: random.Random) -> str:
    """Now and then with a word about what the text is, in lower case, or without a stop."""
    context = chance.choice(library.wordings["context"])
    text = choose(put_in(context, "kind", chance.choice(genre.called)) + text, chance)
    style = chance.random()
    if style < 0.08:
        return text.lower()
    return text.rstrip(".?") if style < 0.16 else text


def put_in(frame: str, slot: str, text: str) -> str:
    """`{slot}` as it is, `{Slot}` with a capital."""
    capital = text[:1].upper() + text[1:]
    if text.startswith("{"):
        capital = text
    return frame.replace(f"{{{slot}}}", text).replace(f"{{{slot.capitalize()}}}", capital)


def name_options(values: list[Value], chance: random.Random) -> dict[str, Option]:
    """The options of one question by the key of their value, all in one style."""
    style = chance.choice(STYLES)
    which = chance.choice([0, 0, 1, None])
    options: dict[str, Option] = {}
    for place, value in enumerate(values):
        name = choose(chance.choice(value.names) if which is None else value.names[min(which, len(value.names) - 1)], chance)
        words = value.key.replace("_", " ")
        meaning = None if name.lower() == words.lower() else name
        mark = ascii_uppercase[place % 26] if style.startswith("letter") else str(place + 1)
        options[value.key] = {
            "key": (value.key, None), "words": (words, None), "name": (name, None), "key_and_name": (value.key, meaning),
            "letter_and_name": (mark, name), "number_and_name": (mark, name),
            "key_and_says": (value.key, value.says), "letter_and_says": (mark, value.says),
        }[style]
    if len({key for key, _ in options.values()}) < len(options):
        return name_options(values, chance)
    return options
