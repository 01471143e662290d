"""Short programs put together from constructs: which language, which constructs, which functions."""

import json
import random
from dataclasses import dataclass

from ...grammar import WORDS
from ..share import share
from ..values import Values
from .task import Asked, Task, find_all, no_and_yes, shuffled

FILE = json.loads((WORDS / "decisions_computed.json").read_text(encoding="utf-8"))
FUNCTIONS: list[str] = FILE["functions"]
CONSTRUCTS = {"loop": "something is repeated", "condition": "a branch with if", "comment": "a remark for readers", "return": "a value is given back", "output": "something is printed"}
LANGUAGES: dict[str, dict[str, str]] = FILE["code"]
REMARKS = ["keep it small", "todo: tidy up", "needs a test", "taken from the old tool", "do not touch", "why so slow here?"]


@dataclass(frozen=True)
class Snippet:
    text: str
    language: str
    constructs: set[str]
    names: list[str]


def draw_snippet(values: Values, chance: random.Random) -> Snippet:
    language = chance.choice(list(LANGUAGES))
    parts = LANGUAGES[language]
    used: set[str] = set()
    names = chance.sample(share(FUNCTIONS, values.split), chance.randint(1, 3))
    written = []
    for name in names:
        chosen = chance.sample(list(CONSTRUCTS), chance.randint(0, 3))
        body = ["plain", *(each for each in CONSTRUCTS if each in chosen and each != "return"), *(["return"] if "return" in chosen else [])]
        argument = chance.choice(["values", "rows", "data", "input", "numbers", "list_of_sums", "batch"])
        lines = [parts["head"], *(parts[each] for each in body), parts["tail"]]
        code = "\n".join(lines).format(name=name, argument=argument, number=chance.randint(0, 99)).replace("keep it small", chance.choice(REMARKS))
        written.append(code.rstrip("\n"))
        used |= set(chosen)
    fence = chance.choice(["", "", "```\n"])
    return Snippet(fence + "\n\n".join(written) + (fence and "\n```"), language, used, names)


def ask_language(values: Values, chance: random.Random) -> Asked:
    snippet = draw_snippet(values, chance)
    others = chance.sample([name for name in [*LANGUAGES, "Haskell", "SQL", "Perl", "Swift"] if name != snippet.language], chance.randint(1, 8))
    return Asked(snippet.text, shuffled([(name, None) for name in (snippet.language, *others)], chance), snippet.language)


def ask_constructs(values: Values, chance: random.Random) -> Asked:
    snippet = draw_snippet(values, chance)
    described = chance.random() < 0.6
    options = shuffled([(name, meaning if described else None) for name, meaning in CONSTRUCTS.items()], chance)
    return Asked(snippet.text, options, tuple(name for name, _ in options if name in snippet.constructs))


def ask_has(values: Values, chance: random.Random) -> Asked:
    snippet = draw_snippet(values, chance)
    name = chance.choice(list(CONSTRUCTS))
    subject = {"loop": "a loop", "condition": "an if branch", "comment": "a comment", "return": "a return statement", "output": "a line that prints something"}[name]
    return Asked(snippet.text, no_and_yes(chance), name in snippet.constructs, subject)


def ask_functions(values: Values, chance: random.Random) -> Asked:
    snippet = draw_snippet(values, chance)
    key, meaning = chance.choice([("function", "the name of a function that is defined"), ("function_name", None), ("name", "names of functions")])
    return Asked(snippet.text, ((key, meaning),), find_all(snippet.text, snippet.names, key))


def ask_count(values: Values, chance: random.Random) -> Asked:
    snippet = draw_snippet(values, chance)
    return Asked(snippet.text, tuple((level, None) for level in chance.choice([["one", "two", "three"], ["1", "2", "3 or more"]])), len(snippet.names) - 1)


TASKS = [
    Task("snippet.language", "choice", (
        "{What|Which} language is this?", "In which programming language is the code written?", "Pick the language of the code.",
        "Which compiler or interpreter would run it?", "Name the programming language.", "Language?",
    ), ask_language),
    Task("snippet.constructs", "set", (
        "Which constructs are used?", "What does the code contain?", "Tick all constructs in the code.",
        "Which of these stand in the program?", "Mark what the code makes use of.", "Find the constructs.",
    ), ask_constructs),
    Task("snippet.has", "noul", (
        "The code has SUBJECT.", "Does the code contain SUBJECT?", "Is there SUBJECT in it?",
        "There is SUBJECT in this code.", "Can you see SUBJECT?", "SUBJECT stands somewhere in the program.",
    ), ask_has),
    Task("snippet.functions", "span", (
        "Find the names of the functions.", "Mark each function that is defined.", "Which functions are defined here?",
        "Extract function names.", "Where are functions named?", "List what the functions are called.",
    ), ask_functions),
    Task("snippet.count", "score", (
        "How many functions are defined?", "Count the functions.", "Number of functions in the code",
        "How many things does the code define?", "Say how many functions there are.", "Grade it by the number of functions.",
    ), ask_count),
]
