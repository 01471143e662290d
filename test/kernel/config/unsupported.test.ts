import { describe, expect, test } from "vitest"
import { movedKeys } from "../../../ts/kernel/config/moved-keys.ts"
import { unsupportedIn } from "../../../ts/kernel/config/unsupported.ts"
import { type KeyTree, v03Keys, v03Values } from "../../../ts/kernel/config/v03-keys.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { problemsOnLoad } from "../../fakes/document.ts"

/** A valid document with an entry in every list and map of the schema. */
const full = {
  version: "v0.3",
  listeners: [{ name: "main", address: "127.0.0.1", port: 8801 }],
  providers: {
    defaults: {
      model: "small",
      reasoning_families: { qwen: { type: "chat_template_kwargs", parameter: "enable_thinking" } },
    },
    models: [
      { name: "small", pricing: { prompt_per_1m: 1 }, backend_refs: [{ endpoint: "host", provider: "openai" }] },
    ],
  },
  routing: {
    modelCards: [{ name: "small", loras: [{ name: "lora" }] }],
    model_bindings: { embedding: { deployment: "first" } },
    signals: {
      keywords: [{ name: "urgent", operator: "OR", keywords: ["urgent"] }],
      embeddings: [{ name: "similar", threshold: 0.5, candidates: ["x"], prototype_scoring: {} }],
      fact_check: [{ name: "needs_fact_check" }],
      user_feedbacks: [{ name: "satisfied" }],
      language: [{ name: "en" }],
      context: [{ name: "short", max_tokens: 10 }],
      modality: [{ name: "AR" }],
      pii: [{ name: "any" }],
      domains: [{ name: "law", model_scores: [{ model: "small", score: 1 }] }],
      jailbreak: [{ name: "attack" }],
      structure: [{ name: "long", feature: { type: "count", source: { type: "text_bytes" } }, predicate: { gt: 1 } }],
    },
    decisions: [
      {
        name: "rush",
        rules: { operator: "AND", conditions: [{ type: "keyword", name: "urgent", predicate: { gt: 0 } }] },
        modelRefs: [{ model: "small" }],
        algorithm: { type: "static" },
        plugins: [{ type: "request_params", configuration: { max_n: 1 } }],
      },
    ],
  },
  global: {
    router: { strategy: "priority" },
    services: {
      api: { routing_preview: { max_concurrency: 1 } },
      management_api: { port: 0, auth: { mode: "bearer", tokens: [{ env: "TOKEN", role: "admin" }] } },
      observability: { metrics: { enabled: true } },
    },
    stores: {},
    model_catalog: {
      deployments: { first: { artifact: "signals", input: { overflow: "reject" } } },
      bindings: { embedding: { deployment: "first" } },
      modules: {
        classifier: { domain: { threshold: 0.5 } },
        prompt_guard: { threshold: 0.5 },
        hallucination_mitigation: { fact_check: { threshold: 0.5 } },
        feedback_detector: { threshold: 0.5 },
        modality_detector: { method: "classifier" },
      },
      embeddings: { semantic: { embedding_config: { top_k: 1, prototype_scoring: {} } } },
    },
  },
} as const

type Path = readonly (string | number)[]

/** A key of the format: where it stands in the full document, and the type of the entry that has it. */
interface Key {
  readonly path: Path
  readonly types: readonly (readonly [path: Path, type: string])[]
}

/** Every key of the format, with the first entry of each list and map; a part that holds itself is followed once. */
function keysOf(tree: KeyTree, { path, types }: Key, entered: readonly KeyTree[] = []): readonly Key[] {
  if (typeof tree === "function")
    return entered.includes(tree) ? [] : keysOf(tree(), { path, types }, [...entered, tree])
  if (typeof tree === "string")
    return tree === "" ? [] : tree.split(" ").map((key) => ({ path: [...path, key], types }))
  return Object.entries(tree).flatMap(([key, below]) => {
    if (key === "") return keysOf(below, { path, types }, entered)
    if (key.startsWith("@")) return keysOf(below, { path, types: [...types, [path, key.slice(1)]] }, entered)
    const at = [...path, key === "*" ? firstKey(valueAt(path)) : key]
    const inside = keysOf(below, { path: at, types }, entered)
    return key === "*" ? inside : [{ path: at, types }, ...inside]
  })
}

const valueAt = (path: Path): unknown =>
  path.reduce<unknown>((node, step) => (node as Record<string | number, unknown> | undefined)?.[step], full)

const firstKey = (node: unknown): string | number =>
  typeof node !== "object" || node === null || Array.isArray(node) ? 0 : (Object.keys(node)[0] ?? "any")

/** The full document with a value at a path; what is missing on the way is made. */
function withValue({ path, types = [] }: Partial<Key> & { readonly path: Path }, value: unknown): object {
  const document = structuredClone(full) as object
  for (const [entry, type] of types)
    setAt(document, entry, { type, ...(path.includes("configuration") && { configuration: {} }) })
  setAt(document, path, value)
  return document
}

function setAt(root: object, path: Path, value: unknown): void {
  let node = root as Record<string | number, unknown>
  for (const [index, step] of path.slice(0, -1).entries()) {
    if (typeof node[step] !== "object" || node[step] === null)
      node[step] = typeof path[index + 1] === "number" ? [] : {}
    node = node[step] as Record<string | number, unknown>
  }
  node[path.at(-1) ?? ""] = value
}

/** Wrong for every key of a schema, whatever its type: a map with a key that none knows. */
const strange = { "no such key": { "no such key": 1 } }

test("the full document is valid", async () => expect(await problemsOnLoad(full)).toEqual([]))

test("each key of the format is served or refused by name, and none is ignored", async () => {
  const keys = keysOf(v03Keys, { path: [], types: [] })
  const refused = new Set<string>()
  const verdictOf = async (key: Key): Promise<string> => {
    // What stands below a refused key is refused with it.
    if (key.path.some((_, index) => refused.has(JSON.stringify([key.path.slice(0, index), key.types]))))
      return "refused"
    const problems = await problemsOnLoad(withValue(key, strange))
    const about = problems.filter(({ path }) => {
      const shorter = Math.min(path.length, key.path.length)
      return path.slice(0, shorter).join() === key.path.slice(0, shorter).join()
    })
    const unsupported = about.some(({ code, path }) => code === "unsupported" && path.length <= key.path.length)
    const unsupportedType = key.types.some(([entry]) =>
      problems.some(({ code, path }) => code === "unsupported" && path.join() === [...entry, "type"].join()),
    )
    const unknown = about.some(
      ({ path, message }) => path.join() === key.path.join() && message.startsWith("is not a known key"),
    )
    if (unknown) return `${formatPath(key.path)} is called unknown`
    if (unsupported || unsupportedType) {
      refused.add(JSON.stringify([key.path, key.types]))
      return "refused"
    }
    return about.some(({ path }) => path.length >= key.path.length) ? "served" : `${formatPath(key.path)} is ignored`
  }
  const verdicts: string[] = []
  for (const key of keys) verdicts.push(await verdictOf(key))
  expect(verdicts.filter((verdict) => verdict !== "refused" && verdict !== "served")).toEqual([])
  const count = (verdict: string): number => verdicts.filter((each) => each === verdict).length
  // Both kinds are there, so that neither half of the proof is about nothing.
  expect([count("served") > 120, count("refused") > 400]).toEqual([true, true])
  // A thousand documents are checked, which takes a busy machine longer than most tests.
}, 120_000)

test("each word of a closed list is served or refused by name", async () => {
  const wrong: string[] = []
  for (const [pattern, words] of v03Values) {
    const path = pathOf(pattern)
    for (const word of words.split(" ")) {
      const types: Key["types"] = pattern.includes(".confidence.") ? [[path.slice(0, 4), "confidence"]] : []
      const about = (await problemsOnLoad(withValue({ path, types }, word))).filter(
        (problem) => problem.path.join() === path.join(),
      )
      // Whether a word suits its neighbours is asked only of those that are served.
      const served = about.every(({ message }) => !/^must be (?!.* for this binding,)|right form/.test(message))
      const refused = about.some(({ message }) => message.startsWith(`"${word}" is not supported yet`))
      if (!served && !refused) wrong.push(`${formatPath(path)}: ${word}: ${about.map(({ message }) => message).join()}`)
    }
  }
  expect(wrong).toEqual([])
})

/** The path in the full document that a pattern means. */
function pathOf(pattern: string): Path {
  const path: (string | number)[] = []
  for (const step of pattern.split(".")) {
    if (step === "**") path.push("conditions", 0)
    else path.push(step === "*" ? firstKey(valueAt(path)) : step)
  }
  return path
}

const told = async (document: object): Promise<readonly string[]> =>
  (await problemsOnLoad(document)).map(({ path, message }) => `${formatPath(path)}: ${message}`)

test("each key that has moved is refused with its new home", async () => {
  const said = await Promise.all(movedKeys.map(([pattern]) => told(withValue({ path: pathOf(pattern) }, {}))))
  expect(said).toEqual(movedKeys.map(([pattern, home]) => [`${formatPath(pathOf(pattern))}: has moved to ${home}`]))
})

describe("a refusal", () => {
  const refusal = (path: Path, document: unknown = {}, value?: string) => unsupportedIn(document)(path, value)?.message

  test("is of a key at any depth of the rules", () => {
    const deep = ["routing", "decisions", 3, "rules", "conditions", 0, "conditions", 2]
    expect(refusal([...deep, "type"], {}, "kb")).toBe('"kb" is not supported yet')
  })

  test("is of a word with a position behind it", async () => {
    const path = pathOf("global.model_catalog.deployments.*.device")
    expect(await told(withValue({ path }, "rocm:1"))).toEqual([`${formatPath(path)}: "rocm:1" is not supported yet`])
  })

  test("is of keys that the entry's type has, and of no other's", () => {
    const at = ["routing", "decisions", 0, "plugins", 0, "configuration", "ttl_seconds"]
    const documentOf = (type: string) => ({ routing: { decisions: [{ plugins: [{ type, configuration: {} }] }] } })
    expect(refusal(at, documentOf("response_cache"))).toBe("is not supported yet")
    expect(refusal(at, documentOf("system_prompt"))).toBeUndefined()
  })

  test.each<[Path, string | undefined]>([
    [["routing", "projection"], undefined],
    [["x", "routing", "projections"], undefined],
    [["routing", "decisions", 0, "label"], undefined],
    [["global", "model_catalog", "deployments", "any name"], undefined],
    [["routing", "signals", "keywords", 0, ""], undefined],
    [["routing", "signals", "keywords", 0, "*"], undefined],
    [["routing", "decisions", 0, "algorithm", "@knn"], undefined],
    [["routing", "decisions", 0, "algorithm", "type"], "knnn"],
    [["routing", "decisions", 0, "algorithm"], "knn"],
  ])("is not of %j (%s)", (path, value) => expect(refusal(path, {}, value)).toBeUndefined())
})
