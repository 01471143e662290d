"""config-v03 5.5.1: mean over the configured metrics of value / least value; a candidate that lacks one is dropped."""

from common import nearest_rank, observations, write_cases


def make(chance):
    options = chance.choice(
        (
            {"tpot_percentile": chance.randint(1, 100)},
            {"ttft_percentile": chance.randint(1, 100)},
            {"tpot_percentile": chance.randint(1, 100), "ttft_percentile": chance.randint(1, 100)},
        )
    )
    figures = [
        {"perTokenMs": observations(chance), "firstByteMs": observations(chance)} for _ in range(chance.randint(2, 6))
    ]
    measured = {}
    for index, figure in enumerate(figures):
        row = []
        if "tpot_percentile" in options:
            row.append(nearest_rank(figure["perTokenMs"], options["tpot_percentile"]))
        if "ttft_percentile" in options:
            row.append(nearest_rank(figure["firstByteMs"], options["ttft_percentile"]))
        if None not in row:
            measured[index] = row
    if not measured:
        expected = {"candidate": 0, "confidence": 0}
    else:
        least = [min(column) for column in zip(*measured.values())]
        scores = {
            index: sum(value / low for value, low in zip(row, least)) / len(row) for index, row in measured.items()
        }
        ranked = sorted(scores, key=lambda index: (scores[index], index))
        best = scores[ranked[0]]
        alone = len(ranked) == 1
        second = None if alone else scores[ranked[1]]
        expected = {"candidate": ranked[0], "confidence": 1 if alone else (second - best) / second}
    return {"input": {"options": options, "figures": figures}, "expected": expected}


write_cases(make, 11)
