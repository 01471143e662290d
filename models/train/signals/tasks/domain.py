"""The subject of a prompt: exam questions by sub-source, prompts from word lists, and prompts that only measure."""

from pathlib import Path

from ...domain_data import Prompt, choose_test_sources, read_domain_data
from ...natural import read_natural
from ..examples import Example, TaskData
from ..written import written

# MMLU-Pro calls accounting "other"; people who ask about a profit and loss statement mean business.
UNTRAINED = ("ori_mmlu-professional_accounting",)


def read(data: Path, seed: int) -> TaskData:
    found = read_domain_data(data)
    held_out = choose_test_sources(found.exam)
    exam = [prompt for prompt in found.exam if prompt.source not in held_out and prompt.source not in UNTRAINED]
    train = examples([*exam, *found.generated, *found.borrowed]) + written("domain")
    natural, measured = read_natural("domain")
    unseen = {name: examples(prompts) for name, prompts in found.measured.items() if name != "chat validation"}
    unseen["unseen exams"] = examples([prompt for prompt in found.exam if prompt.source in held_out])
    unseen["natural"] = measured
    return TaskData(train + natural, examples(found.measured["chat validation"]), unseen)


def examples(prompts: list[Prompt]) -> list[Example]:
    return [Example(prompt.text, f"domain/{prompt.source}", prompt.label) for prompt in prompts]
