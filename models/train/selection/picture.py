"""The cost-quality curves as one SVG, a panel for each pool of models."""

from xml.sax.saxutils import escape

import numpy as np

WIDTH, HEIGHT = 420, 300
LEFT, TOP, RIGHT, BOTTOM = 52, 30, 12, 44
COLOURS = {"oracle": "#8a8a8a", "linear": "#0b6e4f", "knn": "#c1666b", "table": "#d4a373", "mixture": "#4a4e69"}
NAMES = {"oracle": "oracle", "linear": "linear", "knn": "nearest neighbours", "table": "domain table", "mixture": "best mixture"}

Curve = tuple[np.ndarray, np.ndarray]


def draw_curves(pools: dict[str, tuple[dict[str, Curve], list[tuple[float, float]]]]) -> str:
    """For each pool its curves by policy (costs, qualities) and its single models as points (cost, quality)."""
    panels = [draw_panel(name, *pool, number * WIDTH) for number, (name, pool) in enumerate(pools.items())]
    size = f"{WIDTH * len(pools)} {HEIGHT + 24}"
    legend = draw_legend(WIDTH * len(pools))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" font-size="11">\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{"".join(panels)}{legend}</svg>\n'
    )


def draw_panel(name: str, curves: dict[str, Curve], points: list[tuple[float, float]], offset: int) -> str:
    dearest = max(cost for cost, _ in points) * 1.02

    def place(cost: float, quality: float) -> str:
        x = LEFT + cost / dearest * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - quality * (HEIGHT - TOP - BOTTOM)
        return f"{x:.1f},{y:.1f}"

    parts = [f'<g transform="translate({offset} 0)"><text x="{LEFT}" y="18" font-weight="bold">{escape(name)}</text>']
    for quality in (0, 0.25, 0.5, 0.75, 1):
        start, end = place(0, quality), place(dearest, quality)
        parts.append(f'<path d="M{start} L{end}" stroke="#e4e4e4"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{float(start.split(",")[1]) + 4:.1f}" text-anchor="end">{quality:g}</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = place(share * dearest, 0).split(",")[0]
        parts.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{share * dearest:.2f}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 12}" text-anchor="middle">US dollars per thousand calls</text>')
    for point in points:
        x, y = place(*point).split(",")
        parts.append(f'<circle cx="{x}" cy="{y}" r="2.2" fill="#b8b8b8"/>')
    for policy, curve in curves.items():
        path = " L".join(place(cost, quality) for cost, quality in zip(*curve))
        parts.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[policy]}" stroke-width="1.6"/>')
    return "\n".join(parts) + "</g>\n"


def draw_legend(width: int) -> str:
    parts, step = [], width / (len(NAMES) + 1)
    for number, (policy, name) in enumerate([*NAMES.items(), ("", "single model")]):
        x = 20 + number * step
        mark = (
            f'<path d="M{x:.0f},{HEIGHT + 8} h18" stroke="{COLOURS[policy]}" stroke-width="2"/>'
            if policy
            else f'<circle cx="{x + 9:.0f}" cy="{HEIGHT + 8}" r="2.2" fill="#b8b8b8"/>'
        )
        parts.append(f'{mark}<text x="{x + 24:.0f}" y="{HEIGHT + 12}">{name}</text>')
    return "\n".join(parts)
