// Deployments that another runtime would run: they and what is bound to them are left out, and the router asks its own models.
// What they may say is checked all the same.

import type { DocumentPath } from "../../error.ts"
import { section } from "../../schema/shapes.ts"
import { invalid, type Problem } from "../../schema/problem.ts"
import { Type } from "typebox"
import type { LeftOut, Reason } from "./left-out.ts"
import type { MissingSection } from "./missing-sections.ts"
import { isMap, type Json } from "./plugins-in.ts"

const reason: Reason = {
  instead:
    "rtr runs its own signal models; to run another one, name its package as artifact of a deployment with provider model_runtime",
}

/** Devices of each runtime; `undefined` allows any. */
const devices: Readonly<Record<string, RegExp | undefined>> = {
  candle: /^(cpu|(cuda|metal):\d+)$/,
  ort: /^(cpu|(migraphx|rocm):\d+)$/,
  openvino: undefined,
}

/** What a binding of each consumer gives; of classifiers and safety rules there are two. */
const contracts: Readonly<Record<string, readonly string[]>> = {
  prompt_guard: ["label_distribution.v1", "label_decision.v1"],
  domain_classifier: ["label_distribution.v1"],
  fact_check_classifier: ["label_distribution.v1"],
  feedback_detector: ["label_distribution.v1"],
  modality_detector: ["label_distribution.v1"],
  pii_classifier: ["token_spans.v1"],
  hallucination_detector: ["token_spans.v1"],
  hallucination_explainer: ["text_pair_distribution.v1"],
  embedding: ["embedding.v1"],
  complexity: ["score.v1", "label_distribution.v1"],
  "rag.reranker": ["relevance_scores.v1"],
}

/** Deployments that documents may bind without declaring them: vLLM Semantic Router 0.4.0 adds them to every catalogue. */
const builtin: Readonly<Record<string, Json>> = {
  hazard: { provider: "candle", artifact: "models/Vela-1.0-Encoder-307M-Hazard" },
}

/** Where bindings stand: those of all, and those of the routing, which come before. */
const bindingPlaces: readonly DocumentPath[] = [
  ["global", "model_catalog", "bindings"],
  ["routing", "model_bindings"],
]

export interface ForeignDeployments {
  readonly leftOut: readonly LeftOut[]
  readonly problems: readonly Problem[]
  /** Whether a path stands in what is left out. */
  readonly covers: (path: DocumentPath) => boolean
}

export function foreignDeployments(document: unknown): ForeignDeployments {
  const at = ["global", "model_catalog", "deployments"]
  const declared = mapAt(document, at)
  const isForeign = (name: string): boolean => isOfOtherRuntime({ ...builtin, ...declared }[name])
  const foreign = Object.entries(declared).filter(([name]) => isForeign(name))
  const bound = bindingPlaces.flatMap((place) =>
    Object.entries(mapAt(document, place)).flatMap(([consumer, entry]) =>
      isForeign(String(mapOf(entry)["deployment"])) ? [{ path: [...place, consumer], consumer, entry }] : [],
    ),
  )
  const problems = [
    ...foreign.flatMap(([name, entry]) => wrongIn(mapOf(entry), [...at, name])),
    ...bound.flatMap(({ path, consumer, entry }) => wrongBinding(consumer, mapOf(entry), path)),
  ]
  const paths = [...foreign.map(([name]) => [...at, name]), ...bound.map(({ path }) => path)]
  return {
    leftOut: paths.map((path) => ({ path, reason })),
    problems,
    covers: (path) => paths.some((outer) => outer.every((step, index) => path[index] === step)),
  }
}

function wrongIn(entry: Json, at: DocumentPath): readonly Problem[] {
  const { provider, artifact, external_model: external, device = "cpu", precision = "native" } = entry
  const { custom_ops_profile: profile = "none", compilation_cache_dir: cache = "", input } = entry
  const runtime = `provider "${String(provider)}"`
  const allowed = devices[String(provider)]
  const { max_tokens: most = 0, overflow = "reject" } = mapOf(input)
  const wrong: readonly (readonly [isWrong: boolean, key: string, message: string])[] = [
    [typeof artifact !== "string" || artifact.trim() === "", "artifact", `is missing; ${runtime} runs one`],
    [Boolean(external), "external_model", `belongs to provider "http", not to ${runtime}`],
    [allowed?.test(String(device)) === false, "device", `"${String(device)}" is no device of ${runtime}`],
    [
      !(provider === "openvino" ? ["native"] : ["native", "fp32", "fp16"]).includes(String(precision)),
      "precision",
      `"${String(precision)}" is none of ${runtime}`,
    ],
    [
      profile !== "none" &&
        !(profile === "ck_flash_attention" && provider === "ort" && String(device).startsWith("rocm:")),
      "custom_ops_profile",
      'must be ck_flash_attention, on a device rocm:N of provider "ort"',
    ],
    [
      cache !== "" && !(provider === "ort" && String(device).startsWith("migraphx:") && String(cache).startsWith("/")),
      "compilation_cache_dir",
      'must be an absolute path, for a device migraphx:N of provider "ort"',
    ],
    [Number(most) < 0, "input", "max_tokens must be >= 0"],
    [
      !["reject", "truncate", "window"].includes(String(overflow)) ||
        (provider === "openvino" && overflow === "window"),
      "input",
      `overflow "${String(overflow)}" is none of ${runtime}`,
    ],
  ]
  return wrong.flatMap(([isWrong, key, message]) => (isWrong ? [invalid([...at, key], message)] : []))
}

function wrongBinding(consumer: string, { contract, adapter }: Json, at: DocumentPath): readonly Problem[] {
  const expected = /^(classifier|safety)\./.test(consumer)
    ? ["label_distribution.v1", "label_scores.v1"]
    : (Object.hasOwn(contracts, consumer) && contracts[consumer]) || undefined
  if (expected === undefined) return [invalid(at, "is a binding that nothing uses")]
  return [
    ...(expected.includes(String(contract))
      ? []
      : [invalid([...at, "contract"], `must be ${expected.join(" or ")}, got "${String(contract)}"`)]),
    ...(typeof adapter === "string" && adapter.trim() !== "" ? [] : [invalid([...at, "adapter"], "is missing")]),
  ]
}

/** One worker serves a deployment: the first one that `replicas` names. */
export const replicaKeys: readonly MissingSection[] = [
  {
    path: "global.model_catalog.deployments.*.replicas",
    without: "",
    isStrict: true,
    isData: true,
    schema: Type.Array(
      section({
        device: Type.Optional(Type.String()),
        endpoint: Type.Optional(Type.String()),
        served_name: Type.Optional(Type.String()),
      }),
      { minItems: 1 },
    ),
    check(value, report, deployments) {
      const { length } = value as readonly unknown[]
      const holder = Object.values(mapOf(deployments)).find((entry) => mapOf(entry)["replicas"] === value)
      const beside = ["device", "endpoint", "served_name"].find((key) => mapOf(holder)[key] !== undefined)
      if (beside !== undefined) report([], `stands beside ${beside}; keep one of them`)
      if (length > 1)
        report(
          [],
          `has ${length} entries, of which the first one is used: rtr runs one worker for a deployment`,
          "warning",
        )
    },
  },
]

/** The document with the artifact as the model of each classifier that is bound to another runtime: it has no model beside. */
export function expandForeignClassifiers(document: unknown): unknown {
  const { routing } = mapOf(document)
  const deployments = { ...builtin, ...mapAt(document, ["global", "model_catalog", "deployments"]) }
  const bindings = Object.assign({}, ...bindingPlaces.map((place) => mapAt(document, place))) as Json
  const { signals } = mapOf(routing)
  const { classifiers } = mapOf(signals)
  if (!Array.isArray(classifiers)) return document
  const withModel = classifiers.map((rule: unknown): unknown => {
    const { name, type = "local", model_path: own } = mapOf(rule)
    const bound = deployments[String(mapOf(bindings[`classifier.${String(name)}`])["deployment"])]
    return type === "local" && own === undefined && isOfOtherRuntime(bound)
      ? { ...mapOf(rule), model_path: mapOf(bound)["artifact"] }
      : rule
  })
  return {
    ...mapOf(document),
    routing: { ...mapOf(routing), signals: { ...mapOf(signals), classifiers: withModel } },
  }
}

/** The document with the first replica of each deployment as its place. */
export function expandReplicas(document: unknown): unknown {
  const { global } = mapOf(document)
  const { model_catalog: catalog } = mapOf(global)
  const { deployments } = mapOf(catalog)
  const entries = Object.entries(mapOf(deployments))
  if (!entries.some(([, entry]) => Array.isArray(mapOf(entry)["replicas"]))) return document
  const placed = entries.map(([name, entry]) => {
    const [first] = Array.isArray(mapOf(entry)["replicas"]) ? (mapOf(entry)["replicas"] as readonly unknown[]) : []
    return [name, isMap(first) ? { ...first, ...mapOf(entry) } : entry]
  })
  return {
    ...mapOf(document),
    global: { ...mapOf(global), model_catalog: { ...mapOf(catalog), deployments: Object.fromEntries(placed) } },
  }
}

const isOfOtherRuntime = (deployment: unknown): boolean => Object.hasOwn(devices, String(mapOf(deployment)["provider"]))

const mapAt = (value: unknown, path: DocumentPath): Json =>
  mapOf(path.reduce((outer: unknown, key) => mapOf(outer)[key], value))

const mapOf = (value: unknown): Json => (isMap(value) ? value : {})
