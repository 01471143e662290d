// Cost and accuracy of every policy: lines through the settings of one, points for single models.

import { escape, short, svg, text } from "../pictures/svg.ts"
import type { Point } from "./curves.ts"
import { type PoolFigures, singleModels } from "./report.ts"

const plot = { left: 56, top: 48, width: 460, height: 330 }
const legend = { left: 536, step: 18 }
const [width, height] = [700, 440]
/** Readable on a light and on a dark ground. */
const colours = [
  "#6e7781",
  "#bc4c00",
  "#1a7f37",
  "#8250df",
  "#bf3989",
  "#9a6700",
  "#0a7ea4",
  "#00a3a3",
  "#cf222e",
  "#4d7c0f",
  "#a475f9",
  "#0969da",
  "#d4a72c",
]

export function curvePicture(pool: string, { questions, mixture, policies }: PoolFigures): string {
  const { [singleModels]: singles, ...others } = policies
  const points = singles?.points ?? []
  const all = Object.values(policies).flatMap((policy) => policy.points)
  const most = Math.max(...all.map(({ cost }) => cost)) * 1.04
  const bottom = Math.floor(Math.min(...all.map(({ accuracy }) => accuracy.value)) * 10) / 10
  const top = Math.ceil(Math.max(...all.map(({ accuracy }) => accuracy.value)) * 10) / 10
  const x = (cost: number): number => short(plot.left + (cost / most) * plot.width)
  const y = (share: number): number => short(plot.top + ((top - share) / (top - bottom)) * plot.height)
  const title = pool === "open" ? "Selectors among open chat models" : "Selectors among chat models with Gemini"
  const line = (drawn: readonly Point[], colour: string, dash = ""): string =>
    `<polyline fill="none" stroke="${colour}" stroke-width="1.6"${dash} points="${drawn
      .toSorted((a, b) => a.cost - b.cost)
      .map(({ cost, accuracy }) => `${x(cost)},${y(accuracy.value)}`)
      .join(" ")}"/>`
  const dots = (drawn: readonly Point[], colour: string, radius: number): readonly string[] =>
    drawn.map(
      ({ setting, cost, accuracy }) =>
        `<circle fill="${colour}" cx="${x(cost)}" cy="${y(accuracy.value)}" r="${radius}"><title>${escape(setting)}</title></circle>`,
    )
  const named = Object.entries(others)
  const hull = points.filter(({ setting }) => mixture.includes(setting))
  const shares = Array.from({ length: Math.round((top - bottom) * 10) + 1 }, (_, index) => bottom + index / 10)
  return svg(width, height, title, [
    text(title, { x: plot.left, y: 20, classes: "title" }),
    text(`${questions} exam questions of subjects that trained nothing`, {
      x: plot.left,
      y: 36,
      classes: "small faint",
    }),
    ...shares.flatMap((share) => [
      `<path class="grid" d="M${plot.left} ${y(share)}h${plot.width}"/>`,
      text(share.toFixed(1), { x: plot.left - 6, y: y(share) + 4, anchor: "end", classes: "small faint" }),
    ]),
    ...[0, 0.25, 0.5, 0.75, 1].map((share) =>
      text((share * most).toFixed(2), {
        x: x(share * most),
        y: plot.top + plot.height + 16,
        anchor: "middle",
        classes: "small faint",
      }),
    ),
    text("dollars for a thousand calls", {
      x: plot.left + plot.width / 2,
      y: height - 16,
      anchor: "middle",
      classes: "small",
    }),
    text("share that is right", {
      x: 16,
      y: plot.top + plot.height / 2,
      anchor: "middle",
      turn: -90,
      classes: "small",
    }),
    ...dots(points, "#8c959f", 3),
    line(hull, "#8c959f", ' stroke-dasharray="5 4"'),
    ...named.flatMap(([, policy], index) => {
      const colour = colours[index % colours.length] as string
      return [line(policy.points, colour), ...dots(policy.points, colour, 2.4)]
    }),
    ...["single models, best mixture", ...named.map(([name]) => name)].map((name, index) =>
      text(name, { x: legend.left + 16, y: plot.top + 10 + index * legend.step, classes: "small" }),
    ),
    ...["#8c959f", ...named.map((_, index) => colours[index % colours.length] as string)].map(
      (colour, index) =>
        `<rect fill="${colour}" x="${legend.left}" y="${plot.top + 3 + index * legend.step}" width="10" height="7"/>`,
    ),
  ])
}
