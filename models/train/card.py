"""The tables of scores on a package's card, from what the accuracy bench found."""

from pathlib import Path

# In the order in which a card has them.
KINDS = ("unseen", "ordinary", "derived", "languages", "adversarial")
BEGIN, END = "<!-- scores: written by `train scores` -->", "<!-- end of scores -->"


def write_card_scores(card: Path, tasks: dict[str, dict]) -> None:
    """Replaces what stands between the two marks of the card."""
    text = card.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise ValueError(f"Cannot write scores to {card}: it needs one line {BEGIN} and one line {END} behind it")
    before, rest = text.split(BEGIN)
    behind = rest.split(END)[1]
    tables = "\n\n".join(score_table(name, task) for name, task in tasks.items())
    card.write_text(f"{before}{BEGIN}\n\n{tables}\n\n{END}{behind}", encoding="utf-8")


def score_table(name: str, task: dict) -> str:
    """A heading and one line for every set that did not fit thresholds: unseen ones, those derived from them, and last, in italics,
    those that were made to mislead."""
    measured = [(of, found) for of, found in task["sets"].items() if found["kind"] != "tuning"]
    first = task["shown"][0]
    # What no set has, such as how much is right where nothing is answered, has no column.
    shown = [figure for figure in task["shown"] if any(with_interval(found["figures"].get(figure)) for _, found in measured)]
    heads = ["Set", "Rows", *(words(figure) for figure in shown), f"{task['baselineName']}: {words(first)}"]
    lines = [f"### {name}", "", table_line(heads), "|---|" + "---:|" * (len(heads) - 1)]
    for of, found in sorted(measured, key=lambda pair: KINDS.index(pair[1]["kind"])):
        figures = found["figures"]
        cells = [with_interval(figures.get(figure)) for figure in shown]
        title = {"derived": f"{of} (derived)", "adversarial": f"*{of}*"}.get(found["kind"], of)
        lines.append(table_line([title, str(found["rows"]), *cells, baseline_of(figures.get(first))]))
    return "\n".join(lines)


def table_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def words(figure: str) -> str:
    return figure.replace("_", " ")


def with_interval(figure: dict | None) -> str:
    if figure is None or figure["value"] is None:
        return ""
    interval = f" ({figure['low']:.2f}–{figure['high']:.2f})" if figure.get("low") is not None else ""
    return f"{figure['value']:.2f}{interval}"


def baseline_of(figure: dict | None) -> str:
    return "" if figure is None or figure.get("baseline") is None else f"{figure['baseline']:.2f}"
