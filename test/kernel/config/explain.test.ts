import { expect, test } from "vitest"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { documentWith, problemsOnLoad } from "../../fakes/document.ts"

const model = "providers.models[0]"
const backend = `${model}.backend_refs[0]`
const says = async (changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> =>
  (await problemsOnLoad(documentWith(changes))).map(({ path, message }) => `${formatPath(path)}: ${message}`)
const withBackend = (ref: object, more: object = {}): Promise<readonly string[]> =>
  says({ "providers.models.0": { name: "small", ...more, backend_refs: [ref] } })

test("a number where a duration belongs gets its unit", async () => {
  expect(await says({ "listeners.0.timeout": 30 })).toEqual([
    'listeners[0].timeout: must be a string, got a number; write "30s"',
  ])
  expect(await withBackend({ endpoint: "h" }, { reliability: { hedge_delay: 0.5 } })).toEqual([
    `${model}.reliability.hedge_delay: must be a string, got a number; write "0.5s"`,
  ])
  expect(await says({ "listeners.0.timeout": -1 })).toEqual(["listeners[0].timeout: must be a string, got a number"])
})

test("a text where a number belongs is shown, with the number that it means", async () => {
  const timeout = "global.model_catalog.signal_timeout_ms"
  const refused = async (path: string, value: unknown): Promise<readonly string[]> =>
    (await says({ [path]: value })).map((line) => line.replace(`${path}: `, ""))
  const got = (text: string): string => `must be a whole number, got the string ${JSON.stringify(text)}`
  for (const [text, hint] of [
    ["8s", "; write 8000 (milliseconds)"],
    ["1us", "; write a number of milliseconds"],
    ["fast", "; write a number of milliseconds"],
    ["8000", "; write it without quotes"],
  ] as const)
    expect(await refused(timeout, text)).toEqual([`${got(text)}${hint}`])
  expect(await says({ "routing.decisions.0.priority": "78" })).toEqual([
    `routing.decisions[0].priority: ${got("78")}; write it without quotes`,
  ])
  expect(await says({ "listeners.0.port": "http" })).toEqual([`listeners[0].port: ${got("http")}`])
  expect(await says({ "providers.models.0.pricing": { prompt_per_1m: "0.5" } })).toEqual([
    `${model}.pricing.prompt_per_1m: must be a number, got the string "0.5"; write it without quotes`,
  ])
  // Nobody reads a long one, and it may be a key at the wrong place.
  expect(await says({ "listeners.0.port": "k".repeat(41) })).toEqual([
    "listeners[0].port: must be a whole number, got a string",
  ])
})

test("a text where a number belongs is shown as the reference that it came from", async () => {
  const problems = await problemsOnLoad(documentWith({ "listeners.0.port": "${PORT}" }), { PORT: "8s-secret" })
  expect(problems.map(({ message }) => message)).toEqual(['must be a whole number, got the string "${PORT}"'])
})

test("a text where a map with one needed key belongs gets that key", async () => {
  expect(await says({ "routing.decisions.0.modelRefs": ["small"] })).toEqual([
    "routing.decisions[0].modelRefs[0]: must be a map, got a string; write { model: small }",
  ])
})

test("a missing key of one word gets that word", async () => {
  expect(await says({ version: undefined })).toEqual(["version: is missing; write version: v0.3"])
})

test("an unknown provider gets one that is spelled like it, or where they are listed", async () => {
  const hint = '; rtr providers list shows them, and "vllm" fits any other server of chat completions'
  const known = `${backend}.provider: must be a known word, got "mine"`
  expect(await withBackend({ endpoint: "h", provider: "mine" })).toEqual([`${known}${hint}`])
  expect((await withBackend({ endpoint: "h", provider: "azure" }))[0]).toContain('(did you mean "azure-openai"?)')
})

test("a key of another section gets its place", async () => {
  expect(await withBackend({ endpoint: "h", api_format: "openai" })).toEqual([
    `${backend}.api_format: is not a known key here; it belongs to ${model}.api_format`,
  ])
  expect(await withBackend({ endpoint: "h" }, { base_url: "http://h" })).toEqual([
    `${model}.base_url: is not a known key here; it belongs to backend_refs[].base_url`,
  ])
})

test("an unknown key gets a similar one, or the keys that there are", async () => {
  expect(await withBackend({ endpoint: "h" }, { pricing: { input: 1, curency: "EUR" } })).toEqual([
    `${model}.pricing.input: is not a known key; known keys: currency, prompt_per_1m, completion_per_1m, cached_input_per_1m, cache_write_per_1m, reasoning_per_1m`,
    `${model}.pricing.curency: is not a known key (did you mean "currency"?)`,
  ])
  expect(await withBackend({ endpoint: "h" }, { reliability: { retries: 1 } })).toEqual([
    expect.stringMatching(/reliability\.retries: is not a known key; known keys: lb_policy, retry_count, /),
  ])
})

test("keys that the schema has not loaded are listed as well", async () => {
  expect((await says({ nonsense: 1 }))[0]).toBe(
    "nonsense: is not a known key; known keys: version, modules, listeners, providers, routing, global, evaluation, recipes, entrypoints",
  )
  expect((await withBackend({ endpoint: "h" }, { xyzzy: 1 }))[0]).toMatch(/known keys: name, .*, catalog$/)
  expect(await says({ recipies: [] })).toEqual(['recipies: is not a known key (did you mean "recipes"?)'])
})

test("names that every object answers to are unknown keys like any other", async () => {
  const [first, second] = await says({ constructor: 1, "global.router.toString": 1 })
  expect([first, second]).toEqual([
    expect.stringMatching(/^constructor: is not a known key; known keys: version, /),
    expect.stringMatching(/^global\.router\.toString: is not a known key; known keys: config_source, /),
  ])
  expect((await problemsOnLoad("version: v0.3\nrouting: {}\n__proto__: { a: 1 }\n"))[0]?.message).toMatch(
    /^is not a known key; known keys: /,
  )
})

test("a word where true or false belongs gets both", async () => {
  expect(await says({ "routing.decisions.0.modelRefs.0.use_reasoning": "yes" })).toEqual([
    "routing.decisions[0].modelRefs[0].use_reasoning: must be a boolean, got a string; write true or false",
  ])
})

test("the format of Messages is called anthropic", async () => {
  expect(await withBackend({ endpoint: "h" }, { api_format: "messages" })).toEqual([
    `${model}.api_format: must be "openai", "anthropic" or "responses", got "messages"; write anthropic`,
  ])
})

test.each(["ann:word@h", "h?a=1", "h h", "ftp://h"])("endpoint %s is refused", async (endpoint) =>
  expect(await withBackend({ endpoint })).toEqual([
    `${backend}.endpoint: must be host or host:port, or a URL without user, query and fragment`,
  ]),
)

test("a base URL with a path of the API is refused", async () => {
  const of = (base_url: string, more: object = {}): Promise<readonly string[]> => withBackend({ base_url, ...more })
  const ends = (path: string, right: string): readonly string[] => [
    `${backend}.base_url: ends with ${path}, which is added to it; write ${right}`,
  ]
  expect(await of("http://h/v1/chat/completions")).toEqual(ends("/chat/completions", "http://h/v1"))
  expect(await of("http://h/api/chat/completions/")).toEqual(ends("/chat/completions/", "http://h/api"))
  expect(await of("http://h/v1/messages", { provider: "anthropic" })).toEqual(ends("/messages", "http://h/v1"))
  expect(await of("http://ann:word@h/v1/responses")).toEqual(ends("/responses", "the part before it"))
  for (const fine of ["http://h/v1", "http://h/responses", "http://h/v1/models/m"]) expect(await of(fine)).toEqual([])
  expect(await of("http://h/v1/chat/completions", { chat_path: "/v1/chat/completions" })).toEqual([])
})
