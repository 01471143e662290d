// Documents of the formats before v0.3: keys move to their sections, and models, endpoints and profiles become provider models.

import { type Document, isMap, isSeq, type YAMLMap } from "yaml"
import { formatPath } from "../../schema/problem.ts"
import { mapIn, mapsAt, pairOf, place, plain, remove } from "./edit.ts"
import { cardKeys, movedFrom } from "./flat-keys.ts"
import { isJson, type Json, list } from "./json.ts"

export function migrateFlat(document: Document, tell: (change: string) => void): void {
  for (const [from, to] of movedFrom) move(document, from, to, tell)
  dropEmpty(document, "bert_model", tell)
  moveModels(document, tell)
  moveCards(document, tell)
}

function move(document: Document, from: string, to: string, tell: (change: string) => void): void {
  const [parent, key] = split(from)
  for (const { map, path } of mapsAt(document, parent)) {
    const pair = pairOf(map, key)
    if (pair === undefined) continue
    const [home, name] = split(to)
    const steps = home.split(".").map((step, index) => (step === "*" ? path[index] : step))
    const target = home.includes("*") ? map : mapIn(document, steps.map(String))
    if (target === undefined) continue
    remove(map, key)
    const lost = place(document, target, pair, name)
    tell(`${formatPath([...path, key])} → ${formatPath([...steps.map((step) => step ?? ""), name])}`)
    for (const each of lost) tell(`${to}: ${each} was there already; the value of ${from} was dropped`)
  }
}

function dropEmpty(document: Document, key: string, tell: (change: string) => void): void {
  for (const { map } of mapsAt(document, "")) {
    const value = pairOf(map, key)?.value
    if (!isMap(value)) continue
    if (value.items.length > 0) tell(`${key}: ${value.items.length} keys without a new place were removed`)
    remove(map, key)
  }
}

/** `model_config`, `vllm_endpoints` and `provider_profiles` say together what a provider model says now. */
function moveModels(document: Document, tell: (change: string) => void): void {
  const [root] = mapsAt(document, "")
  if (root === undefined) return
  const take = (key: string): unknown => {
    const pair = pairOf(root.map, key)
    if (pair === undefined) return undefined
    remove(root.map, key)
    return plain(document, pair.value)
  }
  const models = take("model_config")
  const endpoints = new Map(list(take("vllm_endpoints")).map((each) => [String(each["name"]), each]))
  const profiles = (take("provider_profiles") ?? {}) as Readonly<Record<string, Json>>
  const settingsOf = new Map<string, unknown>(isJson(models) ? Object.entries(models) : [])
  // At first a model stood in the list of its endpoint alone.
  for (const endpoint of endpoints.values())
    for (const name of modelsOf(endpoint)) if (!settingsOf.has(name)) settingsOf.set(name, {})
  if (settingsOf.size === 0) return
  const providers = mapIn(document, ["providers"])
  if (providers === undefined) return
  if (pairOf(providers, "models") === undefined) providers.items.push(document.createPair("models", []))
  const target = pairOf(providers, "models")?.value
  if (!isSeq(target)) return
  for (const [name, settings] of settingsOf) {
    const model = toProviderModel(name, isJson(settings) ? settings : {}, endpoints, profiles)
    target.items.push(document.createNode(model))
    tell(`model_config.${name} → providers.models[${target.items.length - 1}]`)
  }
}

function toProviderModel(
  name: string,
  { model_id: id, preferred_endpoints: preferred, access_key: key, ...settings }: Json,
  endpoints: ReadonlyMap<string, Json>,
  profiles: Readonly<Record<string, Json>>,
): Json {
  const having = [...endpoints].flatMap(([each, endpoint]) => (modelsOf(endpoint).includes(name) ? [each] : []))
  const only = having.length === 0 && endpoints.size === 1 ? [...endpoints.keys()] : having
  const names = Array.isArray(preferred) ? preferred.map(String) : only
  const refs = names.flatMap((each) => {
    const endpoint = endpoints.get(each)
    return endpoint === undefined ? [] : [toBackendRef(endpoint, profiles, key)]
  })
  return {
    name,
    ...(id !== undefined && { provider_model_id: id }),
    ...settings,
    ...(refs.length > 0 && { backend_refs: refs }),
  }
}

const modelsOf = ({ models }: Json): readonly string[] => (Array.isArray(models) ? models.map(String) : [])

function toBackendRef(endpoint: Json, profiles: Readonly<Record<string, Json>>, accessKey: unknown): Json {
  const { name, address, port, weight, type, provider_profile: profileName, model: _, models: __, ...rest } = endpoint
  const { type: provider, ...profile } = profiles[String(profileName)] ?? {}
  const kind = provider ?? type
  return {
    name,
    ...(address !== undefined && { endpoint: addressOf(String(address), port) }),
    ...(weight !== undefined && { weight }),
    ...(kind !== undefined && { provider: kind }),
    ...profile,
    ...rest,
    ...(accessKey !== undefined && rest["api_key"] === undefined && { api_key: accessKey }),
  }
}

/** An address of IPv6 has colons of its own. */
const addressOf = (address: string, port: unknown): string =>
  port === undefined
    ? address
    : `${/:.*:/.test(address) && !address.startsWith("[") ? `[${address}]` : address}:${String(port)}`

/** Models without an endpoint that nothing calls: such an entry said at most what they may see. */
export function dropUncalledModels(document: Document, tell: (change: string) => void): void {
  const models = document.getIn(["providers", "models"])
  if (!isSeq(models)) return
  const called = [...mapsAt(document, "routing.decisions.*.modelRefs.*"), ...mapsAt(document, "providers.defaults")]
  const names = new Set(called.map(({ map }) => plain(document, pairOf(map, "model")?.value)))
  models.items = models.items.filter((model) => {
    const name = isMap(model) ? plain(document, pairOf(model, "name")?.value) : undefined
    if (!isMap(model) || pairOf(model, "backend_refs") !== undefined || names.has(name)) return true
    tell(`providers.models: "${String(name)}" was removed: no endpoint has it, and nothing calls it`)
    return false
  })
}

/** What describes a model stands in its card. */
function moveCards(document: Document, tell: (change: string) => void): void {
  for (const { map, path } of mapsAt(document, "providers.models.*")) {
    const name = pairOf(map, "name")
    const described = cardKeys.filter((key) => pairOf(map, key) !== undefined)
    if (name === undefined || described.length === 0) continue
    const card = cardOf(document, plain(document, name.value))
    if (card === undefined) continue
    for (const key of described) {
      const pair = pairOf(map, key)
      if (pair === undefined) continue
      remove(map, key)
      place(document, card, pair, key)
      tell(`${formatPath([...path, key])} → routing.modelCards[].${key}`)
    }
  }
}

export function cardOf(document: Document, name: unknown): YAMLMap | undefined {
  const found = mapsAt(document, "routing.modelCards.*").find(
    ({ map }) => plain(document, pairOf(map, "name")?.value) === name,
  )
  if (found !== undefined) return found.map
  const routing = mapIn(document, ["routing"])
  if (routing === undefined) return undefined
  if (pairOf(routing, "modelCards") === undefined) routing.items.push(document.createPair("modelCards", []))
  const cards = pairOf(routing, "modelCards")?.value
  if (!isSeq(cards)) return undefined
  cards.items.push(document.createNode({ name }))
  return cards.items.at(-1) as YAMLMap
}

function split(path: string): readonly [parent: string, key: string] {
  const at = path.lastIndexOf(".")
  return at === -1 ? ["", path] : [path.slice(0, at), path.slice(at + 1)]
}
