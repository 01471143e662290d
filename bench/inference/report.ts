// The tables of the inference bench.

import { markdownTable, showSpread } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import type { RoutedFigures } from "./routed.ts"
import type { ServedFigures } from "./served.ts"

export interface InferenceFigures {
  readonly threads: number
  readonly rssMib: Readonly<Record<string, number>>
  readonly served?: ServedFigures
  readonly routed?: RoutedFigures
}

export function inferenceReport(result: Result): string {
  const { threads, rssMib, served, routed } = result.figures as InferenceFigures
  return [
    `## Inference, ${threads} threads`,
    ...(served === undefined ? [] : servedTables(served)),
    ...(routed === undefined ? [] : routedTable(routed)),
    `Resident memory after the load, MiB: ${Object.entries(rssMib)
      .map(([name, size]) => `${name} ${size}`)
      .join(", ")}`,
  ].join("\n\n")
}

function servedTables({ cells, ratios, outside }: ServedFigures): readonly string[] {
  const rivals = [...new Set(Object.values(ratios).flatMap((entry) => Object.keys(entry)))]
  const contenders = ["worker", ...rivals]
  const figure = (label: string, name: string, kind: "callsPerSecond" | "p50Ms" | "p99Ms"): string =>
    cells[label]?.[name]?.[kind].median.toFixed(1) ?? ""
  const table = (kind: "callsPerSecond" | "p50Ms" | "p99Ms"): string =>
    markdownTable(
      ["", ...contenders],
      Object.keys(cells).map((label) => [label, ...contenders.map((name) => figure(label, name, kind))]),
    )
  return [
    "Calls a second of the worker by those of a rival, round by round: median (lowest to highest)",
    markdownTable(
      ["", ...rivals],
      Object.entries(ratios).map(([label, entry]) => [label, ...rivals.map((name) => showSpread(entry[name]))]),
    ),
    "Calls a second",
    table("callsPerSecond"),
    "Milliseconds, p50",
    table("p50Ms"),
    "Milliseconds, p99",
    table("p99Ms"),
    "Where a lone call's time goes, milliseconds, medians",
    markdownTable(
      ["", "forward", "worker without forward", "socket and client"],
      Object.entries(outside).map(([shape, { forwardMs, workerMs, transportMs }]) => [
        shape,
        forwardMs.toFixed(3),
        workerMs.toFixed(3),
        transportMs.toFixed(3),
      ]),
    ),
  ]
}

function routedTable(routed: RoutedFigures): readonly string[] {
  return [
    `A routed request of ${routed.tokens} tokens, read for subject and meaning, against one bare forward of such a text`,
    markdownTable(
      ["", "median (lowest to highest)"],
      [
        ["routed, p50 ms", showSpread(routed.routedP50Ms)],
        ["one forward, p50 ms", showSpread(routed.forwardP50Ms)],
        ["ratio", showSpread(routed.ratio)],
        ["ms above 1.15 forwards", showSpread(routed.above115PercentMs)],
        ["forwards for one request", routed.forwardsPerRequest.toFixed(3)],
        ["texts read for one request", routed.rowsPerRequest.toFixed(3)],
      ],
    ),
  ]
}
