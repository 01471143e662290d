// rtr route compare: which prompts another document sends elsewhere.

import { printJson, printLine, printWarning, table } from "../print.ts"
import type { Previewer } from "./previewer.ts"
import { nameOf, readRouteFile, requestOf, type RouteCase } from "./route-cases.ts"
import { tracesOf } from "./rule-tree.ts"
import { decisionText, modelText, outcomeOf, type RouteOutcome, unreadText } from "./route-outcome.ts"

type Routed = RouteOutcome | { readonly refused: string }

/** A document may refuse a prompt that it has read, and that is where it goes; one that no preview takes is not compared. */
const isRead = (routed: Routed): routed is RouteOutcome => "signals" in routed

export interface CompareOptions {
  readonly prompts: string
  /** Model name of the prompts that name none. */
  readonly model?: string
  readonly json: boolean
}

/**
 * Opens each document after the other is closed, because each may hold models. Returns how many prompts change, or are routed by
 * neither document.
 */
export async function compareRoutes(
  documents: { readonly before: string; readonly after: string },
  open: (document: string) => Promise<Previewer>,
  { prompts, model, json }: CompareOptions,
): Promise<number> {
  const cases = readRouteFile(prompts).cases.map((each) => (model === undefined ? each : { model, ...each }))
  const undecided = new Set<string>()
  const before = await routeAll(cases, await open(documents.before), undecided)
  const after = await routeAll(cases, await open(documents.after), undecided)
  const compared = cases.map((each, index) => ({
    prompt: nameOf(each),
    before: before[index] as Routed,
    after: after[index] as Routed,
  }))
  // Of these nothing is known: they are neither changed nor the same.
  const refusals = compared.flatMap(({ prompt, before: old, after: now }) =>
    isRead(old) || isRead(now) ? [] : [{ prompt, before: old.refused, after: now.refused }],
  )
  const changes = compared.filter(
    ({ before: old, after: now }) => (isRead(old) || isRead(now)) && placeOf(old) !== placeOf(now),
  )
  const found = changes.length + refusals.length
  for (const recipe of undecided)
    printWarning(
      `prompts were routed by recipe "${recipe}", which has no decisions; --model NAME asks for the model name of another recipe`,
    )
  if (json) {
    printJson({ prompts: cases.length, changed: changes.length, refused: refusals.length, changes, refusals })
    return found
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
  if (refusals.length > 0)
    printLine(
      table(
        ["Prompt", "Not routed"],
        refusals.map(({ prompt, before: old, after: now }) => [
          prompt,
          old === now ? now : `before: ${old}; after: ${now}`,
        ]),
      ),
    )
  const unrouted = refusals.length === 0 ? "" : `; neither document routes ${refusals.length}`
  printLine(`${changes.length} of ${cases.length} prompts change their route${unrouted}`)
  return found
}

/** Adds to `undecided` the recipes without decisions that prompts went to. */
async function routeAll(
  cases: readonly RouteCase[],
  previewer: Previewer,
  undecided: Set<string>,
): Promise<readonly Routed[]> {
  try {
    const routed: Routed[] = []
    for (const each of cases) routed.push(await route(each, previewer, undecided))
    return routed
  } finally {
    await previewer.close()
  }
}

async function route(each: RouteCase, previewer: Previewer, undecided: Set<string>): Promise<Routed> {
  try {
    const reply = await previewer.preview(requestOf(each))
    if (reply.recipe !== undefined && tracesOf(reply).length === 0) undecided.add(reply.recipe)
    return outcomeOf(reply)
  } catch (error) {
    if ((error as { readonly code?: string }).code === "unavailable") throw error
    return { refused: (error as Error).message }
  }
}

/** `code → coder` */
function placeOf(routed: Routed): string {
  if (!isRead(routed) || routed.refused !== undefined) return `refused: ${routed.refused}`
  return `${decisionText(routed) || "(no decision)"} → ${modelText(routed) || "(no model)"}`
}

/**
 * `keyword:urgent no_match → match`. A signal that only one document has is told where it says more than `no_match`: otherwise
 * it changed nothing.
 */
export function changedSignals(before: Routed, after: Routed): string {
  if (!isRead(before) || !isRead(after)) return ""
  const names = new Set([...Object.keys(after.signals), ...Object.keys(before.signals)])
  const changed = [...names].flatMap((name) => {
    const [old, now] = [before.signals[name], after.signals[name]]
    const changes = (old ?? "no_match") !== (now ?? "no_match")
    return changes ? [`${name} ${old ?? "(not there)"} → ${now ?? "(not there)"}`] : []
  })
  const [unreadBefore, unreadAfter] = [unreadText(before), unreadText(after)]
  return [
    ...changed,
    ...(unreadBefore === "" ? [] : [`before ${unreadBefore}`]),
    ...(unreadAfter === "" ? [] : [`after ${unreadAfter}`]),
  ].join(", ")
}
