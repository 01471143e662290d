// The tables of the guards bench as Markdown.

import { markdownTable, showSpread } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import type { BesideFigures } from "./beside.ts"
import type { ConversationFigures } from "./conversation.ts"
import type { Sizes } from "./sizes.ts"

export interface GuardsFigures {
  readonly threads: number
  /** The profile that was asked for, and the precision that the worker computes in. */
  readonly profile: string
  readonly precision: string
  readonly sizes?: Sizes
  readonly conversation?: ConversationFigures
  readonly beside?: BesideFigures
}

export function guardsReport({ figures }: Pick<Result, "figures">): string {
  const { threads, profile, precision, sizes, conversation, beside } = figures as GuardsFigures
  const parts = [`## guards\n\nProfile ${profile} (${precision}), ${threads} threads.`]
  if (sizes !== undefined) {
    const head = [
      "Words",
      "Tokens",
      "Computed",
      "Guards ms",
      "CPU ms",
      "Bare forward ms",
      "CPU ms",
      "Ratio",
      "CPU ratio",
    ]
    const rows = Object.values(sizes.byWords).map((size) => [
      `${size.words}`,
      `${size.tokens}`,
      `${size.processedTokens}`,
      showSpread(size.guardsMs),
      showSpread(size.guardsCpuMs),
      showSpread(size.bareMs),
      showSpread(size.bareCpuMs),
      showSpread(size.ratio),
      showSpread(size.cpuRatio),
    ])
    parts.push(`${markdownTable(head, rows)}\n\nA bare forward has ${sizes.rowsPerForward} rows.`)
  }
  if (conversation !== undefined) {
    const { words, turns, ratio, cpuRatio } = conversation
    const rows = [
      [
        `turn ${turns} of ${words} words`,
        showSpread(conversation.tenthTurnMs),
        showSpread(conversation.tenthTurnCpuMs),
      ],
      ["its new text alone", showSpread(conversation.newTextMs), showSpread(conversation.newTextCpuMs)],
      ["ratio", showSpread(ratio), showSpread(cpuRatio)],
    ]
    parts.push(markdownTable(["Conversation through the router", "ms", "CPU ms"], rows))
  }
  if (beside !== undefined) {
    const rows = [
      ["idle", showSpread(beside.idleP50Ms), showSpread(beside.idleP99Ms)],
      ["beside 16,000 words", showSpread(beside.besideP50Ms), showSpread(beside.besideP99Ms)],
      ["ratio", "", showSpread(beside.ratio)],
    ]
    parts.push(
      `${markdownTable(["Short requests", "p50 ms", "p99 ms"], rows)}\n\n${beside.texts} long texts were read.`,
    )
  }
  return parts.join("\n\n")
}
