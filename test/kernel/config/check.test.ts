import { describe, expect, test } from "vitest"
import { callableModels, lorasOf } from "../../../ts/kernel/config/sections/model-cards.ts"
import { documentWith, problemsOf, resolve } from "../../fakes/document.ts"

const check = (changes: Readonly<Record<string, unknown>>): readonly string[] => problemsOf(documentWith(changes))

test("the small document has no problems", () => expect(check({})).toEqual([]))

describe("listeners", () => {
  const listener = (name: string, port: number, address = "127.0.0.1") => ({ name, address, port })

  test.each([
    ["two names", [listener("a", 1), listener("a", 2)], ['listeners[1].name: "a" is used already by listeners[0]']],
    [
      "two on one port",
      [listener("a", 1), listener("b", 2), listener("c", 1)],
      ['listeners[2].port: "127.0.0.1:1" is used already by listeners[0]'],
    ],
    ["one port of two addresses", [listener("a", 1), listener("b", 1, "::1")], []],
    ["free ports", [listener("a", 0), listener("b", 0)], []],
  ])("%s", (_, listeners, problems) => expect(check({ listeners })).toEqual(problems))
})

describe("what goes into headers", () => {
  const at = "providers.models[0].backend_refs[0]"
  const wrong = "cannot be sent in a header: it has a line break, a character beyond ASCII, or a space at an end"
  const backend = (changes: object): readonly string[] =>
    check({ "providers.models.0.backend_refs": [{ endpoint: "h", ...changes }] })

  test.each(["sk-a\n", "sk-a\nb", " sk", "sk-ключ"])("key %j is refused and not quoted", (key) =>
    expect(backend({ api_key: key })).toEqual([`${at}.api_key: ${wrong}`]),
  )

  test("extra headers need a name and a value that can be sent", () => {
    const refused = "cannot be set: the router writes it, or it is no name of a header"
    expect(
      backend({ extra_headers: { "x a": "b", "Content-Length": "3", "x-b": "b\r\nx-evil: 1", "x-c": "fine" } }),
    ).toEqual([
      `${at}.extra_headers["x a"]: ${refused}`,
      `${at}.extra_headers.Content-Length: ${refused}`,
      `${at}.extra_headers.x-b: ${wrong}`,
    ])
    const ofRouter = ["Accept", "content-type", "HOST", "connection", "trailer", "Transfer-Encoding", "X-Rtr-Hops"]
    expect(backend({ extra_headers: Object.fromEntries(ofRouter.map((header) => [header, "x"])) })).toEqual(
      ofRouter.map((header) => `${at}.extra_headers.${header}: ${refused}`),
    )
    expect(backend({ extra_headers: { "x-request-id": "x", "accept-language": "de" } })).toEqual([])
  })
})

describe("providers", () => {
  const at = "providers.models[0]"
  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    [
      "a model name twice",
      { "providers.models.1.name": "small", "routing.decisions.0.modelRefs": [{ model: "small" }] },
      ['providers.models[1].name: "small" is used already by models[0]'],
    ],
    [
      "an empty model name",
      { "providers.models.0.name": "" },
      ["providers.models[0].name: must not be empty", 'providers.defaults.model: "small" is not in providers.models'],
    ],
    [
      "a default model that is not there",
      { "providers.defaults.model": "smal" },
      ['providers.defaults.model: "smal" is not in providers.models (did you mean "small"?)'],
    ],
    [
      "a backend without an address",
      { "providers.models.0.backend_refs": [{ name: "x" }] },
      [`${at}.backend_refs[0]: must have an endpoint or a base_url; provider "vllm" has no address of its own`],
    ],
    [
      "a backend with two addresses",
      { "providers.models.0.backend_refs": [{ endpoint: "h", base_url: "http://h" }] },
      [`${at}.backend_refs[0].base_url: stands beside endpoint; keep one`],
    ],
    [
      "a weight beyond all measure",
      { "providers.models.0.backend_refs": [{ endpoint: "h", weight: 1e21 }] },
      [`${at}.backend_refs[0].weight: must be <= 1000000, got 1e+21`],
    ],
    [
      "a currency that is no code",
      { "providers.models.0.pricing": { currency: "dollars" } },
      [`${at}.pricing.currency: must be a currency of three capital letters such as USD, got "dollars"`],
    ],
    [
      "a LoRA twice",
      { "routing.modelCards": [{ name: "large", loras: [{ name: "a" }, { name: "a" }] }] },
      ['routing.modelCards[0].loras[1].name: "a" is used already by loras[0]'],
    ],
    [
      "a backend with an empty address",
      { "providers.models.0.backend_refs": [{ endpoint: "" }] },
      [`${at}.backend_refs[0].endpoint: must not be empty`],
    ],
    [
      "a backend with two keys",
      { "providers.models.0.backend_refs": [{ endpoint: "h", api_key: "a", api_key_env: "A" }] },
      [`${at}.backend_refs[0].api_key_env: stands beside api_key; keep one`],
    ],
    [
      "a backend name twice",
      {
        "providers.models.0.backend_refs": [
          { endpoint: "a", name: "x" },
          { endpoint: "b" },
          { endpoint: "c", name: "x" },
        ],
      },
      [`${at}.backend_refs[2].name: "x" is used already by backend_refs[0]`],
    ],
    [
      "a base URL that is none",
      { "providers.models.0.backend_refs": [{ base_url: "http://" }] },
      [`${at}.backend_refs[0].base_url: is not a URL`],
    ],
    [
      "a base URL of another scheme, which may hold a password",
      { "providers.models.0.backend_refs": [{ base_url: "ftp//me:secret@h" }] },
      [`${at}.backend_refs[0].base_url: must be a URL that begins with http:// or https://`],
    ],
    [
      "an unknown provider",
      { "providers.models.0.backend_refs": [{ endpoint: "h", provider: "opnai" }] },
      [`${at}.backend_refs[0].provider: must be a known word, got "opnai" (did you mean "openai"?)`],
    ],
  ])("%s", (_, changes, problems) => expect(check(changes)).toEqual(problems))

  test.each([
    "http://h",
    "h/path",
    "h",
    "h:80",
    "host.example:8000",
    "127.0.0.1:1",
    "[::1]:80",
    "[::1]",
    "größe.example",
    "a_b:1",
  ])("endpoint %s is fine", (endpoint) =>
    expect(check({ "providers.models.0.backend_refs": [{ endpoint }] })).toEqual([]),
  )

  test.each(["h:port", "h:80:80", "a b", "user@h", "h?x", "h#x", "::1", "h:99999", "h^x", ":80"])(
    "endpoint %s is not",
    (endpoint) =>
      expect(check({ "providers.models.0.backend_refs": [{ endpoint }] })).toEqual([
        expect.stringContaining(`${at}.backend_refs[0].endpoint: must be host or host:port`),
      ]),
  )
})

describe("model cards", () => {
  test("a name twice", () => {
    expect(check({ "routing.modelCards": [{ name: "small" }, { name: "large" }, { name: "small" }] })).toEqual([
      'routing.modelCards[2].name: "small" is used already by modelCards[0]',
    ])
  })

  test("a name of blanks", () => {
    expect(check({ "routing.modelCards": [{ name: " " }] })).toEqual([
      "routing.modelCards[0].name: does not have the right form (pattern \\S)",
    ])
  })
})

describe("signals", () => {
  test("a rule name twice, blanks aside", () => {
    const keywords = ["urgent", "urgent ", "other"].map((name) => ({ name, operator: "OR", keywords: ["x"] }))
    expect(check({ "routing.signals.keywords": keywords })).toEqual([
      'routing.signals.keywords[1].name: "urgent" is used already by keywords[0]',
    ])
  })

  test("one name in two families", () => {
    expect(check({ "routing.signals.context": [{ name: "urgent", min_tokens: 1 }] })).toEqual([])
  })

  test("what a signal reports stands below its key", () => {
    expect(check({ "routing.signals.language": [{ name: "en" }, { name: "xx" }] })[0]).toMatch(
      /^routing\.signals\.language\[1\]\.name: "xx" is not one of the language codes am, ar, /,
    )
  })
})

describe("decisions", () => {
  const at = "routing.decisions[0]"
  const rush = documentWith({}) as never as { routing: { decisions: [object] } }

  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    [
      "a name twice",
      { "routing.decisions.1": rush.routing.decisions[0] },
      ['routing.decisions[1].name: "rush" is used already by decisions[0]'],
    ],
    [
      "a model that is not there",
      { "routing.decisions.0.modelRefs": [{ model: "lrge" }] },
      [`${at}.modelRefs[0].model: "lrge" is not in providers.models (did you mean "large"?)`],
    ],
    [
      "a LoRA that the card does not have",
      {
        "routing.modelCards": [{ name: "large", loras: [{ name: "law-lora" }] }],
        "routing.decisions.0.modelRefs": [{ model: "large", lora_name: "lawlora" }],
      },
      [
        `${at}.modelRefs[0].lora_name: "lawlora" is not among the loras of model card "large" (did you mean "law-lora"?)`,
      ],
    ],
    [
      "a LoRA that the card has",
      {
        "routing.modelCards": [{ name: "large", loras: [{ name: "law-lora" }] }],
        "routing.decisions.0.modelRefs": [{ model: "large", lora_name: "law-lora" }, { model: "law-lora" }],
        "providers.defaults.model": "law-lora",
      },
      [],
    ],
    [
      "no model, and no default model",
      { "routing.decisions.0.modelRefs": [], "providers.defaults.model": undefined },
      [
        `${at}.modelRefs: is empty; a decision needs a model, here or as providers.defaults.model, or a fast_response plugin that answers without one`,
      ],
    ],
    ["no model, for which the default model stands", { "routing.decisions.0.modelRefs": [] }, []],
    ["no model in a document of routing only", { providers: undefined, "routing.decisions.0.modelRefs": [] }, []],
    [
      "no model, but an answer of its own",
      {
        "routing.decisions.0.modelRefs": undefined,
        "routing.decisions.0.plugins": [{ type: "fast_response", configuration: { message: "no" } }],
      },
      [],
    ],
    [
      "a plugin twice",
      {
        "routing.decisions.0.plugins": [
          { type: "system_prompt", configuration: {} },
          { type: "system_prompt", configuration: {} },
        ],
      },
      [`${at}.plugins[1].type: "system_prompt" is used already by plugins[0]`],
    ],
    [
      "what a plugin reports",
      {
        "routing.decisions.0.plugins": [
          { type: "system_prompt", configuration: {} },
          { type: "request_params", configuration: { blocked_params: ["user", "model"] } },
        ],
      },
      [`${at}.plugins[1].configuration.blocked_params[1]: "model" cannot be blocked; a request needs it`],
    ],
    [
      "a condition of an unknown type",
      { "routing.decisions.0.rules": { type: "keywords", name: "urgent" } },
      [
        // Every signal has a type; those of other signals are not this test's business.
        expect.stringMatching(
          /\.rules\.type: must be .*"keyword", .*, got "keywords" \(did you mean "keyword"\?\)$/,
        ) as string,
      ],
    ],
    [
      "a condition on a rule that is not declared",
      { "routing.decisions.0.rules": { type: "keyword", name: "refund" } },
      [`${at}.rules.name: refers to keyword rule "refund", which routing.signals does not declare`],
    ],
    [
      "a condition on a family without rules",
      { "routing.decisions.0.rules": { type: "language", name: "en" } },
      [`${at}.rules.name: refers to language rule "en", which routing.signals does not declare`],
    ],
    ["any domain while none is declared", { "routing.decisions.0.rules": { type: "domain", name: "anything" } }, []],
    [
      "a domain that is not declared while others are",
      {
        "routing.signals.domains": [{ name: "law" }],
        "routing.decisions.0.rules": { type: "domain", name: "math" },
      },
      [`${at}.rules.name: refers to domain rule "math", which routing.signals does not declare`],
    ],
    [
      "an unknown strategy",
      { "routing.strategy": "confidnce" },
      ['routing.strategy: must be "priority" or "confidence", got "confidnce" (did you mean "confidence"?)'],
    ],
    [
      "an unknown algorithm",
      { "routing.decisions.0.algorithm": { type: "statik" } },
      [
        `${at}.algorithm.type: must be "automix", "decision", "hybrid", "kmeans", "knn", "latency_aware", "mlp", "multi_factor", "prompt", "router_dc", "static", "svm", "confidence", "fusion", "ratings", "remom" or "workflows", got "statik" (did you mean "static"?)`,
      ],
    ],
  ])("%s", (_, changes, problems) => expect(check(changes)).toEqual(problems))

  test("models are not checked in a document that is routing only", () => {
    const routingOnly = documentWith({ providers: undefined, "routing.decisions.0.modelRefs": [{ model: "anything" }] })
    expect(resolve(routingOnly).warnings.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([
      "providers.models: is empty; without it a model is only described, and calling it is an error",
    ])
  })

  test("cards stand for models in a document without providers", () => {
    expect(check({ providers: undefined, "routing.modelCards": [{ name: "card" }] })).toEqual([
      `${at}.modelRefs[0].model: "large" is not in providers.models`,
    ])
  })
})

describe("model catalogue", () => {
  const at = "global.model_catalog"
  const catalog = (value: object) => ({ "global.model_catalog": value })
  const deployments = { worker: { artifact: "signals" } }

  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ["a deployment that is started", catalog({ deployments }), []],
    ["a deployment that is attached", catalog({ deployments: { worker: { endpoint: "unix:///run/w.sock" } } }), []],
    [
      "a deployment with neither",
      catalog({ deployments: { worker: {} } }),
      [`${at}.deployments.worker: must have either an artifact to start or an endpoint to attach to`],
    ],
    [
      "a deployment with both",
      catalog({ deployments: { worker: { artifact: "x", endpoint: "http://h" } } }),
      [`${at}.deployments.worker: must have either an artifact to start or an endpoint to attach to`],
    ],
    [
      "an attached worker that is told how to start",
      catalog({ deployments: { worker: { endpoint: "http://h", process: "p", device: "cpu", profile: "exact" } } }),
      ["process", "device", "profile"].map(
        (key) => `${at}.deployments.worker.${key}: cannot be set for a worker that is attached by its endpoint`,
      ),
    ],
    [
      "a name with blanks",
      catalog({ deployments: { "a b": { artifact: "x" } } }),
      [`${at}.deployments["a b"]: is not a known key`],
    ],
    [
      "a binding",
      catalog({ deployments, bindings: { embedding: { deployment: "worker", contract: "embedding.v1" } } }),
      [],
    ],
    [
      "a binding to the deployment that is always there",
      catalog({ bindings: { embedding: { deployment: "default" } } }),
      [],
    ],
    [
      "a binding to a deployment that is not there",
      catalog({ deployments, bindings: { embedding: { deployment: "wroker" } } }),
      [
        `${at}.bindings.embedding.deployment: "wroker" is not in global.model_catalog.deployments (did you mean "worker"?)`,
      ],
    ],
    [
      "a binding that no signal uses",
      catalog({ bindings: { embeding: { deployment: "default" } } }),
      [
        expect.stringMatching(
          /\.bindings\.embeding: no signal uses this binding; there are .*"embedding", .* \(did you mean "embedding"\?\)$/,
        ) as string,
      ],
    ],
    [
      "a binding with the contract of another task",
      catalog({ bindings: { domain_classifier: { deployment: "default", contract: "embedding.v1" } } }),
      [
        `${at}.bindings.domain_classifier.contract: must be "label_distribution.v1" or "label_scores.v1" for this binding, got "embedding.v1"`,
      ],
    ],
    [
      "a head where there is none",
      catalog({ bindings: { embedding: { deployment: "default", head: "domain" } } }),
      [`${at}.bindings.embedding.head: belongs to a classifier binding`],
    ],
    [
      "a binding of classes with the contract of spans",
      catalog({ bindings: { prompt_guard: { deployment: "default", contract: "token_spans.v1" } } }),
      [
        `${at}.bindings.prompt_guard.contract: must be "label_distribution.v1" or "label_scores.v1" for this binding, got "token_spans.v1"`,
      ],
    ],
    ["a head of a classifier", catalog({ bindings: { domain_classifier: { deployment: "default", head: "x" } } }), []],
  ])("%s", (_, changes, problems) => expect(check(changes)).toEqual(problems))
})

test("models that can be called are the providers' and their LoRAs", () => {
  const document = documentWith({ "routing.modelCards": [{ name: "large", loras: [{ name: "l1" }, { name: "l2" }] }] })
  expect([...callableModels(document as never)]).toEqual(["small", "large", "l1", "l2"])
  expect(lorasOf(document as never, "small")).toEqual([])
})

const both = { type: "modality", name: "BOTH" }
const problem =
  "routing.decisions[0].modelRefs: of a decision for modality BOTH must have a model whose card (routing.modelCards[].modality) says ar and one with diffusion, or one with omni"

const checkBoth = (rules: object, ...modalities: readonly (string | undefined)[]) =>
  problemsOf(
    documentWith({
      "routing.signals.modality": [{ name: "AR" }, { name: "BOTH" }],
      "routing.modelCards": ["small", "large"].map((name, index) => ({
        name,
        ...(modalities[index] !== undefined && { modality: modalities[index] }),
      })),
      "routing.decisions.0.rules": rules,
      "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
    }),
  )

describe("a decision for modality BOTH", () => {
  test.each<[readonly (string | undefined)[], boolean]>([
    [["ar", "diffusion"], true],
    [["Diffusion", "AR"], true],
    [["omni"], true],
    [["ar", "ar"], false],
    [["diffusion"], false],
    [[], false],
    [["both", "multimodal"], false],
  ])("with models of %j is valid: %s", (modalities, valid) => {
    expect(checkBoth(both, ...modalities)).toEqual(valid ? [] : [problem])
  })

  test.each<[string, object, boolean]>([
    ["an AND", { operator: "AND", conditions: [{ type: "keyword", name: "urgent" }, both] }, true],
    ["an OR", { operator: "OR", conditions: [both] }, true],
    ["a NOT", { operator: "NOT", conditions: [both] }, false],
    ["another modality", { type: "modality", name: "AR" }, false],
  ])("is one with the condition in the root: %s", (_, rules, wants) => {
    expect(checkBoth(rules)).toEqual(wants ? [problem] : [])
  })
})
