// How often answers of a stated probability are right, and how many there are.

import { type Bin, binsOf, calibrationError, type StatedCase } from "../figures/calibration.ts"
import { short, svg, text } from "./svg.ts"

const plot = { left: 52, top: 44, side: 260 }
const counts = { top: 340, height: 54 }
const width = 340
const height = 436

/** The diagonal is where stated and true shares agree; the area of a point grows with the answers that it stands for. */
export function reliabilityPicture(title: string, cases: readonly StatedCase[]): string {
  const bins = binsOf(cases)
  const filled = bins.filter(({ count }) => count > 0)
  const most = Math.max(1, ...bins.map(({ count }) => count))
  return svg(width, height, `${title}: reliability`, [
    text(title, { x: plot.left, y: 20, classes: "title" }),
    text(`${cases.length} rows of unseen sources, calibration error ${calibrationError(cases).toFixed(3)}`, {
      x: plot.left,
      y: 35,
      classes: "small faint",
    }),
    ...[0, 0.25, 0.5, 0.75, 1].flatMap(gridLines),
    `<path class="line" stroke-dasharray="4 4" d="M${xOf(0)} ${yOf(0)}L${xOf(1)} ${yOf(1)}"/>`,
    ...filled.map((bin) => gap(bin)),
    ...filled.map((bin) => point(bin, most)),
    text("share that is right", { x: 14, y: plot.top + plot.side / 2, anchor: "middle", turn: -90, classes: "small" }),
    ...bins.map((bin) => column(bin, most)),
    text(`rows, at most ${most}`, {
      x: 14,
      y: counts.top + counts.height / 2,
      anchor: "middle",
      turn: -90,
      classes: "small",
    }),
    text("stated probability", { x: xOf(0.5), y: height - 12, anchor: "middle", classes: "small" }),
  ])
}

const xOf = (share: number): number => short(plot.left + share * plot.side)
const yOf = (share: number): number => short(plot.top + (1 - share) * plot.side)

function gridLines(share: number): readonly string[] {
  return [
    `<path class="grid" d="M${xOf(0)} ${yOf(share)}H${xOf(1)}M${xOf(share)} ${yOf(0)}V${yOf(1)}"/>`,
    text(String(share), { x: plot.left - 6, y: yOf(share) + 4, anchor: "end", classes: "small faint" }),
    text(String(share), {
      x: xOf(share),
      y: counts.top + counts.height + 14,
      anchor: "middle",
      classes: "small faint",
    }),
  ]
}

function gap({ meanProbability, rightShare }: Bin): string {
  return `<path class="line" d="M${xOf(meanProbability)} ${yOf(meanProbability)}V${yOf(rightShare)}"/>`
}

function point({ count, meanProbability, rightShare }: Bin, most: number): string {
  const radius = short(2.5 + 6 * Math.sqrt(count / most))
  return `<circle class="main" fill-opacity="0.85" cx="${xOf(meanProbability)}" cy="${yOf(rightShare)}" r="${radius}"/>`
}

function column({ from, to, count }: Bin, most: number): string {
  const tall = short((count / most) * counts.height)
  const y = short(counts.top + counts.height - tall)
  return `<rect class="main" fill-opacity="0.5" x="${xOf(from) + 0.5}" y="${y}" width="${short((to - from) * plot.side - 1)}" height="${tall}"/>`
}
