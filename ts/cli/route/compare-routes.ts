// rtr route compare: which prompts another document sends elsewhere.

import { printJson, printLine, table } from "../print.ts"
import type { Previewer } from "./previewer.ts"
import { nameOf, readRouteFile, requestOf, type RouteCase } from "./route-cases.ts"
import { outcomeOf, type RouteOutcome } from "./route-outcome.ts"

type Routed = RouteOutcome | { readonly refused: string }

export interface CompareOptions {
  readonly prompts: string
  readonly json: boolean
}

/** Opens each document after the other is closed, because each may hold models. Returns how many prompts change. */
export async function compareRoutes(
  documents: { readonly before: string; readonly after: string },
  open: (document: string) => Promise<Previewer>,
  { prompts, json }: CompareOptions,
): Promise<number> {
  const { cases } = readRouteFile(prompts)
  const before = await routeAll(cases, await open(documents.before))
  const after = await routeAll(cases, await open(documents.after))
  const changes = cases.flatMap((each, index) => {
    const [old, now] = [before[index] as Routed, after[index] as Routed]
    return placeOf(old) === placeOf(now) ? [] : [{ prompt: nameOf(each), before: old, after: now }]
  })
  if (json) {
    printJson({ prompts: cases.length, changed: changes.length, changes })
    return changes.length
  }
  if (changes.length > 0)
    printLine(
      table(
        ["Prompt", "Before", "After", "Signals"],
        changes.map((change) => [
          change.prompt,
          placeOf(change.before),
          placeOf(change.after),
          changedSignals(change.before, change.after),
        ]),
      ),
    )
  printLine(`${changes.length} of ${cases.length} prompts change their route`)
  return changes.length
}

async function routeAll(cases: readonly RouteCase[], previewer: Previewer): Promise<readonly Routed[]> {
  try {
    const routed: Routed[] = []
    for (const each of cases) routed.push(await route(each, previewer))
    return routed
  } finally {
    await previewer.close()
  }
}

async function route(each: RouteCase, previewer: Previewer): Promise<Routed> {
  try {
    return outcomeOf(await previewer.preview(requestOf(each)))
  } catch (error) {
    if ((error as { readonly code?: string }).code === "unavailable") throw error
    return { refused: (error as Error).message }
  }
}

/** `code → coder` */
function placeOf(routed: Routed): string {
  if ("refused" in routed) return `refused: ${routed.refused}`
  const { decision, model } = routed
  return `${decision === "" ? "(no decision)" : decision} → ${model ?? "(no model)"}`
}

/** `keyword:urgent no_match → match`, of those that both documents know. */
function changedSignals(before: Routed, after: Routed): string {
  if ("refused" in before || "refused" in after) return ""
  return Object.entries(after.signals)
    .filter(([name, state]) => before.signals[name] !== undefined && before.signals[name] !== state)
    .map(([name, state]) => `${name} ${before.signals[name]} → ${state}`)
    .join(", ")
}
