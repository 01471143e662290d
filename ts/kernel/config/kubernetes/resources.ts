// Routing that Kubernetes resources hold: one IntelligentPool (models) and one IntelligentRoute (signals, decisions), laid over a
// document that has everything else.

import { parseAllDocuments } from "yaml"
import { RtrError } from "../../error.ts"

type Json = Readonly<Record<string, unknown>>

export interface ResourceFile {
  readonly path: string
  readonly text: string
}

interface Resource {
  readonly kind: string
  readonly name: string
  readonly path: string
  readonly spec: Json
}

/** The document with the routing of the resources. Throws `invalid_config` for files that hold none, or several of one kind. */
export function withResources(document: unknown, files: readonly ResourceFile[]): object {
  const resources = files.flatMap(readResources)
  const pool = theOnly("IntelligentPool", resources)
  const route = theOnly("IntelligentRoute", resources)
  const base = mapOf(document)
  const providers = mapOf(base["providers"])
  const global = mapOf(base["global"])
  const models = listOf(pool.spec["models"]).map(mapOf)
  return {
    ...base,
    providers: {
      ...providers,
      defaults: withDefaultModel(mapOf(providers["defaults"]), pool.spec["defaultModel"]),
      models: withModels(listOf(providers["models"]).map(mapOf), models),
    },
    // The files are here; there is no cluster to ask.
    global: { ...global, router: { ...mapOf(global["router"]), config_source: "file" } },
    routing: {
      ...mapOf(base["routing"]),
      modelCards: models.map(({ name, loras }) => ({ name, ...(loras !== undefined && { loras }) })),
      signals: toSignals(mapOf(route.spec["signals"])),
      decisions: listOf(route.spec["decisions"]).map((decision) => toDecision(mapOf(decision))),
    },
  }
}

function readResources({ path, text }: ResourceFile): readonly Resource[] {
  const documents = parseAllDocuments(text, { resolveKnownTags: false })
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined)
      throw new RtrError("invalid_config", `Cannot read ${path}: ${error.message.split("\n", 1)[0]}`, { cause: error })
    const { kind, metadata, spec } = mapOf(document.toJS({ maxAliasCount: 1000 }))
    return kind === "IntelligentPool" || kind === "IntelligentRoute"
      ? [{ kind, name: String(mapOf(metadata)["name"] ?? ""), path, spec: mapOf(spec) }]
      : []
  })
}

/** Which of two pools holds would be a guess. */
function theOnly(kind: string, resources: readonly Resource[]): Resource {
  const found = resources.filter((resource) => resource.kind === kind)
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  const places = found.map(({ name, path }) => `${name} in ${path}`).join(", ")
  throw new RtrError(
    "invalid_config",
    found.length === 0
      ? `Cannot take the routing from Kubernetes files: no file has a resource of kind ${kind}`
      : `Cannot take the routing from Kubernetes files: there are ${found.length} resources of kind ${kind} (${places}); keep one`,
  )
}

function withDefaultModel(defaults: Json, model: unknown): Json {
  if (model === undefined || model === "") return defaults
  const { default_model: _, model: __, ...others } = defaults
  return { ...others, model }
}

/** What the pool says of a model replaces what the document says of it; backends are the document's. */
function withModels(providers: readonly Json[], models: readonly Json[]): readonly Json[] {
  const merged = new Map(providers.map((provider) => [provider["name"], provider]))
  for (const { name, reasoningFamily, reasoning, pricing } of models) {
    const said = {
      ...merged.get(name),
      ...(reasoningFamily !== undefined && { reasoning_family: reasoningFamily }),
      ...(reasoning !== undefined && { reasoning }),
      ...(pricing !== undefined && { pricing: toPricing(mapOf(pricing)) }),
    }
    // A model of which nothing is known has its name at least.
    merged.set(name, { name, ...(Object.keys(said).length === 0 ? { provider_model_id: name } : said) })
  }
  return [...merged.values()]
}

/** Prices of one token become those of a million. Rounded, because 0.1 times a million is not a whole number of a binary fraction. */
function toPricing({ inputTokenPrice, outputTokenPrice }: Json): Json {
  const perMillion = (price: unknown): number => Number((Number(price ?? 0) * 1_000_000).toFixed(6))
  return { prompt_per_1m: perMillion(inputTokenPrice), completion_per_1m: perMillion(outputTokenPrice) }
}

/** Rule lists whose names are not those of the document. */
const listNames: Readonly<Record<string, string>> = { contextRules: "context", factCheckRules: "fact_check" }

function toSignals(signals: Json): Json {
  return Object.fromEntries(
    Object.entries(signals).map(([key, rules]) => [
      listNames[key] ?? snakeCase(key),
      listOf(rules).map((rule) => {
        const converted = withSnakeKeys(mapOf(rule))
        return key === "domains" ? { mmlu_categories: [converted["name"]], ...converted } : converted
      }),
    ]),
  )
}

function toDecision({ signals, modelRefs, ...decision }: Json): Json {
  return {
    ...withSnakeKeys(decision),
    ...(signals !== undefined && { rules: signals }),
    ...(modelRefs !== undefined && { modelRefs: listOf(modelRefs).map((ref) => withSnakeKeys(mapOf(ref))) }),
  }
}

const withSnakeKeys = (map: Json): Json =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [snakeCase(key), value]))

const snakeCase = (key: string): string => key.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const mapOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}
