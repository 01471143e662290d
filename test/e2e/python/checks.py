"""What the programs share: each check is a function of a model's name and prints what it saw as a line of JSON."""

import json
import sys

# The origin of the router, a key of its listener, and the models.
ORIGIN, KEY, *MODELS = sys.argv[1:]

# The scripted model calls the tool for both cities and puts the results into a sentence.
WEATHER = "What is the weather in Rome and Oslo?"
CITIES = {"Rome": "sunny", "Oslo": "cold"}
PNG = "iVBORw0KGgo="
WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def say(**fields):
    print(json.dumps(fields, default=str), flush=True)


def has_first(model):
    """Tells the test that the first piece of a stream is here; the model sends the rest after that."""
    say(has=model)


def wait_for(what):
    """Returns when the model was asked, or has heard that its caller is gone."""
    say(wait=what)
    sys.stdin.readline()


def run(*checks):
    for check in checks:
        for model in MODELS:
            try:
                seen = check(model)
            except Exception as error:
                seen = f"{type(error).__name__}: {error}"
            say(check=check.__name__, model=model, seen=seen)


def caught(call):
    """What a program can see of an error."""
    try:
        call()
    except Exception as error:
        return error
    return None
