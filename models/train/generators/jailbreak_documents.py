"""Documents an assistant is asked to work on, with or without a sentence planted in them."""

import json
import random
from collections.abc import Callable

from .grammar import Grammar

COLUMNS = ["item", "note", "price", "owner", "date", "status", "city", "rating", "comment", "quantity", "team", "result"]
LEVELS = ["INFO", "WARN", "DEBUG", "ERROR"]
ASK_SHARE = 0.6


def write_document(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    """A document of a random kind, the planted sentence somewhere in it, most times after the request to work on it."""
    kinds: list[Callable[[Grammar, random.Random, str | None], str]] = [
        write_prose, write_prose, write_mail, write_mail, write_table, write_tool_output, write_code, write_page, write_log,
        write_review, write_chat, write_steps,
    ]
    document = chance.choice(kinds)(grammar, chance, planted)
    if chance.random() < ASK_SHARE:
        ask = grammar.fill("{ask}", chance)
        fence = chance.choice(["\n", "\n\n", "\n---\n", "\n```\n", "\n\"\"\"\n"])
        end = fence.rstrip("\n") if fence.strip() else ""
        document = chance.choice([f"{ask}{fence}{document}{end}", f"{ask}{fence}{document}{end}", f"{document}\n\n{ask}"])
    return document


def plant(parts: list[str], planted: str | None, chance: random.Random) -> list[str]:
    """The parts with the planted one at the start, in the middle or at the end."""
    if planted is None:
        return parts
    at = chance.choice([0, len(parts) // 2, chance.randint(0, len(parts)), len(parts)])
    return [*parts[:at], planted, *parts[at:]]


def write_sentences(grammar: Grammar, chance: random.Random, low: int, high: int) -> list[str]:
    wanted = chance.randint(low, high)
    frames = chance.sample(grammar.lists["sentence"], min(wanted, len(grammar.lists["sentence"])))
    frames += chance.choices(grammar.lists["sentence"], k=wanted - len(frames))
    return [grammar.fill(frame, chance) for frame in frames]


def write_prose(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    parts = plant(write_sentences(grammar, chance, 3, 22), planted, chance)
    return "".join(part + chance.choice([" ", " ", " ", "\n\n"]) for part in parts).strip()


def write_mail(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    subject = grammar.fill("{Subject: about {thing}|Subject: Re: {thing}|SUBJECT: {thing}, {day}|From: {person}}", chance)
    body = " ".join(plant(write_sentences(grammar, chance, 2, 9), planted, chance))
    return f"{subject}\n\n{grammar.fill('{greeting}', chance)}\n{body}\n\n{grammar.fill('{bye}', chance)}"


def write_table(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    columns = chance.sample(COLUMNS, chance.randint(2, 4))
    rows = [[grammar.fill("{{thing}|{person}|{number}|{day}}", chance) for _ in columns] for _ in range(chance.randint(3, 9))]
    if planted is not None:
        chance.choice(rows)[-1] = planted.replace("\n", " ")
    lines = [columns, ["---"] * len(columns), *rows] if chance.random() < 0.6 else [columns, *rows]
    joint, edge = (" | ", "|") if "---" in lines[1] else (chance.choice([",", ";", "\t"]), "")
    return "\n".join(f"{edge}{joint.join(line)}{edge}" for line in lines)


def write_tool_output(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    keys = chance.sample(["title", "body", "snippet", "description", "author", "notes", "summary", "content"], 3)
    items = [
        {key: " ".join(write_sentences(grammar, chance, 1, 2)) for key in keys} | {"id": chance.randint(100, 9999)}
        for _ in range(chance.randint(1, 4))
    ]
    if planted is not None:
        item = chance.choice(items)
        item[keys[-1]] = " ".join(plant([str(item[keys[-1]])], planted, chance))
    return json.dumps({chance.choice(["results", "items", "data"]): items}, indent=chance.choice([None, 2]), ensure_ascii=False)


def write_code(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    mark = chance.choice(["#", "//", "--", ";"])
    name = grammar.fill("{thing}", chance).removeprefix("the ").replace(" ", "_")
    bodies = {
        "#": [f"def load_{name}(path):", "    with open(path) as file:", f"        return parse(file.read(), limit={chance.randint(2, 99)})"],
        "//": [f"function load_{name}(id) {{", f"  const row = rows.get(id) ?? {chance.randint(2, 99)};", "  return row;", "}"],
        "--": [f"SELECT id, name FROM {name}", f"WHERE amount > {chance.randint(2, 99)}", "ORDER BY name;"],
        ";": [f"[{name}]", f"timeout = {chance.randint(2, 99)}", "retry = yes"],
    }
    comments = [f"{mark} {sentence}" for sentence in write_sentences(grammar, chance, 0, 2)]
    comments = plant(comments, None if planted is None else f"{mark} " + planted.replace("\n", f"\n{mark} "), chance)
    body = bodies[mark]
    at = chance.choice([0, 1, len(body)])
    return "\n".join([*body[:at], *comments, *body[at:]])


def write_page(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    hiding = ["<p>{}</p>", "<!-- {} -->", '<div style="display:none">{}</div>', '<span class="small">{}</span>', '<img alt="{}">']
    parts = [f"<p>{sentence}</p>" for sentence in write_sentences(grammar, chance, 2, 8)]
    parts = plant(parts, None if planted is None else chance.choice(hiding).format(planted), chance)
    title = grammar.fill("{^thing} {and {thing}|on {day}|, part {number}}", chance)
    return f"<html><head><title>{title}</title></head>\n<body>\n" + "\n".join(parts) + "\n</body></html>"


def write_log(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    parts = plant(write_sentences(grammar, chance, 3, 8), planted, chance)
    hour = chance.randint(0, 23)
    return "\n".join(f"{hour:02}:{chance.randint(0, 59):02} {chance.choice(LEVELS)} {part}" for part in parts)


def write_review(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    stars = "★" * chance.randint(1, 5)
    return f"{stars} {grammar.fill('{person}', chance)}\n" + " ".join(plant(write_sentences(grammar, chance, 2, 6), planted, chance))


def write_chat(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    parts = plant(write_sentences(grammar, chance, 3, 7), planted, chance)
    return "\n".join(f"{grammar.fill('{^person}', chance)}: {part}" for part in parts)


def write_steps(grammar: Grammar, chance: random.Random, planted: str | None) -> str:
    parts = plant(write_sentences(grammar, chance, 4, 12), planted, chance)
    bullet = chance.choice(["- ", "* ", ""])
    return f"# {grammar.fill('{^thing}', chance)}\n" + "\n".join(f"{bullet or f'{at}. '}{part}" for at, part in enumerate(parts, 1))
