"""Logs of services: what failed, how bad the worst line is, which service is meant."""

import json
import random
from dataclasses import dataclass

from ...grammar import WORDS
from ..values import Values
from .task import Asked, Task, find_all, no_and_yes

MESSAGES: dict[str, list[str]] = json.loads((WORDS / "decisions_computed.json").read_text(encoding="utf-8"))["log_messages"]
LEVELS = list(MESSAGES)
STEMS = ["auth", "cart", "mail", "search", "ledger", "photo", "ticket", "stock", "route", "score", "audit", "badge", "quote", "feed", "vault"]
ENDS = ["api", "worker", "db", "proxy", "svc", "queue"]


@dataclass(frozen=True)
class Line:
    level: str
    service: str
    text: str


def draw_log(chance: random.Random) -> list[Line]:
    services = [f"{stem}-{chance.choice(ENDS)}" for stem in chance.sample(STEMS, chance.randint(2, 5))]
    shape = chance.choice(["{time} {level} {service}: {message}", "[{level}] {service} {message}", '{{"level": "{level}", "service": "{service}", "msg": "{message}"}}', "{service} | {time} | {level} | {message}", "<{level}> {message} ({service})"])
    worst = chance.choice([0, 1, 2, 2, 3, 3, 4, 4])
    lines = []
    for _ in range(chance.randint(2, 10)):
        level = LEVELS[worst] if not lines else LEVELS[chance.randint(0, worst)]
        message = chance.choice(MESSAGES[level]).replace("{number}", str(chance.randint(2, 9000)))
        time = f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:{chance.randint(0, 59):02}"
        service = chance.choice(services)
        shown = level.upper() if '"level"' not in shape else level
        lines.append(Line(level, service, shape.format(time=time, level=shown, service=service, message=message)))
    chance.shuffle(lines)
    return lines


def to_text(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def is_failed(line: Line) -> bool:
    return line.level in ("error", "fatal")


def ask_failed(values: Values, chance: random.Random) -> Asked:
    lines = draw_log(chance)
    failed = {line.service for line in lines if is_failed(line)}
    shown = list(dict.fromkeys([*(line.service for line in lines), *(f"{stem}-{chance.choice(ENDS)}" for stem in chance.sample(STEMS, 2))]))
    chance.shuffle(shown)
    return Asked(to_text(lines), tuple((name, None) for name in shown), tuple(name for name in shown if name in failed))


def ask_worst(values: Values, chance: random.Random) -> Asked:
    lines = draw_log(chance)
    scales = [["debug only", "information", "warning", "error", "fatal error"], ["only debug lines", "nothing to worry about", "somebody should look some time", "something failed", "a service stopped"]]
    return Asked(to_text(lines), tuple((level, None) for level in chance.choice(scales)), max(LEVELS.index(line.level) for line in lines))


def ask_any(values: Values, chance: random.Random) -> Asked:
    lines = draw_log(chance)
    return Asked(to_text(lines), no_and_yes(chance), any(map(is_failed, lines)))


def ask_first_failed(values: Values, chance: random.Random) -> Asked:
    lines = draw_log(chance)
    names = list(dict.fromkeys(line.service for line in lines))
    chance.shuffle(names)
    none = chance.choice([("none", "no service failed"), ("nothing_failed", None)])
    answer = next((line.service for line in lines if is_failed(line)), none[0])
    return Asked(to_text(lines), (*((name, None) for name in names), none), answer)


def ask_service_spans(values: Values, chance: random.Random) -> Asked:
    lines = draw_log(chance)
    key, meaning = chance.choice([("failed_service", "the service of a line with an error or a fatal error"), ("culprit", "name of a service that reports an error or worse"), ("service in error", None)])
    position, spans = 0, []
    for line in lines:
        if is_failed(line):
            (span,) = find_all(line.text, [line.service], key)
            spans.append(type(span)(position + span.start, position + span.end, key))
        position += len(line.text) + 1
    return Asked(to_text(lines), ((key, meaning),), tuple(spans))


TASKS = [
    Task("logs.failed", "set", (
        "Which services report {an error|a failure}?", "Tick all services with an error or worse.", "What failed?",
        "Which parts are in trouble?", "Mark the services that have error or fatal lines.", "Find everything that broke.",
    ), ask_failed),
    Task("logs.worst", "score", (
        "How bad is the worst line?", "What is the highest level in the log?", "Grade the log by its worst entry.",
        "How alarming is this log?", "The most serious entry is on which level?", "Severity of the log",
    ), ask_worst),
    Task("logs.any", "noul", (
        "Is there an error or a fatal line?", "At least one line reports a failure.", "Did anything fail?",
        "The log holds an error or worse.", "Has a service reported an error?", "Something in this log failed.",
    ), ask_any),
    Task("logs.first_failed", "choice", (
        "Which service is the first to report an error?", "What failed first?", "Pick the service of the first error or fatal line.",
        "Where does the trouble begin?", "First failing service?", "Name the one that broke before the others.",
    ), ask_first_failed),
    Task("logs.services", "span", (
        "Mark the services that report {an error|a failure}.", "Find the names of services in lines with an error or worse.", "Where do failing services stand?",
        "Extract each service with an error.", "Copy the names of what failed.", "Which words name a service in trouble?",
    ), ask_service_spans),
]
