// `routing.decisions[].output_contract_spec`: finds the form that an answer has to have in what models said.

import type { LooperResponse } from "../../types/looper.ts"
import type { OutputTexts, PlannedOutput } from "../../types/plan.ts"
import type { JsonValue } from "../../types/store.ts"

export interface OutputContract {
  readonly type?: "choice" | "structured_json" | "reference_selection" | ""
  readonly choice_set?: { readonly values: readonly string[] }
  readonly extract?: {
    readonly mode?: "exact" | "json_object"
    readonly sources?: readonly ("content" | "reasoning_content" | "candidate_responses")[]
  }
  readonly reference?: { readonly id_format?: "index" | "reference_number" }
  readonly normalize?: {
    readonly field_order?: readonly string[]
    readonly defaults?: Readonly<Record<string, JsonValue>>
  }
  readonly postprocess?: readonly { readonly type: string }[]
  readonly render?: { readonly mode?: "value" | "template"; readonly template?: string }
  readonly on_violation?: { readonly repair?: boolean; readonly fallback?: string }
}

type Find = (text: string) => string | undefined
type Fields = Readonly<Record<string, JsonValue>>

export function compileOutput(contract: OutputContract): PlannedOutput {
  const { type = "", on_violation: violation } = contract
  const read =
    type === "choice"
      ? readChoice(contract)
      : type === "structured_json"
        ? readFirst(contract, findAction(contract))
        : readReference(contract)
  return { read, repairs: violation?.repair === true, fallback: violation?.fallback }
}

/** The answer itself, then what models said on the way, as far as the contract looks there. */
function readFirst({ extract }: OutputContract, find: Find): PlannedOutput["read"] {
  return (answer, responses) => {
    for (const source of extract?.sources ?? ["content"]) {
      const texts =
        source === "content"
          ? [answer.text]
          : source === "reasoning_content"
            ? [answer.reasoning]
            : responses.flatMap(({ text, reasoning }) => [text, reasoning])
      for (const text of texts) {
        const found = find(text)
        if (found !== undefined) return found
      }
    }
    return undefined
  }
}

// ── a choice ──

/** The choice that the answer is. Of what models said on the way, the one that most of them chose; the first one of equals. */
function readChoice(contract: OutputContract): PlannedOutput["read"] {
  const { choice_set: set, extract, render } = contract
  const values = (set?.values ?? []).map((value) => value.trim())
  const find: Find = (text) => values.find((value) => value === text.trim())
  const rendered = (choice: string | undefined): string | undefined =>
    choice === undefined || render?.mode !== "template"
      ? choice
      : (render.template ?? "").replaceAll(/\{\{choice\}\}|\{choice\}/g, () => choice).trim()
  const own = (extract?.sources ?? ["content"]).filter((source) => source !== "candidate_responses")
  const readOwn = readFirst({ extract: { sources: own } }, find)
  const readsOthers = extract?.sources?.includes("candidate_responses") === true
  return (answer, responses) => rendered(readOwn(answer, []) ?? (readsOthers ? majority(responses, find) : undefined))
}

function majority(responses: readonly LooperResponse[], find: Find): string | undefined {
  const votes = new Map<string, number>()
  for (const { text, reasoning } of responses) {
    const choice = find(text.trim() === "" ? reasoning : text)
    if (choice !== undefined) votes.set(choice, (votes.get(choice) ?? 0) + 1)
  }
  // Sorting keeps the order of equals.
  return [...votes].toSorted(([, one], [, other]) => other - one)[0]?.[0]
}

// ── a JSON object: the next action in a terminal ──

const actionFields = ["analysis", "plan", "commands", "task_complete"]
const actionDefaults: Fields = {
  analysis: "Continue from the current state.",
  plan: "Run the commands and look at what they print.",
  commands: [],
  task_complete: false,
}
/** Seconds that a command is waited for at least. */
const minDuration = 1

function findAction({ extract, normalize }: OutputContract): Find {
  const order = normalize?.field_order ?? actionFields
  const defaults = { ...actionDefaults, ...normalize?.defaults }
  return (text) => {
    for (const candidate of extract?.mode === "json_object" ? objectsIn(text) : [text.trim()]) {
      const action = readAction(candidate, defaults)
      if (action === undefined) continue
      const rest = Object.keys(action).filter((key) => !order.includes(key))
      const keys = [...order.filter((key) => key in action), ...rest.toSorted()]
      return JSON.stringify(Object.fromEntries(keys.map((key) => [key, action[key]])))
    }
    return undefined
  }
}

function readAction(text: string, defaults: Fields): Fields | undefined {
  const action = parsedObject(text)
  if (action === undefined || !("commands" in action || "task_complete" in action)) return undefined
  const { commands, analysis, plan } = action
  const kept: Record<string, JsonValue> = { ...defaults, ...action }
  if (typeof analysis !== "string") kept["analysis"] = defaults["analysis"] as JsonValue
  if (typeof plan !== "string") kept["plan"] = defaults["plan"] as JsonValue
  if (commands === undefined) return kept
  if (!Array.isArray(commands) || !commands.every(isCommand)) return undefined
  kept["commands"] = commands.map((command) => {
    const { duration } = command as Fields
    const isLong = typeof duration === "number" && duration >= minDuration
    return isLong ? command : { ...(command as Fields), duration: minDuration }
  })
  return kept
}

const isCommand = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null && typeof (value as Fields)["keystrokes"] === "string"

/** The whole text, and everything between the first opening brace and the last closing one. */
const objectsIn = (text: string): readonly string[] => [
  text.trim(),
  text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1),
]

function parsedObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}

// ── a reference ──

/** The response that the answer names by its number, counted from 1; the number itself without `postprocess`. */
function readReference(contract: OutputContract): PlannedOutput["read"] {
  const pattern = contract.reference?.id_format === "reference_number" ? /^reference\s+(\d+)$/i : /^(\d+)$/
  const number: Find = (text) => pattern.exec(text.trim())?.[1]
  const sources = (contract.extract?.sources ?? ["content"]).filter((source) => source !== "candidate_responses")
  const read = readFirst({ extract: { sources } }, number)
  const dereferences = contract.postprocess?.some(({ type }) => type === "dereference_selected_reference") === true
  return (answer: OutputTexts, responses) => {
    const found = read(answer, [])
    const chosen = responses[Number(found) - 1]
    if (found === undefined || chosen === undefined) return undefined
    if (!dereferences) return found
    const text = chosen.text.trim() === "" ? chosen.reasoning.trim() : chosen.text.trim()
    return text === "" ? undefined : text
  }
}
