// `providers.models[].catalog`: a model of the catalogue. What the catalogue says of it is written into the document before that is
// checked, so that nothing else knows of it.

import { suggestion } from "../../schema/problem.ts"
import type { Report } from "../../types/module-base.ts"
import { catalogueTable } from "./catalogue-models.ts"
import { isMap, type Json } from "./plugins-in.ts"
import { usualProvider } from "./provider-words.ts"

interface CatalogueModel {
  readonly card: Json
  readonly family: string
  /** By provider. */
  readonly offers: ReadonlyMap<string, Offer>
}

interface Offer {
  readonly id: string
  readonly pricing: Json | undefined
}

let models: ReadonlyMap<string, CatalogueModel> | undefined

const catalogue = (): ReadonlyMap<string, CatalogueModel> =>
  (models ??= new Map(catalogueTable.trim().split("\n").map(readLine)))

function readLine(line: string): readonly [id: string, model: CatalogueModel] {
  const [id = "", size, context, output, family = "", released, input, capabilities, results = "", offers = ""] = line
    .split("|")
    .map((cell) => cell.trim())
  const card = {
    name: id,
    ...(size && { param_size: size }),
    ...(context && { context_window_size: Number(context) }),
    ...(output && { max_output_tokens: Number(output) }),
    ...(released && { released_at: released }),
    modalities: { input: wordsOf(input), output: ["text"] },
    capabilities: wordsOf(capabilities),
    evaluations: wordsOf(results).map((result) => {
      const [index, score] = result.split("=")
      return { benchmark: `vllm-sr/${index}@1.0.0`, metrics: { score: Math.round(Number(score) * 10) / 1000 } }
    }),
  }
  return [id, { card, family, offers: new Map(wordsOf(offers).map(readOffer)) }]
}

function readOffer(text: string): readonly [provider: string, offer: Offer] {
  const [provider = "", rest = ""] = text.split("=")
  const [id = "", prices] = rest.split("@")
  if (prices === undefined) return [provider, { id, pricing: undefined }]
  const entries = prices
    .split("/")
    .flatMap((price, index) => (price === "" ? [] : [[priceKeys[index] as string, Number(price)] as const]))
  return [provider, { id, pricing: Object.fromEntries(entries) }]
}

const priceKeys = ["prompt_per_1m", "completion_per_1m", "cached_input_per_1m", "cache_write_per_1m"]

/** Problems of a model entry that names a model of the catalogue. */
export function checkCatalog(id: unknown, report: Report, entry: unknown, document: unknown): void {
  const known = catalogue().get(String(id))
  if (known === undefined)
    return report([], `"${String(id)}" is not in the catalogue${suggestion(String(id), [...catalogue().keys()])}`)
  const model = mapOf(entry)
  if (model["reasoning"] !== undefined)
    report([], `says how the model reasons, and so does "reasoning"; leave one of them out`)
  const cards = listOf(mapOf(mapOf(document)["routing"])["modelCards"]).map(mapOf)
  if (model["name"] !== id && cards.some(({ name }) => name === model["name"]))
    report([], `has a card; to change it, write one named "${String(id)}", and none named "${String(model["name"])}"`)
  const own = cards.find(({ name }) => name === id) ?? {}
  const added = listOf(own["capabilities"]).filter((each) => !listOf(known.card["capabilities"]).includes(each))
  if (added.length > 0)
    report([], `has a card without ${added.map(String).join(", ")}; a card of the same name cannot add capabilities`)
  for (const [index, ref] of listOf(model["backend_refs"]).entries()) {
    const provider = providerOf(ref, model)
    if (idOf(model, provider) === undefined && !known.offers.has(provider))
      report(
        [],
        `has no id of this model at provider "${provider}" of backend_refs[${index}]; write provider_model_id or external_model_ids`,
      )
  }
}

/** The document with what the catalogue says of its models. */
export function expandCatalog(document: unknown): unknown {
  const { providers, routing } = mapOf(document)
  const entries = listOf(mapOf(providers)["models"])
  if (!entries.some((entry) => catalogue().has(String(mapOf(entry)["catalog"])))) return document
  const cards = new Map(listOf(mapOf(routing)["modelCards"]).map((card) => [mapOf(card)["name"], card] as const))
  for (const entry of entries) {
    const { name, catalog } = mapOf(entry)
    const known = catalogue().get(String(catalog))
    if (known !== undefined) cards.set(name, { ...known.card, ...mapOf(cards.get(catalog)), name })
  }
  return {
    ...mapOf(document),
    providers: { ...mapOf(providers), models: entries.map(expandModel) },
    routing: { ...mapOf(routing), modelCards: [...cards.values()] },
  }
}

/** What the entry says wins. */
function expandModel(entry: unknown): unknown {
  const model = mapOf(entry)
  const known = catalogue().get(String(model["catalog"]))
  if (known === undefined) return entry
  const used = listOf(model["backend_refs"]).map((ref) => providerOf(ref, model))
  const found = [...new Set(used)].flatMap((provider) => {
    const offer = idOf(model, provider) === undefined ? known.offers.get(provider) : undefined
    return offer === undefined ? [] : [[provider, offer] as const]
  })
  const pricing = found.find(([, offer]) => offer.pricing !== undefined)?.[1].pricing
  const ids = Object.fromEntries(found.map(([provider, { id }]) => [provider, id]))
  return {
    // Without a backend the model is described by its card alone.
    ...(used.length === 0 && { provider_model_id: model["catalog"] }),
    ...(known.family !== "" && model["reasoning_family"] === undefined && { reasoning: { family: known.family } }),
    ...(pricing !== undefined && { pricing }),
    ...model,
    ...(found.length > 0 && { external_model_ids: { ...mapOf(model["external_model_ids"]), ...ids } }),
  }
}

/** The id that the entry itself gives for a provider. */
const idOf = (model: Json, provider: string): unknown =>
  mapOf(model["external_model_ids"])[provider] ?? model["provider_model_id"]

function providerOf(ref: unknown, model: Json): string {
  const { provider, type } = mapOf(ref)
  return String(provider ?? type ?? model["provider"] ?? usualProvider)
}

const wordsOf = (text = ""): readonly string[] => text.split(" ").filter((word) => word !== "")
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const mapOf = (value: unknown): Json => (isMap(value) ? value : {})
