// Which labels are taken for which.

import type { LabelCase } from "../figures/labels.ts"
import { short, svg, text } from "./svg.ts"

const top = 66
const right = 24
const characterWidth = 6.4

/** A row for each true label, a column for each answer; a cell shows the share of its row, in percent. */
export function confusionPicture(title: string, labels: readonly string[], cases: readonly LabelCase[]): string {
  const longest = Math.max(...labels.map(({ length }) => length)) * characterWidth
  const left = longest + 64
  const cell = labels.length > 6 ? 34 : 56
  const side = cell * labels.length
  const width = Math.max(left + side + right, 300)
  const height = top + side + longest * 0.72 + 40
  const middle = (place: number): number => (place + 0.5) * cell
  const cells = labels.flatMap((truth, row) => {
    const ofTruth = cases.filter((one) => one.truth === truth)
    return labels.map((label, column) => {
      const share = ofTruth.filter((one) => one.label === label).length / ofTruth.length
      return cellAt({ x: left + column * cell, y: top + row * cell, size: cell, share, isRight: truth === label })
    })
  })
  return svg(Math.ceil(width), Math.ceil(height), `${title}: confusion`, [
    text(title, { x: 16, y: 22, classes: "title" }),
    text(`${cases.length} rows of unseen sources, percent of each true label`, {
      x: 16,
      y: 40,
      classes: "small faint",
    }),
    ...cells,
    ...labels.map((label, row) => {
      const count = cases.filter(({ truth }) => truth === label).length
      return text(`${label} (${count})`, { x: left - 8, y: top + middle(row) + 4, anchor: "end", classes: "small" })
    }),
    ...labels.map((label, column) =>
      text(label, { x: left + middle(column) + 4, y: top + side + 12, anchor: "end", turn: -45, classes: "small" }),
    ),
    text("answered", { x: left + side / 2, y: height - 10, anchor: "middle", classes: "small faint" }),
    text("true", { x: left - 8, y: top - 8, anchor: "end", classes: "small faint" }),
  ])
}

interface Cell {
  readonly x: number
  readonly y: number
  readonly size: number
  /** NaN where the true label has no row. */
  readonly share: number
  readonly isRight: boolean
}

function cellAt({ x, y, size, share, isRight }: Cell): string {
  const place = `x="${short(x + 1)}" y="${short(y + 1)}" width="${size - 2}" height="${size - 2}" rx="2"`
  const frame = `<rect class="line" stroke-opacity="0.35" ${place}/>`
  if (!(share > 0)) return frame
  const fill = `<rect class="${isRight ? "main" : "second"}" fill-opacity="${short(0.1 + share * 0.9)}" ${place}/>`
  const classes = share > 0.55 ? "small on-main" : "small"
  return frame + fill + text(percent(share), { x: x + size / 2, y: y + size / 2 + 4, anchor: "middle", classes })
}

function percent(share: number): string {
  return share < 0.005 ? "<1" : String(Math.round(share * 100))
}
