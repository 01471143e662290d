// How often answers are right when only the surest are given: a line for each type of question.

import { type AnsweredCase, coverageCurve } from "../figures/coverage.ts"
import { short, svg, text } from "./svg.ts"

const plot = { left: 52, top: 44, width: 300, height: 220 }
const width = 470
const height = 310
/** How lines are told apart without colours. */
const dashes = ["", "6 3", "2 3", "8 3 2 3"]

/** A point of each line is where the package stops answering by itself. */
export function coveragePicture(title: string, cases: readonly AnsweredCase[]): string {
  const types = [...new Set(cases.map(({ type }) => type))].toSorted()
  return svg(width, height, `${title}: share that is right by share that is answered`, [
    text(title, { x: plot.left, y: 20, classes: "title" }),
    text(`${cases.length} questions of tasks that trained nothing, the surest answers first`, {
      x: plot.left,
      y: 35,
      classes: "small faint",
    }),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap(gridLines),
    ...types.flatMap((type, place) => lineOf(type, place, cases)),
    text("share that is right", {
      x: 14,
      y: plot.top + plot.height / 2,
      anchor: "middle",
      turn: -90,
      classes: "small",
    }),
    text("share that is answered", { x: xOf(0.5), y: height - 10, anchor: "middle", classes: "small" }),
  ])
}

const xOf = (share: number): number => short(plot.left + share * plot.width)
const yOf = (share: number): number => short(plot.top + (1 - share) * plot.height)

function gridLines(share: number): readonly string[] {
  return [
    `<path class="grid" d="M${xOf(0)} ${yOf(share)}H${xOf(1)}M${xOf(share)} ${yOf(0)}V${yOf(1)}"/>`,
    text(String(share), { x: plot.left - 6, y: yOf(share) + 4, anchor: "end", classes: "small faint" }),
    text(String(share), { x: xOf(share), y: plot.top + plot.height + 14, anchor: "middle", classes: "small faint" }),
  ]
}

function lineOf(type: string, place: number, cases: readonly AnsweredCase[]): readonly string[] {
  const some = cases.filter((one) => one.type === type)
  const points = coverageCurve(some)
  const classes = place === 0 ? "main" : "second"
  const path = points.map(({ coverage, rightShare }) => `${xOf(coverage)} ${yOf(rightShare)}`).join("L")
  const dash = dashes[place % dashes.length] ?? ""
  const line = `stroke="currentColor" stroke-width="1.6" stroke-dasharray="${dash}" style="fill: none"`
  const y = plot.top + 14 + place * 18
  const x = plot.left + plot.width + 16
  const answered = some.filter(({ abstains }) => !abstains)
  const share = answered.filter(({ isRight }) => isRight).length / answered.length
  return [
    ...(points.length === 0 ? [] : [`<path class="stroke-${classes}" ${line} d="M${path}"/>`]),
    ...(answered.length === 0
      ? []
      : [`<circle class="${classes}" cx="${xOf(answered.length / some.length)}" cy="${yOf(share)}" r="4"/>`]),
    `<path class="stroke-${classes}" ${line} d="M${x} ${y - 4}h24"/>`,
    text(`${type} (${some.length})`, { x: x + 30, y, classes: "small" }),
  ]
}
