import { expect, test } from "vitest"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import { expandForeignClassifiers } from "../../../../ts/kernel/config/accepted/deployments.ts"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { formatPath, type Problem } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const load = async (deployments: object, bindings: object = {}) =>
  loadDocument(
    { environment: () => ({}), loadRegistry: async () => registry },
    { text: "", source: "config.yaml", value: documentWith({ "global.model_catalog": { deployments, bindings } }) },
  )
const lines = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
const refusals = async (...options: Parameters<typeof load>): Promise<readonly string[]> => {
  try {
    await load(...options)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return lines(error.problems)
  }
}
const at = "global.model_catalog"
const own = { artifact: "signals" }

test("deployments of another runtime are left out with what is bound to them, and the others stay", async () => {
  const { document, warnings } = await load(
    {
      shared: {
        provider: "ort",
        device: "rocm:0",
        artifact: "models/encoder",
        custom_ops_profile: "ck_flash_attention",
        input: { max_tokens: 32768, overflow: "truncate" },
      },
      mine: own,
    },
    {
      embedding: { deployment: "shared", contract: "embedding.v1", adapter: "mmbert" },
      prompt_guard: { deployment: "mine" },
    },
  )
  expect(document.global?.model_catalog).toEqual({
    deployments: { mine: own },
    bindings: { prompt_guard: { deployment: "mine" } },
  })
  expect(lines(warnings)).toEqual([
    `${at}: deployments.shared, bindings.embedding have no effect: rtr runs its own signal models; to run another one, name its package as artifact of a deployment with provider model_runtime`,
  ])
})

test("a classifier that is bound to another runtime has its artifact as model", () => {
  const document = (entry: object, rule: object = { name: "risk" }) => ({
    global: {
      model_catalog: { deployments: { x: entry }, bindings: { "classifier.risk": { deployment: "x" } } },
    },
    routing: { signals: { classifiers: [rule] } },
  })
  const rulesOf = (value: object) =>
    (expandForeignClassifiers(value) as ReturnType<typeof document>).routing.signals.classifiers
  const foreign = { provider: "ort", artifact: "models/risk" }
  expect(rulesOf(document(foreign))).toEqual([{ name: "risk", model_path: "models/risk" }])
  for (const rule of [{ name: "risk", model_path: "own" }, { name: "risk", type: "llm" }, { name: "other" }])
    expect(rulesOf(document(foreign, rule))).toEqual([rule])
  expect(rulesOf(document({ artifact: "signals" }))).toEqual([{ name: "risk" }])
})

test("a routing may bind a deployment of another runtime, and hazard without declaring it", async () => {
  const bind = (deployment: string) => ({
    "routing.model_bindings": { "classifier.risk": { deployment, contract: "label_scores.v1", adapter: "modernbert" } },
    "routing.signals.classifiers": [{ name: "risk", type: "local", labels: ["safe", "violence"] }],
  })
  const loadWith = async (changes: Readonly<Record<string, unknown>>) =>
    loadDocument(
      { environment: () => ({}), loadRegistry: async () => registry },
      { text: "", source: "config.yaml", value: documentWith(changes) },
    )
  const { document, warnings } = await loadWith(bind("hazard"))
  expect(document.routing?.model_bindings).toEqual({})
  expect(document.routing?.signals?.["classifiers"]).toMatchObject([
    { name: "risk", model_path: "models/Vela-1.0-Encoder-307M-Hazard" },
  ])
  expect(lines(warnings)[0]).toMatch(/^routing.model_bindings.* has no effect: rtr runs its own signal models/)
  const shared = { shared: { provider: "candle", artifact: "models/risk" } }
  const declared = await loadWith({ ...bind("shared"), "global.model_catalog": { deployments: shared } })
  expect(declared.document.routing?.signals?.["classifiers"]).toMatchObject([{ model_path: "models/risk" }])
  await expect(loadWith(bind("hasard"))).rejects.toThrow('"hasard" is not in global.model_catalog.deployments')
})

test("what another runtime would not take is refused", async () => {
  const here = `${at}.deployments.x`
  expect(await refusals({ x: { provider: "candle", device: "rocm:0", precision: "int8" } })).toEqual([
    `${here}.artifact: is missing; provider "candle" runs one`,
    `${here}.device: "rocm:0" is no device of provider "candle"`,
    `${here}.precision: "int8" is none of provider "candle"`,
  ])
  const ort = { provider: "ort", artifact: "a", device: "cpu" }
  expect(await refusals({ x: { ...ort, custom_ops_profile: "ck_flash_attention" } })).toEqual([
    `${here}.custom_ops_profile: must be ck_flash_attention, on a device rocm:N of provider "ort"`,
  ])
  expect(await refusals({ x: { ...ort, device: "migraphx:0", compilation_cache_dir: "relative" } })).toEqual([
    `${here}.compilation_cache_dir: must be an absolute path, for a device migraphx:N of provider "ort"`,
  ])
  expect(
    await refusals({ x: { provider: "openvino", artifact: "a", device: "GPU.0", input: { overflow: "window" } } }),
  ).toEqual([`${here}.input: overflow "window" is none of provider "openvino"`])
  const bindings = {
    embedding: { deployment: "x", contract: "token_spans.v1", adapter: "mmbert" },
    nobody: { deployment: "x", contract: "embedding.v1", adapter: "a" },
    pii_classifier: { deployment: "x", contract: "token_spans.v1" },
  }
  expect(await refusals({ x: ort }, bindings)).toEqual([
    `${at}.bindings.embedding.contract: must be embedding.v1, got "token_spans.v1"`,
    `${at}.bindings.nobody: is a binding that nothing uses`,
    `${at}.bindings.pii_classifier.adapter: is missing`,
  ])
  expect(await refusals({ x: { provider: "tensorrt", artifact: "signals" } })).toEqual([
    `${here}.provider: must be "model_runtime", got "tensorrt"`,
  ])
})

test("a device that the worker does not have leaves the choice to it", async () => {
  const { document, warnings } = await load({
    x: { ...own, device: "xpu:1", input: { max_tokens: 512, overflow: "window" } },
  })
  expect(document.global?.model_catalog?.deployments).toEqual({ x: { ...own, input: { max_tokens: 512 } } })
  expect(lines(warnings)).toEqual([
    `${at}.deployments.x.device: "xpu" is not supported yet; the worker runs on cpu and cuda, and chooses`,
    `${at}.deployments.x.input.overflow: "window" is not supported yet; each signal reads long texts in pieces where it has to read all of them`,
  ])
  expect(await refusals({ x: { ...own, device: "tpu:1" } })).toHaveLength(1)
})

test("the first replica says where the worker runs", async () => {
  const { document, warnings } = await load({ x: { ...own, replicas: [{ device: "cpu" }, { device: "cuda:0" }] } })
  expect(document.global?.model_catalog?.deployments).toEqual({ x: { ...own, device: "cpu" } })
  expect(lines(warnings)).toEqual([
    `${at}.deployments.x.replicas: has 2 entries, of which the first one is used: rtr runs one worker for a deployment`,
  ])
  expect(await refusals({ x: { ...own, replicas: [] } })).toHaveLength(1)
  expect(await refusals({ x: { ...own, device: "cpu", replicas: [{ device: "cpu" }] } })).toEqual([
    `${at}.deployments.x.replicas: stands beside device; keep one of them`,
  ])
})
