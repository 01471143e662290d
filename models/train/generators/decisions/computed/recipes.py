"""Recipes: which allergens, what diet, which amounts; answers follow from the list of ingredients."""

import json
import random
from dataclasses import dataclass

from ...grammar import WORDS
from ...row import Span
from ..share import share
from ..values import Values
from .task import Asked, Task, no_and_yes, shuffled

FILE = json.loads((WORDS / "decisions_computed.json").read_text(encoding="utf-8"))
INGREDIENTS: dict[str, list[str]] = FILE["ingredients"]
ALLERGENS = {
    "gluten": ["gluten", "wheat and other gluten"], "milk": ["milk", "dairy"], "egg": ["egg", "hen's eggs"], "nuts": ["nuts", "tree nuts"],
    "peanut": ["peanut", "peanuts"], "soy": ["soy", "soya"], "shellfish": ["shellfish", "crustaceans"], "fish": ["fish", "fish of any kind"],
    "mustard": ["mustard", "mustard in any form"], "celery": ["celery", "celery root or sticks"], "sesame": ["sesame", "sesame seeds"],
}
AMOUNTS = ["{n} g", "{n}0 g", "{n} ml", "{n} cups", "{n} tbsp", "a pinch of", "{n} kg", "{n} oz"]


@dataclass(frozen=True)
class Recipe:
    text: str
    ingredients: list[str]
    amounts: list[str]
    steps: int

    def holds(self, what: str) -> bool:
        return any(what in INGREDIENTS[name] for name in self.ingredients)


def draw_recipe(values: Values, chance: random.Random) -> Recipe:
    plain = [name for name, what in INGREDIENTS.items() if not what]
    special = [name for name, what in INGREDIENTS.items() if what]
    names = chance.sample(plain, chance.randint(1, 4)) + chance.sample(special, chance.choice([0, 1, 1, 2, 3, 4]))
    chance.shuffle(names)
    amounts = [chance.choice(AMOUNTS).replace("{n}", str(chance.randint(2, 9))) for _ in names]
    lines = [f"{amount} {name}" for amount, name in zip(amounts, names, strict=True)]
    steps = draw_steps(values, chance)
    title = f"{chance.choice(plain).capitalize()} {chance.choice(FILE['dishes'])}" if chance.random() < 0.3 else ""
    shape = chance.random()
    if shape < 0.4:
        body = "You need " + ", ".join(lines) + ". " + " ".join(steps)
    elif shape < 0.8:
        body = "Ingredients:\n" + "\n".join(f"- {line}" for line in lines) + "\n" + "\n".join(f"{place}. {step}" for place, step in enumerate(steps, 1))
    else:
        body = "Take " + " and ".join(lines) + "; " + " ".join(steps).lower()
    return Recipe(f"{title}\n{body}".strip() if title else body, names, amounts, len(steps))


def draw_steps(values: Values, chance: random.Random) -> list[str]:
    """Two to six steps; the held-out splits have few and say them of different things."""
    steps = share(FILE["steps"], values.split)
    things = ["", " after {n} minutes", " in two batches", " as it is", " with care", " at the end"]
    count = chance.randint(2, 6)
    return [f"{chance.choice(steps).rstrip('.')}{chance.choice(things).replace('{n}', str(chance.randint(2, 40)))}." for _ in range(count)]


def ask_allergens(values: Values, chance: random.Random) -> Asked:
    recipe = draw_recipe(values, chance)
    shown = chance.sample(list(ALLERGENS), chance.randint(2, len(ALLERGENS)))
    described = chance.random() < 0.5
    options = tuple((name, ALLERGENS[name][1] if described else None) for name in shown)
    return Asked(recipe.text, options, tuple(name for name in shown if recipe.holds(name)))


def ask_diet(values: Values, chance: random.Random) -> Asked:
    recipe = draw_recipe(values, chance)
    animal = recipe.holds("milk") or recipe.holds("egg")
    answer = "meat" if recipe.holds("meat") else "fish" if recipe.holds("fish") or recipe.holds("shellfish") else "vegetarian" if animal else "vegan"
    options = [("meat", "contains meat"), ("fish", "no meat, but fish or seafood"), ("vegetarian", "milk or eggs, but neither meat nor fish"), ("vegan", "nothing from animals")]
    return Asked(recipe.text, shuffled(options, chance), answer)


def ask_contains(values: Values, chance: random.Random) -> Asked:
    recipe = draw_recipe(values, chance)
    true = [name for name in ALLERGENS if recipe.holds(name)]
    name = chance.choice(true) if true and chance.random() < 0.5 else chance.choice(list(ALLERGENS))
    return Asked(recipe.text, no_and_yes(chance), recipe.holds(name), chance.choice(ALLERGENS[name]))


def ask_amounts(values: Values, chance: random.Random) -> Asked:
    recipe = draw_recipe(values, chance)
    amounts = [amount.removesuffix(" of") for amount in recipe.amounts]
    key, meaning = chance.choice([("amount", "how much of an ingredient"), ("quantity", None), ("measure", "number and unit")])
    spans, position = [], 0
    for amount, whole, name in zip(amounts, recipe.amounts, recipe.ingredients, strict=True):
        start = recipe.text.index(f"{whole} {name}", position)
        spans.append(Span(start, start + len(amount), key))
        position = start + len(whole) + len(name)
    return Asked(recipe.text, ((key, meaning),), tuple(spans))


def ask_steps(values: Values, chance: random.Random) -> Asked:
    recipe = draw_recipe(values, chance)
    levels = chance.choice([["one or two", "three", "four", "five or more"], ["2 steps or fewer", "3 steps", "4 steps", "5 steps or more"]])
    return Asked(recipe.text, tuple((level, None) for level in levels), min(max(recipe.steps, 2), 5) - 2)


TASKS = [
    Task("recipe.allergens", "set", (
        "Which allergens are in {it|the dish|the recipe}?", "Tick all allergens.", "What must people with allergies know?",
        "Which of these does the dish contain?", "Mark what could cause an allergic reaction.", "List the allergens of the recipe.",
    ), ask_allergens),
    Task("recipe.diet", "choice", (
        "For which diet is the dish?", "How would you class the recipe?", "What kind of {food|dish} is it?",
        "Which eaters is it for?", "Pick the right diet label.", "Meat, fish, vegetarian or vegan?",
    ), ask_diet),
    Task("recipe.contains", "noul", (
        "The dish contains SUBJECT.", "Does the recipe contain SUBJECT?", "Is there SUBJECT in it?",
        "Somebody who is allergic to SUBJECT must avoid it.", "SUBJECT is among the ingredients.", "Would you find SUBJECT in this dish?",
    ), ask_contains),
    Task("recipe.amounts", "span", (
        "Find the {amounts|quantities}.", "Mark every amount of an ingredient.", "How much of each thing? Copy the amounts.",
        "Extract number and unit of the ingredients.", "Where are the quantities?", "Pull out all measures.",
    ), ask_amounts),
    Task("recipe.steps", "score", (
        "How many steps does the recipe have?", "Count the steps.", "How long is the list of instructions?",
        "Number of steps", "Say how many things one has to do.", "Grade the recipe by its number of steps.",
    ), ask_steps),
]
