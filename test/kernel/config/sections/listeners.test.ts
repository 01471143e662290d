import { expect, test } from "vitest"
import { canonical, documentWith, problemsOf } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

test("listeners have their limits, and 300 seconds without a time-out", async () => {
  const listeners = [
    { name: "a", address: "::", port: 1 },
    {
      name: "b",
      address: "::",
      port: 2,
      timeout: "1m30s",
      api_keys: ["k"],
      models: ["MoM"],
      cors: { origins: ["http://a.b:81"] },
    },
  ]
  expect((await compileWith(canonical({ listeners }))).plan.listeners).toEqual([
    { name: "a", address: "::", port: 1, timeoutMs: 300_000, apiKeys: [], models: undefined, origins: new Set() },
    {
      name: "b",
      address: "::",
      port: 2,
      timeoutMs: 90_000,
      apiKeys: [{ key: "k", name: "b/key-1" }],
      models: new Set(["MoM"]),
      origins: new Set(["http://a.b:81"]),
    },
  ])
})

test("a document that declares none is served on loopback", async () => {
  const { plan } = await compileWith({ version: "v0.3" })
  expect(plan.listeners).toMatchObject([{ address: "127.0.0.1", port: 8801, timeoutMs: 300_000 }])
})

test("origins are written as browsers send them", () => {
  const problemsWith = (...origins: string[]): readonly string[] =>
    problemsOf({ version: "v0.3", routing: {}, listeners: [{ name: "a", address: "::", port: 1, cors: { origins } }] })
  expect(problemsWith("https://a.example", "http://localhost:3000", "*")).toEqual([])
  for (const origin of ["a.example", "https://a.example/", "https://A.example", "https://a.example:443", "null"])
    expect(problemsWith("*", origin)).toEqual([
      `listeners[0].cors.origins[1]: ${JSON.stringify(origin)} is not an origin; write scheme, host and port only, such as https://chat.example.com`,
    ])
})

test("keys without a name are called by their position, in logs and nowhere else", async () => {
  const keys = ["first", { key: "second", name: "search team" }, "third"]
  const { plan } = await compileWith(canonical({ listeners: [{ name: "a", address: "::", port: 1, api_keys: keys }] }))
  expect(plan.listeners[0]?.apiKeys).toEqual([
    { key: "first", name: "key-1" },
    { key: "second", name: "search team" },
    { key: "third", name: "key-3" },
  ])
})

test("keys without a name on two listeners are two clients", async () => {
  const listeners = ["a", "b"].map((name, port) => ({
    name,
    address: "::",
    port: port + 1,
    api_keys: [`key of ${name}`],
  }))
  const { plan } = await compileWith(canonical({ listeners }))
  expect(plan.listeners.map(({ apiKeys }) => apiKeys.map(({ name }) => name))).toEqual([["a/key-1"], ["b/key-1"]])
})

test.each([
  [["k1", { key: "k2", name: "key-1" }], /^listeners\[0\]\.api_keys\[1\]\.name: "key-1" is used already/],
  [[{ key: "sk-1", name: "my sk-1" }], /^listeners\[0\]\.api_keys\[0\]\.name: must not hold the key/],
  [[{ key: "k" }], /^listeners\[0\]\.api_keys\[0\]\.name: is missing/],
  [[{ key: "", name: "a" }], /^listeners\[0\]\.api_keys\[0\]\.key: must not be empty/],
  [[{ key: "k", name: "a\u001b" }], /^listeners\[0\]\.api_keys\[0\]\.name: .*letters, digits/],
  [[], /^listeners\[0\]\.api_keys: is an empty list, which lets nobody in; leave the key out to let everybody in$/],
  [null, /^listeners\[0\]\.api_keys: is an empty list/],
  [["twice", "b", "twice"], /^listeners\[0\]\.api_keys\[2\]: is the same key as api_keys\[0\];(?!.*twice)/],
  [
    [
      { key: "twice", name: "a" },
      { key: "twice", name: "b" },
    ],
    /^listeners\[0\]\.api_keys\[1\]\.key: is the same key as api_keys\[0\];(?!.*twice)/,
  ],
  [[" k1 "], /^listeners\[0\]\.api_keys\[0\]: cannot be sent in a header: (?!.*k1)/],
  [[{ key: "kä", name: "a" }], /^listeners\[0\]\.api_keys\[0\]\.key: cannot be sent in a header: (?!.*kä)/],
  [[7], /^listeners\[0\]\.api_keys\[0\]: must be a string or a map, got a number/],
])("keys %j are refused", (keys, expected) => {
  expect(problemsOf(documentWith({ "listeners.0.api_keys": keys })).join("\n")).toMatch(expected)
})

test("a named key whose variable is not set is refused for that alone", () => {
  const document = documentWith({ "listeners.0.api_keys": [{ name: "team", key: "${CHATKEY}" }] })
  expect(problemsOf(document)).toEqual([
    "listeners[0].api_keys[0].key: must not be empty; environment variable CHATKEY is not set",
  ])
})

test.each([
  ["0s", "must be longer than 0s; leave it out for the default"],
  ["0h0ms", "must be longer than 0s; leave it out for the default"],
  ["5 s", 'must be a duration such as 300s or 1m30s, got "5 s"'],
])("a listener does not wait %s", (timeout, expected) => {
  expect(problemsOf(documentWith({ "listeners.0.timeout": timeout }))).toEqual([`listeners[0].timeout: ${expected}`])
})

test("models of a listener are names of automatic routing or configured models", () => {
  const problemsWith = (models: readonly string[], router: object = {}) =>
    problemsOf(documentWith({ "listeners.0.models": models, "global.router": router }))
  expect(problemsWith(["MoM", "auto", "rtr/auto", "small"])).toEqual([])
  expect(problemsWith(["Mine"], { auto_model_name: "Mine" })).toEqual([])
  expect(problemsWith(["MoM"], { auto_model_name: "Mine" })).toHaveLength(1)
  expect(problemsWith(["small", "Mom"])).toEqual([
    'listeners[0].models[1]: "Mom" is neither a name of automatic routing nor in providers.models or global.model_catalog.deployments (did you mean "MoM"?)',
  ])
})
