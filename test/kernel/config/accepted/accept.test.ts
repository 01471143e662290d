import { expect, test } from "vitest"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import type { MissingParts } from "../../../../ts/kernel/config/accepted/left-out.ts"
import type { ResolvedDocument } from "../../../../ts/kernel/config/resolve.ts"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { formatPath, type Problem } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

type Changes = Readonly<Record<string, unknown>>

const accept = (changes: Changes, missingParts: MissingParts = "refuse", environment = {}): Promise<ResolvedDocument> =>
  loadDocument(
    { environment: () => environment, loadRegistry: async () => registry, missingParts },
    { text: "", source: "config.yaml", value: documentWith(changes) },
  )
const lines = (problems: readonly Problem[]): readonly string[] =>
  problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
const warningsOf = async (...options: Parameters<typeof accept>): Promise<readonly string[]> =>
  lines((await accept(...options)).warnings)
async function refusalsOf(...options: Parameters<typeof accept>): Promise<readonly string[]> {
  try {
    await accept(...options)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return lines(error.problems)
  }
}

const modules = "global.model_catalog.modules"
const plugins = "routing.decisions.0.plugins"

test("keys with one reason are told in one line and are gone from the document", async () => {
  const resolved = await accept({
    "global.router": { clear_route_cache: true, auto_model_name: "me" },
    [`${modules}.prompt_guard`]: { model_id: "m", use_cpu: true, enabled: true, threshold: 0.4 },
    [`${modules}.classifier.pii`]: { pii_mapping_path: "p" },
  })
  expect(lines(resolved.warnings)).toEqual([
    "global.router.clear_route_cache: has no effect: rtr is the listener itself and has no proxy in front of it to tune",
    `${modules}: classifier.pii.pii_mapping_path, prompt_guard.model_id, prompt_guard.use_cpu have no effect: rtr runs its own signal models; to run others, name their packages under global.model_catalog.deployments and bind them under global.model_catalog.bindings`,
  ])
  const global = {
    router: { auto_model_name: "me" },
    model_catalog: { modules: { prompt_guard: { threshold: 0.4 }, classifier: { pii: {} } } },
  }
  expect(resolved.document.global).toEqual(global)
  expect(resolved.unexpanded.global).toEqual(global)
})

test("what is empty or switched off is accepted without a word", async () => {
  const disabled = { enabled: false }
  expect(
    await warningsOf(
      {
        "global.stores": { response_cache: {}, memory: { ...disabled, backend: "milvus" }, vector_store: null },
        "global.services": {
          ratelimit: { providers: [] },
          authz: { fail_open: false, providers: [{ type: "static-config" }] },
          router_replay: { store_backend: "memory" },
          observability: { tracing: { enabled: "${TRACES:-false}" } },
        },
        "global.integrations": { tools: { ...disabled, top_k: 3 }, looper: {} },
        [`${modules}.feedback_detector.enabled`]: true,
        [plugins]: [
          { type: "rag", configuration: disabled },
          { type: "response_cache", configuration: disabled },
        ],
        "routing.decisions.0.annotations": null,
      },
      "refuse",
      {},
    ),
  ).toEqual([])
})

test("a list of keys with nothing in it is not the same as no list", async () => {
  expect(await refusalsOf({ "listeners.0.api_keys": null })).toEqual([
    "listeners[0].api_keys: is an empty list, which lets nobody in; leave the key out to let everybody in",
  ])
})

test("a part that somebody relies on is refused by name, told of, or left out as the caller says", async () => {
  const changes = {
    "global.services.ratelimit": { providers: [{ type: "local-limiter" }] },
    [plugins]: [
      {
        type: "rag",
        configuration: { enabled: true, backend: "openai", backend_config: { vector_store_id: "v", api_key: "k" } },
      },
    ],
  }
  const limits = "global.services.ratelimit: is not supported yet"
  const rag = 'routing.decisions[0].plugins[0]: plugin "rag" of decision rush is not supported yet'
  const [unlimited, unread] = ["no request is limited", "models answer without the documents that would be searched"]
  const served = "rtr serve --allow-missing-plugins serves the document without it"
  const refused = "rtr serve refuses the document without --allow-missing-plugins"
  expect(await refusalsOf(changes)).toEqual([
    `${limits}; without it ${unlimited}. ${served}`,
    `${rag}; without it ${unread}. ${served}`,
  ])
  expect(await warningsOf(changes, "tell")).toEqual([
    `${limits}; ${unlimited}; ${refused}`,
    `${rag}; ${unread}; ${refused}`,
  ])
  const allowed = await accept(changes, "allow")
  expect(lines(allowed.warnings)).toEqual([`${limits}; ${unlimited}`, `${rag}; ${unread}`])
  expect(allowed.warnings.map(({ code }) => code)).toEqual(["unsupported", "unsupported"])
  expect(allowed.document.routing?.decisions?.[0]?.plugins).toEqual([])
  expect(allowed.document.global).toEqual({ services: {} })
})

test("a plugin that the router lacks is told of where nothing switches it on, and not where it is switched off", async () => {
  const rag = (configuration: object) => warningsOf({ [plugins]: [{ type: "rag", configuration }] })
  expect(await rag({ text: "x" })).toEqual([
    'routing.decisions[0].plugins[0]: plugin "rag" is not supported yet, and without enabled: true it does nothing',
  ])
  expect(await rag({ enabled: false })).toEqual([])
})

test("a module of another kind is called by its kind, and only plugins that there are are listed", async () => {
  const at = "routing.decisions[0]"
  expect(await refusalsOf({ [plugins]: [{ type: "keyword", configuration: {} }] })).toEqual([
    `${at}.plugins[0].type: "keyword" is a signal, not a plugin; a signal stands in routing.signals`,
  ])
  expect(await refusalsOf({ "routing.decisions.0.rules": { type: "system_prompt", name: "x" } })).toEqual([
    `${at}.rules.type: "system_prompt" is a plugin, not a signal; a plugin stands in routing.decisions[].plugins`,
  ])
  expect(await refusalsOf({ "routing.decisions.0.algorithm": { type: "system_prompt" } })).toEqual([
    `${at}.algorithm.type: "system_prompt" is a plugin, not a selector or looper; a plugin stands in routing.decisions[].plugins`,
  ])
  expect(await refusalsOf({ [plugins]: [{ type: "magic", configuration: {} }] })).toEqual([
    expect.stringMatching(/plugins\[0\]\.type: must be "fast_response", (?!.*rag).* or "system_prompt", got "magic"$/),
  ])
  // "masking" is near, and not there.
  expect(await refusalsOf({ [plugins]: [{ type: "caching" }, { type: "sytem_prompt" }] })).toEqual([
    expect.stringMatching(/ or "system_prompt", got "caching"$/),
    expect.stringMatching(/, got "sytem_prompt" \(did you mean "system_prompt"\?\)$/),
  ])
})

test("keys that come with requests are relied on, whatever stands beside them", async () => {
  const providers = [{ type: "static-config" }, { type: "header-injection" }]
  expect(await refusalsOf({ "global.services": { authz: { providers } } })).toEqual([
    expect.stringContaining("global.services.authz.providers: is not supported yet"),
  ])
})

test("a cache is missed in a warning, for all its decisions in one line, and other plugins stay", async () => {
  const cache = { type: "semantic-cache", configuration: { enabled: true } }
  const answer = { type: "fast_response", configuration: { message: "hello" } }
  const rush = documentWith({})["routing"] as { decisions: readonly object[] }
  const resolved = await accept({
    "routing.decisions": [
      { ...rush.decisions[0], plugins: [cache, answer] },
      { ...rush.decisions[0], name: "calm", plugins: [cache] },
    ],
  })
  expect(lines(resolved.warnings)).toEqual([
    'routing.decisions[0].plugins[0]: plugin "response_cache" of decisions rush, calm is not supported yet; every request is answered by its model',
    'routing.decisions[0].plugins[0]: "semantic-cache" is the older spelling of "response_cache"',
  ])
  expect(resolved.document.routing?.decisions?.map(({ plugins: left }) => left)).toEqual([[answer], []])
})

test("limits and words of what is missing hold all the same", async () => {
  const cases: readonly (readonly [Changes, string])[] = [
    [
      { "global.stores.response_cache.similarity_threshold": 2 },
      "global.stores.response_cache.similarity_threshold: must be <= 1",
    ],
    [
      { "global.services.router_replay": { enabled: true, store_backend: "disk" } },
      "global.services.router_replay.store_backend: must be",
    ],
    [
      { [plugins]: [{ type: "response_cache", configuration: { enabled: true, scope: "planet" } }] },
      "routing.decisions[0].plugins[0].configuration.scope: must be",
    ],
    [
      { [plugins]: [{ type: "response_cache", configuration: { enabled: true, ttl: 4 } }] },
      "routing.decisions[0].plugins[0].configuration.ttl: is not a known key",
    ],
    [
      { [plugins]: [{ type: "response_cache", configuration: { similarity_threshold: 0.5, semantic: {} } }] },
      "routing.decisions[0].plugins[0].configuration.similarity_threshold: says the same as semantic",
    ],
    [
      { [plugins]: [{ type: "response_jailbreak", configuration: { threshold: 1.5 } }] },
      "routing.decisions[0].plugins[0].configuration.threshold: must be <= 1",
    ],
    [
      { [plugins]: [{ type: "rag", configuration: { enabled: true } }] },
      "routing.decisions[0].plugins[0].configuration.backend: is missing",
    ],
    [
      { [plugins]: [{ type: "rag", configuration: { enabled: true, backend: "milvus" } }] },
      "routing.decisions[0].plugins[0].configuration.backend_config.collection: is missing",
    ],
    [
      { [plugins]: [{ type: "rag", configuration: { top_k: 0 } }] },
      "routing.decisions[0].plugins[0].configuration.top_k: must be >= 1",
    ],
    [
      { [plugins]: [{ type: "image_gen", configuration: { enabled: true, backend: "openai" } }] },
      "routing.decisions[0].plugins[0].configuration.backend_config.api_key: is missing",
    ],
    [
      {
        [plugins]: [
          {
            type: "rag",
            configuration: { enabled: true, backend: "milvus", backend_config: { collection: "c" }, rerank: {} },
          },
        ],
      },
      'routing.decisions[0].plugins[0].configuration.rerank: needs backend "vectorstore", got "milvus"',
    ],
    [
      {
        [plugins]: [
          {
            type: "rag",
            configuration: {
              enabled: true,
              backend: "vectorstore",
              backend_config: { vector_store_id: "v" },
              rerank: { top_k: 6 },
            },
          },
        ],
      },
      "routing.decisions[0].plugins[0].configuration.rerank.top_k: must not be more than top_k, 5",
    ],
    [
      { [plugins]: [{ type: "context_compression", configuration: { enabled: true, recovery: { enabled: true } } }] },
      "routing.decisions[0].plugins[0].configuration.recovery.store: is missing",
    ],
    [
      { [plugins]: [{ type: "shadow_dispatch", configuration: { enabled: true, sample_rate: 0.5 } }] },
      "routing.decisions[0].plugins[0].configuration.model: is missing",
    ],
    [
      {
        [plugins]: [
          {
            type: "shadow_dispatch",
            configuration: { enabled: true, model: "large", forward_headers: ["x-a", "X-Api-Key"] },
          },
        ],
      },
      'routing.decisions[0].plugins[0].configuration.forward_headers[1]: "X-Api-Key" is a credential',
    ],
    [
      { [plugins]: [{ type: "prompt_cache", configuration: { enabled: true, targets: [] } }] },
      "routing.decisions[0].plugins[0].configuration.targets: must",
    ],
    [
      {
        [plugins]: [
          {
            type: "tools",
            configuration: { enabled: true, dynamic_retrieval: { enabled: true, strategy: "hybrid_history" } },
          },
        ],
      },
      "routing.decisions[0].plugins[0].configuration.dynamic_retrieval.history_window: must be at least 1",
    ],
    [
      { [plugins]: [{ type: "tools", configuration: { enabled: true, mode: "filtered" } }] },
      'routing.decisions[0].plugins[0].configuration.mode: "filtered" needs',
    ],
    [
      { [plugins]: [{ type: "tools", configuration: { enabled: true, allow_tools: ["a"] } }] },
      'routing.decisions[0].plugins[0].configuration.mode: must be "filtered"',
    ],
    [
      { [plugins]: [{ type: "tools", configuration: { enabled: true, strip_tool_history: true } }] },
      "routing.decisions[0].plugins[0].configuration.strip_tool_history: needs",
    ],
    [
      { [plugins]: [{ type: "tool_selection", configuration: { preserve_count: -1 } }] },
      "routing.decisions[0].plugins[0].configuration.preserve_count: must be >= 0",
    ],
    [
      {
        [plugins]: [
          { type: "context_compression", configuration: { budget: { trigger_tokens: 10, target_tokens: 10 } } },
        ],
      },
      "routing.decisions[0].plugins[0].configuration.budget.target_tokens: must be less than trigger_tokens, 10",
    ],
    [
      { [plugins]: [{ type: "context_compression", configuration: { scoring: { method: "hybrid" } } }] },
      "routing.decisions[0].plugins[0].configuration.scoring.embedding_model_ref: is missing",
    ],
    [
      { [plugins]: [{ type: "memory", configuration: { hybrid_mode: "mean" } }] },
      "routing.decisions[0].plugins[0].configuration.hybrid_mode: must be",
    ],
    [
      { [plugins]: [{ type: "shadow_dispatch", configuration: { max_retries: 4 } }] },
      "routing.decisions[0].plugins[0].configuration.max_retries: must be <= 3",
    ],
    [{ [plugins]: [{ type: "fast_response" }] }, "routing.decisions[0].plugins[0].configuration.message: is missing"],
    [
      {
        [plugins]: [
          { type: "semantic-cache", configuration: {} },
          { type: "response_cache", configuration: {} },
        ],
      },
      "routing.decisions[0].plugins[1].type: ",
    ],
  ]
  const wrong: unknown[] = []
  for (const [changes, expected] of cases) {
    const refusals = await refusalsOf(changes, "allow")
    if (refusals.length !== 1 || !refusals[0]?.startsWith(expected)) wrong.push({ expected, refusals })
  }
  expect(wrong).toEqual([])
})

test("words that only others have are left out, and a plugin may go without a configuration", async () => {
  const changes = {
    "global.router.config_source": "kubernetes",
    [plugins]: [{ type: "header_mutation" }],
  }
  const resolved = await accept(changes, "allow")
  expect(lines(resolved.warnings)).toEqual([
    'routing.decisions[0].plugins[0]: plugin "header_mutation" has no configuration; it does what it does by default',
    'global.router.config_source: "kubernetes" is not supported yet; the routing is that of this document; --crd FOLDER takes it from Kubernetes files',
  ])
  expect(resolved.document.global).toEqual({ router: {} })
  expect(await refusalsOf(changes)).toEqual([])
})

test("unknown keys stay refused", async () => {
  expect(
    (
      await refusalsOf({
        "global.integrations": { loper: { endpoint: "x" }, looper: { endpoint: "x", colour: "red" } },
        "global.router": { colour: "red" },
      })
    ).map((line) => line.split(";")[0]),
  ).toEqual([
    "global.router.colour: is not a known key",
    'global.integrations.loper: is not a known key (did you mean "looper"?)',
    "global.integrations.looper.colour: is not a known key",
  ])
})

test("a variable that is not set is no matter where its key is left out", async () => {
  expect(await warningsOf({ "global.router.clear_route_cache": "${NOWHERE}" })).toEqual([
    "global.router.clear_route_cache: has no effect: rtr is the listener itself and has no proxy in front of it to tune",
  ])
})

test("labels of a knowledge base have no margin over each other", async () => {
  const warnings = await warningsOf({
    "global.model_catalog.kbs": [
      {
        name: "ways",
        source: { path: "ways" },
        threshold: 0.5,
        prototype_scoring: { top_m: 1, margin_threshold: 0.2 },
      },
    ],
  })
  expect(warnings).toEqual([
    expect.stringContaining("global.model_catalog.kbs[0].prototype_scoring.margin_threshold: has no effect"),
  ])
})
