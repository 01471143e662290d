"""Tasks whose answer is computed from what the state was built of; whole tasks are dealt to the splits."""

from ...deal import Split
from ..decision import Type
from ..share import share
from . import deeds, degrees, languages, logs, recipes, records, snippets
from .task import Task

TASKS: list[Task] = [*recipes.TASKS, *logs.TASKS, *snippets.TASKS, *records.TASKS, *languages.TASKS, *degrees.TASKS, *deeds.TASKS]


def read_computed(split: Split) -> dict[Type, list[list[Task]]]:
    """The tasks of one split by type of question, those of one family together. Tasks about one thing share a split."""
    names = set(share_families(split))
    families: dict[Type, dict[str, list[Task]]] = {}
    for task in TASKS:
        if task.name in names:
            families.setdefault(task.type, {}).setdefault(task.name.partition(".")[0], []).append(task)
    return {kind: list(each.values()) for kind, each in families.items()}


def share_families(split: Split) -> list[str]:
    """Names of the split: few-membered families are dealt together by type, the large ones each for themselves."""
    large = ("degree", "deed")
    small = [task for task in TASKS if not task.name.startswith(large)]
    names = [task.name for kind in sorted({task.type for task in small}) for task in share([each for each in small if each.type == kind], split, lambda each: each.name)]
    return names + [name for family in large for name in share(sorted({task.name for task in TASKS if task.name.startswith(family)}), split)]
