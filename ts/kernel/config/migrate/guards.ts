// Guards of documents before v0.3 were switches. Here each is a rule of a signal, and a decision that answers what it finds.

import { type Document, isSeq, type YAMLMap } from "yaml"
import type { DocumentPath } from "../../error.ts"
import { formatPath } from "../../schema/problem.ts"
import { mapIn, mapsAt, pairOf, plain, remove } from "./edit.ts"
import { isJson, type Json, list, numberOf } from "./json.ts"

/** Requests that a guard is switched on or off for, or has a threshold of their own. */
export interface GuardedScope {
  readonly name: string
  /** Undefined for every request. */
  readonly rules: Json | undefined
  readonly enabled: boolean | undefined
  readonly threshold: number | undefined
}

const modules = ["global", "model_catalog", "modules"]

/** What the guards of a document find, as rules of signals, each once. */
export interface GuardRules {
  attack(threshold: number | undefined): Json
  personalData(of: string, allowed: readonly string[], threshold: number | undefined): Json
  /** Puts the rules into the document, and says whether there are some. */
  write(): boolean
}

export function createGuardRules(document: Document): GuardRules {
  const rules = new Map<string, { readonly type: string; readonly rule: Json & { readonly name: string } }>()
  const conditionOn = (type: string, rule: Json & { readonly name: string }, what: string): Json => {
    const key = JSON.stringify([type, what])
    const known = rules.get(key) ?? { type, rule }
    rules.set(key, known)
    return { type, name: known.rule.name }
  }
  const suffix = (threshold: number | undefined): string => (threshold === undefined ? "" : `-${threshold}`)
  const own = (threshold: number | undefined): Json => (threshold === undefined ? {} : { threshold })
  return {
    attack: (threshold) =>
      conditionOn("jailbreak", { name: `attack${suffix(threshold)}`, ...own(threshold) }, suffix(threshold)),
    personalData: (of, allowed, threshold) =>
      conditionOn(
        "pii",
        {
          name: `personal-data-${of}${suffix(threshold)}`,
          ...own(threshold),
          ...(allowed.length > 0 && { pii_types_allowed: allowed }),
        },
        JSON.stringify([allowed.toSorted(), threshold]),
      ),
    write() {
      for (const { type, rule } of rules.values())
        appendTo(document, ["routing", "signals"], type, document.createNode(rule))
      return rules.size > 0
    },
  }
}

/** Answers instead of a model. */
export const refusing: Json = {
  plugins: [{ type: "fast_response", configuration: { message: "I cannot help with that." } }],
}

/** All of these conditions; a single one stands for itself. */
export function allOf(...conditions: readonly (Json | undefined)[]): Json {
  const wanted = conditions.filter((each) => each !== undefined)
  return wanted.length === 1 ? (wanted[0] as Json) : { operator: "AND", conditions: wanted }
}

/** Decisions that stop attacks: one for everything, and one for each scope with settings of its own. */
export function attackDecisions(
  document: Document,
  rules: GuardRules,
  { scopes, priority }: { readonly scopes: readonly GuardedScope[]; readonly priority: number },
): readonly Json[] {
  // Where the document has rules for attacks, its decisions ask for them.
  const isOn =
    document.getIn([...modules, "prompt_guard", "enabled"]) === true &&
    mapsAt(document, "routing.signals.jailbreak.*").length === 0
  const apart = scopes.filter(({ enabled, threshold }) => enabled !== undefined || threshold !== undefined)
  const elsewhere = apart.flatMap((scope) => scope.rules ?? [])
  const own = apart
    .filter(({ enabled = isOn }) => enabled)
    .map(({ name, rules: scope, threshold }) => ({
      name: `attack: ${name}`,
      priority,
      rules: allOf(scope, rules.attack(threshold)),
      ...refusing,
    }))
  if (!isOn || elsewhere.length < apart.length) return own
  const rest =
    elsewhere.length === 0
      ? rules.attack(undefined)
      : {
          ...allOf(rules.attack(undefined), {
            operator: "NOT",
            conditions: [{ operator: "OR", conditions: elsewhere }],
          }),
          // An attack on a subject that cannot be read is stopped.
          on_unknown: "match",
        }
  return [...own, { name: "attack", priority, rules: rest, ...refusing }]
}

/** Which personal data keep a request from a model; undefined for a model that may see everything. */
export type DeniedData = (model: string, threshold: number | undefined) => Json | undefined

/**
 * Takes the policies out of the models. A model without one denies everything where the document has a classifier of personal
 * data, as it did.
 */
export function takePolicies(document: Document, rules: GuardRules, tell: (change: string) => void): DeniedData {
  const classifier = [...modules, "classifier", "pii"]
  const isOff = document.getIn([...classifier, "model_id"]) === ""
  const policies = new Map<string, readonly string[]>()
  for (const { map, path } of mapsAt(document, "providers.models.*")) {
    const name = String(plain(document, pairOf(map, "name")?.value))
    const pair = pairOf(map, "pii_policy")
    const policy = plain(document, pair?.value)
    if (pair !== undefined) remove(map, "pii_policy")
    const { allow_by_default: allows = false, pii_types_allowed: allowed } = isJson(policy) ? policy : {}
    const at = formatPath([...path, "pii_policy"])
    if (isOff || allows === true || (pair === undefined && !document.hasIn(classifier))) {
      if (pair !== undefined)
        tell(`${at} was removed: ${isOff ? "nothing looked for personal data" : "it allows everything"}`)
      continue
    }
    policies.set(name, Array.isArray(allowed) ? allowed.map(String).filter((kind) => kind !== "NO_PII") : [])
    tell(
      `${at}${pair === undefined ? " was missing, which denied all personal data" : ""} → routing.signals.pii; kinds that many harmless texts have, such as ORGANIZATION and GPE, count only in a rule with pii_types`,
    )
  }
  return (model, threshold) => {
    const allowed = policies.get(model)
    return allowed === undefined ? undefined : rules.personalData(model, allowed, threshold)
  }
}

/** `jailbreak` and `pii` were plugins of decisions for a while. */
export function migrateGuardPlugins(
  document: Document,
  rules: GuardRules,
  tell: (change: string) => void,
): readonly Json[] {
  const scopes: GuardedScope[] = []
  const added: Json[] = []
  const places = mapsAt(document, "routing.decisions.*")
  for (const { map, path } of places) {
    const { name, rules: tree, priority } = plain(document, map) as Json
    const scope = { name: String(name), rules: isJson(tree) ? tree : undefined }
    const attack = takePlugin(document, map, "jailbreak", { path, tell })
    if (attack !== undefined)
      scopes.push({ ...scope, enabled: attack["enabled"] === true, threshold: numberOf(attack["threshold"]) })
    const data = takePlugin(document, map, "pii", { path, tell })
    if (data?.["enabled"] !== true) continue
    const { pii_types_allowed: allowed, threshold } = data
    added.push({
      name: `personal data: ${scope.name}`,
      priority: (numberOf(priority) ?? 0) + 1,
      rules: allOf(
        scope.rules,
        rules.personalData(scope.name, Array.isArray(allowed) ? allowed.map(String) : [], numberOf(threshold)),
      ),
      ...refusing,
    })
  }
  const highest = Math.max(
    0,
    ...places.map(({ map }) => numberOf(plain(document, pairOf(map, "priority")?.value)) ?? 0),
  )
  return [...attackDecisions(document, rules, { scopes, priority: highest + 2 }), ...added]
}

function takePlugin(
  document: Document,
  decision: YAMLMap,
  type: string,
  { path, tell }: { readonly path: DocumentPath; readonly tell: (change: string) => void },
): Json | undefined {
  const plugins = pairOf(decision, "plugins")?.value
  if (!isSeq(plugins)) return undefined
  const position = list(plugins.toJS(document)).findIndex((each) => each["type"] === type)
  if (position < 0) return undefined
  const { configuration } = plain(document, plugins.items[position]) as Json
  plugins.items.splice(position, 1)
  if (plugins.items.length === 0) remove(decision, "plugins")
  const settings = isJson(configuration) ? configuration : {}
  const outcome =
    settings["enabled"] === true
      ? `→ routing.signals.${type} and a decision that asks for it`
      : "was switched off and was removed"
  tell(`${formatPath([...path, "plugins"])}: ${type} ${outcome}`)
  return settings
}

/** Adds an entry to a list of the document, which is made where there is none. */
export function appendTo(document: Document, home: readonly string[], key: string, entry: unknown): void {
  const map = mapIn(document, home)
  if (map === undefined) return
  if (!isSeq(pairOf(map, key)?.value)) {
    if (pairOf(map, key) !== undefined) remove(map, key)
    map.items.push(document.createPair(key, []))
  }
  const entries = pairOf(map, key)?.value
  if (isSeq(entries)) {
    entries.flow = false
    entries.items.push(entry)
  }
}
