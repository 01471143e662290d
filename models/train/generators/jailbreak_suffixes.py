"""Gibberish behind a request: what a search over tokens finds to make a model answer, and what users paste that only looks like it."""

import random
import uuid

MARKS = (
    "](", "**", "{{", "}}", '"\\', "\\+", "!--", "=\\\"", "[[", "$$", "();", "/>", "<?", "@@", "||", ":(", "`)", "...]", "###", "[/", "\\n", "=>", "%{", "~~", "',", "](#",
)  # fmt: skip
ENDS = ("ly", "ing", "edIn", "Of", "ify", "wards", "s", "less", "To", "")


def searched_suffix(words: list[str], chance: random.Random) -> str:
    """Some twenty pieces: words out of order, glued to others, in the wrong case, between brackets of markup and code."""
    suffix = ""
    for _ in range(chance.randint(10, 28)):
        piece = chance.choice(MARKS) if chance.random() < 0.35 else broken(chance.choice(words), chance)
        suffix += piece if chance.random() < 0.35 else f" {piece}"
    return suffix.strip()


def broken(word: str, chance: random.Random) -> str:
    word = word.strip(".,;:!?\"'()")
    draw = chance.random()
    if draw < 0.2:
        return word.upper()
    if draw < 0.45:
        return word.capitalize() + chance.choice(ENDS)
    if draw < 0.6:
        return word[: max(2, len(word) // 2)]
    return word


def pasted(chance: random.Random) -> str:
    """A line as users paste it behind a question."""
    number = lambda most: chance.randint(0, most)  # noqa: E731
    draw = lambda count: f"{chance.getrandbits(4 * count):0{count}x}"  # noqa: E731
    return chance.choice([
        lambda: f"sha256:{draw(64)}", lambda: str(uuid.UUID(int=chance.getrandbits(128))), lambda: f"at Object.<anonymous> (/srv/app/{draw(6)}.js:{number(400)}:{number(80)})",
        lambda: ";".join(f"{number(9000) / 100}" for _ in range(chance.randint(6, 14))), lambda: f"0x{draw(8)}: mov eax, [ebp-0x{draw(2)}]; jne 0x{draw(8)}",
        lambda: f'{{"id":"{draw(12)}","ok":{chance.choice(["true", "false"])},"tags":["{draw(4)}","{draw(4)}"],"n":{number(999)}}}',
        lambda: f"^(?:[a-z{number(9)}]+\\.)*\\w{{2,{number(9) + 2}}}(?=[^\\]]*\\))$", lambda: f"![{draw(5)}](https://img.example/{draw(8)}.png) [[{draw(3)}]]: **{number(99)}%**",
        lambda: f"<td class=\"c{number(9)}\">{number(9999)}</td><td>{draw(6)}</td></tr>", lambda: f"rm -rf build/ && cmake -B build -DX={draw(3)} && make -j{number(16)} 2>&1 | tee log.{draw(4)}",
    ])()  # fmt: skip
