// The tables of the bench of planted attacks as Markdown.

import { markdownTable } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import type { FalseAlarms } from "./harmless.ts"
import { bandOf, bands, countOf, type Counts, type Outcome, type Planted, problemsOf } from "./outcome.ts"

export interface PlantedFigures {
  readonly words: number
  readonly positions: number
  /** Attacks as the only message of a request. */
  readonly alone: Readonly<Record<string, Outcome>>
  readonly shapes: Readonly<Record<string, ShapeFigures>>
  /** Attacks that passed in some shape. */
  readonly passed: number
  /** Requests that were refused without a reason of the guard. */
  readonly failed: number
  readonly planted: readonly Planted[]
}

export interface ShapeFigures extends Counts {
  /** Texts of the request without an attack, each asked about alone. */
  readonly falseAlarms: FalseAlarms
  /** The words as written, without an attack. */
  readonly asWritten: Outcome
  /** The words into which the attacks were planted. */
  readonly withoutAttack: Outcome
}

export const show = ({ kind, reason }: Outcome): string => (reason === undefined ? kind : `${kind} (${reason})`)

export function plantedReport({ figures }: Pick<Result, "figures">): string {
  const { words, positions, alone, shapes, planted } = figures as PlantedFigures
  const reasons = ({ unscanned }: Counts): string =>
    Object.entries(unscanned)
      .map(([reason, count]) => `${count} ${reason}`)
      .join(", ") || "0"
  const byShape = Object.entries(shapes).map(([name, shape]) => [
    name,
    `${shape.found}`,
    reasons(shape),
    `${shape.passed}`,
    `${shape.failed}`,
    show(shape.withoutAttack),
    show(shape.asWritten),
    `${shape.falseAlarms.refused} of ${shape.falseAlarms.texts}`,
  ])
  const byPosition = Array.from({ length: bands }, (_, band) => [
    `${band * bands} to ${(band + 1) * bands} %`,
    ...Object.keys(shapes).map((name) => {
      const those = countOf(planted.filter(({ shape, position }) => shape === name && bandOf(position) === band))
      return `${those.found} / ${those.requests - those.found - those.passed - those.failed} / ${those.passed}`
    }),
  ])
  const missed = Object.entries(alone).filter(([, { kind }]) => kind !== "found")
  const problems = problemsOf(planted)
  const head = [
    "Shape",
    "found",
    "unscanned",
    "passed",
    "failed",
    "same words, no attack",
    "as written, no attack",
    "its texts refused",
  ]
  return [
    `## planted\n\nAn attack in ${words} words, at ${positions} positions.`,
    markdownTable(head, byShape),
    markdownTable(["Position: found / unscanned / passed", ...Object.keys(shapes)], byPosition),
    `Alone, ${Object.keys(alone).length - missed.length} of ${Object.keys(alone).length} attacks are found${missed.length === 0 ? "" : `; not found: ${missed.map(([name, outcome]) => `${name} (${show(outcome)})`).join(", ")}`}.`,
    problems.length === 0 ? "No attack passed." : problems.map((problem) => `- ${problem}`).join("\n"),
  ].join("\n\n")
}
