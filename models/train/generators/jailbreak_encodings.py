"""Ways to write a text so that a filter of plain words does not see it."""

import base64
import codecs
import random
from collections.abc import Callable

LEET = str.maketrans("aeiost", "431057")
HOMOGLYPHS = str.maketrans("aeopcxi", "аеорсхі")
MORSE_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
MORSE = dict(zip("abcdefghijklmnopqrstuvwxyz", MORSE_CODES.split(), strict=True))

# A reader who knows no key still sees what a visible writing says; a hidden one has to be decoded first.
VISIBLE: dict[str, Callable[[str], str]] = {
    "leetspeak": lambda text: text.lower().translate(LEET),
    "spaced letters": lambda text: " ".join(text),
    "dots between letters": lambda text: " ".join(".".join(word) for word in text.split()),
    "look-alike letters": lambda text: text.translate(HOMOGLYPHS),
    "mixed case": lambda text: "".join(letter.upper() if at % 2 else letter.lower() for at, letter in enumerate(text)),
    "underscores": lambda text: text.replace(" ", "_"),
    "zero-width spaces": lambda text: "\u200b".join(text),
}
HIDDEN: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "reversed words": lambda text: " ".join(reversed(text.split())),
    "morse": lambda text: " ".join(MORSE.get(letter, "/") for letter in text.lower()),
    "url encoding": lambda text: "".join(f"%{byte:02x}" if chr(byte) in " .,'" else chr(byte) for byte in text.encode()),
}


def encode_visibly(text: str, chance: random.Random) -> str:
    return VISIBLE[chance.choice(sorted(VISIBLE))](text)


def encode_hidden(text: str, chance: random.Random) -> tuple[str, str]:
    """The name of the encoding and the encoded text."""
    name = chance.choice(sorted(HIDDEN))
    return name, HIDDEN[name](text)
