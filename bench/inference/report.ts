// The tables of the inference bench.

import { markdownTable, showSpread } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import type { Cost } from "./cost.ts"
import type { CrowdedFigures } from "./crowded.ts"
import type { HeadsFigures } from "./heads.ts"
import type { ProfileFigures } from "./profiles.ts"
import type { QuestionsFigures } from "./questions.ts"
import type { RoutedFigures } from "./routed.ts"
import type { ServedFigures } from "./served.ts"

export interface InferenceFigures {
  readonly threads: number
  readonly rssMib?: Readonly<Record<string, number>>
  readonly served?: ServedFigures
  readonly heads?: HeadsFigures
  readonly questions?: QuestionsFigures
  readonly profiles?: ProfileFigures | undefined
  readonly crowded?: CrowdedFigures
  readonly routed?: RoutedFigures
}

export function inferenceReport(result: Result): string {
  const { threads, rssMib, served, heads, questions, profiles, crowded, routed } = result.figures as InferenceFigures
  return [
    `## Inference, ${threads} threads`,
    ...(served === undefined ? [] : servedTables(served)),
    ...(rssMib === undefined ? [] : [memoryLine(rssMib)]),
    ...(heads === undefined ? [] : headsTable(heads)),
    ...(questions === undefined ? [] : questionsTable(questions)),
    ...(profiles === undefined ? [] : profilesTable(profiles)),
    ...(crowded === undefined ? [] : crowdedTable(crowded)),
    ...(routed === undefined ? [] : routedTable(routed)),
  ].join("\n\n")
}

function memoryLine(rssMib: Readonly<Record<string, number>>): string {
  const sizes = Object.entries(rssMib).map(([name, size]) => `${name} ${size}`)
  return `Resident memory after the load, MiB: ${sizes.join(", ")}`
}

function servedTables({ cells, ratios, outside }: ServedFigures): readonly string[] {
  const rivals = [...new Set(Object.values(ratios).flatMap((entry) => Object.keys(entry)))].toSorted()
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

function headsTable({ costs, forwardsPerText }: HeadsFigures): readonly string[] {
  return [
    `Six heads in one request against the sentence vector alone, milliseconds of a lone caller; ${forwardsPerText.toFixed(3)} forwards for a text`,
    costTable("tokens", ["encoder", "heads"], costs),
  ]
}

function questionsTable(costs: QuestionsFigures): readonly string[] {
  return [
    "Seven typed questions about one state against one question, milliseconds of a lone caller",
    costTable("family-profile-tokens", ["one", "seven"], costs),
  ]
}

function costTable(
  first: string,
  [few, many]: readonly [string, string],
  costs: Readonly<Record<string, Cost>>,
): string {
  return markdownTable(
    [first, `${few}, p50`, `${many}, p50`, "ratio", "of the forwards alone"],
    Object.entries(costs).map(([label, { fewP50Ms, manyP50Ms, ratio, forwardRatio }]) => [
      label,
      showSpread(fewP50Ms),
      showSpread(manyP50Ms),
      showSpread(ratio),
      showSpread(forwardRatio),
    ]),
  )
}

function profilesTable({ cells, ratios }: ProfileFigures): readonly string[] {
  return [
    "The profile max_speed against exact, calls a second",
    markdownTable(
      ["", "exact", "max_speed", "ratio"],
      Object.entries(cells).map(([label, { exact, max_speed: fast }]) => [
        label,
        showSpread(exact?.callsPerSecond),
        showSpread(fast?.callsPerSecond),
        showSpread(ratios[label]),
      ]),
    ),
  ]
}

function crowdedTable({
  idleP50Ms,
  crowdedP50Ms,
  idleP99Ms,
  crowdedP99Ms,
  ratio,
  documents,
}: CrowdedFigures): readonly string[] {
  return [
    `Questions of 16 tokens, idle and while documents of 8,192 tokens are read (${documents} of them), milliseconds`,
    markdownTable(
      ["", "idle", "beside documents", "ratio"],
      [
        ["p50", showSpread(idleP50Ms), showSpread(crowdedP50Ms), ""],
        ["p99", showSpread(idleP99Ms), showSpread(crowdedP99Ms), showSpread(ratio)],
      ],
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
