// A second guard against attacks, which is asked about texts that the first is unsure of, or about all.

import { literals, type Report, section, type SecondModel, type Static, Type } from "../../../kernel/index.ts"
import { backendUse } from "../external/backend.ts"
import { modulesOf } from "../external/uses.ts"
import { boundNames } from "../signals/bound-names.ts"
import { builtinModels } from "./builtin-models.gen.ts"
import { joined, type Measure, type Reading, type RiskyPart } from "./reading.ts"

const riskKey = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))

/** Of ordinary prompts one in four has as much risk as `from`, so that three cost one forward. */
const usual = { when: "unsure", from: 0.08, to: 1 } as const

const schema = section(
  {
    when: Type.Optional(
      literals(["unsure", "always", "never"], {
        description:
          "unsure, the default: where the first guard's risk lies between from and to; always: the second judges every text and the first none",
      }),
    ),
    from: riskKey(`A text with less risk is harmless without being asked about; ${usual.from} when left out`),
    to: riskKey(`A text with more risk is an attack without being asked about; ${usual.to} when left out`),
  },
  {
    description:
      "Asks a second guard, whose risk then stands: the model of binding prompt_guard_second, or the embedded package guard where the product has one",
  },
)

/** Keys of `modules.prompt_guard`. */
export const secondGuard = { second: Type.Optional(schema) }

export type SecondGuard = Static<typeof schema>

const binding = "prompt_guard_second"
const artifact = "guard"

interface Guarding {
  readonly second?: SecondGuard
}

const saidOf = (document: object): SecondGuard | undefined => (modulesOf(document).prompt_guard as Guarding)?.second

/** The embedded second guard was made for what the embedded first one is unsure of: with another first it has to be asked for. */
function isAsked(document: object): boolean {
  const said = saidOf(document)
  const bound = boundNames(document)
  if (said?.when === "never") return false
  if (said !== undefined || bound.has(binding)) return true
  return asksBuiltInGuard(document) && builtinModels.includes(artifact)
}

/** Whether the first guard is the product's. */
export const asksBuiltInGuard = (document: object): boolean =>
  !boundNames(document).has("prompt_guard") && backendUse(modulesOf(document).prompt_guard ?? {}) === undefined

export const secondModel: SecondModel = { binding, artifact, head: "jailbreak", isAsked }

/** Paths start at `global`. */
export function checkSecondGuard(document: object, report: Report): void {
  const said = saidOf(document)
  if (said === undefined) return
  const { when = usual.when, from = usual.from, to = usual.to } = said
  const at = ["model_catalog", "modules", "prompt_guard", "second"]
  if (from > to) report([...at, "from"], `is ${from} and to is ${to}: no risk lies between them`)
  for (const key of ["from", "to"] as const)
    if (said[key] !== undefined && when !== "unsure")
      report([...at, key], `has no effect with when: ${when}`, "warning")
  if (when !== "never" && !boundNames(document).has(binding) && !builtinModels.includes(artifact))
    report(at, `has no model: bind one as global.model_catalog.bindings.${binding}`)
}

export interface Guards {
  readonly first: Measure
  readonly second: Measure
}

/**
 * Where the second is asked its risk stands; of a long text it reads the parts that the first was unsure of. What it did not read
 * is unread, and what the first found there stays found.
 */
export function askInTurn({ first, second }: Guards, said: SecondGuard = {}): Measure {
  const { when = usual.when, from = usual.from, to = usual.to } = said
  if (when === "never") return first
  if (when === "always") return second
  return async (text) => {
    const one = await first(text)
    if (one.risk === undefined || one.risk < from || one.risk > to) return one
    const unsure = mergeParts((one.parts ?? []).filter(({ risk }) => risk >= from))
    const parts = unsure.length > 0 ? unsure : [{ start: 0, end: text.length, risk: one.risk }]
    const others = await Promise.all(parts.map((part) => askAbout(part, text, second)))
    const { risk, failure } = joined(others)
    const judged = (one.parts ?? []).length > 1 && { parts: others.flatMap((each) => each.parts ?? []) }
    return { risk, failure: failure ?? one.failure, ...judged }
  }
}

async function askAbout({ start, end, risk }: RiskyPart, text: string, second: Measure): Promise<Reading> {
  try {
    const other = await second(text.slice(start, end))
    const places = other.parts ?? [{ start: 0, end: end - start, risk: other.risk ?? risk }]
    const parts = places.map((place) => ({ ...place, start: start + place.start, end: start + place.end }))
    return { ...other, risk: other.risk ?? risk, parts }
  } catch (failure) {
    return { risk, failure, parts: [{ start, end, risk }] }
  }
}

/** Parts that touch, as one each. */
function mergeParts(parts: readonly RiskyPart[]): readonly RiskyPart[] {
  const merged: RiskyPart[] = []
  for (const part of parts.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last === undefined || part.start > last.end) merged.push(part)
    else
      merged[merged.length - 1] = {
        start: last.start,
        end: Math.max(last.end, part.end),
        risk: Math.max(last.risk, part.risk),
      }
  }
  return merged
}
