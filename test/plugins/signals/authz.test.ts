import type { Fact } from "rtr"
import { signalContract, signalInput } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import signal from "../../../ts/plugins/signals/authz.ts"
import { documentWith, load } from "../../fakes/document.ts"
import { chat, createFakeKernel } from "../../fakes/kernel.ts"

type Rule = Parameters<typeof signal.setup>[0][number]
interface Asking {
  readonly address?: string
  readonly role?: string
}
type Headers = Readonly<Record<string, string>>

const rules: readonly Rule[] = [
  { name: "owner", role: "admin", subjects: [{ kind: "User", name: "ann" }] },
  {
    name: "platform",
    role: "admin",
    subjects: [
      { kind: "group", name: "platform" },
      { kind: "Team", name: "team_1" },
    ],
  },
  { name: "paid", role: "premium", subjects: [{ kind: "Group", name: "premium" }] },
]

async function read(headers: Headers, settings: object = {}, { address = "127.0.0.1", ...principal }: Asking = {}) {
  const document = { listeners: [{ address: "::1" }, { address }] }
  const reader = await signal.setup(rules, { settings: settings as never, document })
  const input = signalInput("hi")
  return reader.read(
    { ...input, principal: { ...input.principal, ...principal }, header: (name) => headers[name] },
    {},
  ) as readonly Fact[]
}
const roles = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules,
    settings: { fail_open: true },
    invalidRules: [{ name: "x", role: "x", subjects: [{ kind: "Robot", name: "r2" }] }],
  }))
    test(name, run)
})

test.each<[Headers, readonly string[]]>([
  [{ "x-authz-user-id": "ann" }, ["admin"]],
  [{ "x-authz-user-id": "bob" }, []],
  [{ "x-authz-user-id": "bob", "x-authz-user-groups": "sales, premium" }, ["premium"]],
  [{ "x-authz-user-id": "bob", "x-authz-user-groups": "platform,premium" }, ["admin", "premium"]],
  [{ "x-authz-user-id": "bob", "x-authz-team-id": "team_1" }, ["admin"]],
  [{ "x-authz-user-id": "platform" }, []],
  [{ "x-authz-user-id": "Ann" }, []],
])("headers %j have the roles %j", async (headers, expected) => expect(await roles(headers)).toEqual(expected))

test("every role has one fact, however many bindings grant it", async () => {
  expect(await read({ "x-authz-user-id": "ann" })).toEqual([
    { rule: "admin", state: "match", confidence: 1 },
    { rule: "premium", state: "no_match", confidence: 0 },
  ])
  expect(rules.map((rule) => signal.factNames?.(rule))).toEqual([["admin"], ["admin"], ["premium"]])
})

test("the document may name other headers", async () => {
  const identity = { user_id_header: "X-User", user_groups_header: "X-Groups" }
  expect(await roles({ "x-user": "ann", "x-groups": "premium" }, { identity })).toEqual(["admin", "premium"])
  await expect(read({ "x-authz-user-id": "ann" }, { identity })).rejects.toThrow("the header x-user")
})

describe("a request without a user", () => {
  test.each<[string, Headers, Asking]>([
    ["no header", {}, {}],
    ["a blank header", { "x-authz-user-id": " " }, {}],
    ["groups alone", { "x-authz-user-groups": "platform" }, {}],
    ["headers that anybody could have sent", { "x-authz-user-id": "ann" }, { address: "0.0.0.0" }],
  ])("%s: is refused, or has no role", async (_, headers, asking) => {
    await expect(read(headers, {}, asking)).rejects.toMatchObject({ code: "identity_required", status: 403 })
    expect(await roles(headers, { fail_open: true }, asking)).toEqual([])
  })

  test("whoever may preview routes may say for whom", async () => {
    expect(await roles({ "x-authz-user-id": "ann" }, {}, { role: "admin", address: "0.0.0.0" })).toEqual(["admin"])
  })
})

describe("in a kernel", () => {
  const kernelWith = (changes: object) =>
    createFakeKernel({
      config: documentWith({
        "routing.signals.role_bindings": rules,
        "routing.decisions.0.rules": { type: "authz", name: "admin" },
        ...changes,
      }),
    })
  const status = async (changes: object, headers: Headers): Promise<number> =>
    (await (await kernelWith(changes)).fetch(chat("hi", {}, headers))).status

  test("an open listener on another address takes nobody's word, unless it is told to", async () => {
    const listener = { name: "main", address: "0.0.0.0", port: 8801 }
    const local = { ...listener, address: "127.0.0.1" }
    const ann = { "x-authz-user-id": "ann" }
    const trusted = (says: boolean) => ({ "global.services.authz": { identity: { trusted: says } } })
    expect(await status({ listeners: [listener] }, ann)).toBe(403)
    expect(await status({ listeners: [listener], ...trusted(true) }, ann)).toBe(200)
    expect(await status({ listeners: [local] }, ann)).toBe(200)
    expect(await status({ listeners: [local], ...trusted(false) }, ann)).toBe(403)
  })

  test("a document that leaves it open who may say so gets a warning", async () => {
    const changes = {
      listeners: [{ name: "main", address: "0.0.0.0", port: 8801 }],
      "routing.signals.role_bindings": rules,
      "routing.decisions.0.rules": { type: "authz", name: "admin" },
    }
    const warned = async (more: object): Promise<readonly string[]> =>
      (await load(documentWith({ ...changes, ...more }))).warnings.map(({ path }) => path.join("."))
    expect(await warned({})).toEqual(["routing.signals.role_bindings.0"])
    expect(await warned({ "global.services.authz": { identity: { trusted: true } } })).toEqual([])
  })

  test("without a user the answer is 403, and no backend or model is asked", async () => {
    const kernel = await kernelWith({})
    const response = await kernel.fetch(chat("hi"))
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { code: "identity_required", type: "permission_error" } })
    expect(kernel.transport.requests).toEqual([])
  })

  test("fail_open lets it through", async () => {
    expect(await status({ "global.services.authz": { fail_open: true } }, {})).toBe(200)
  })
})

describe("roles of API keys", () => {
  const teams: readonly Rule[] = [
    { name: "desk", role: "support", subjects: [{ kind: "Key", name: "support" }] },
    { name: "desk-of-tomorrow", role: "support", subjects: [{ kind: "key", name: "support next" }] },
    { name: "builders", role: "engineering", subjects: [{ kind: "Key", name: "engineering" }] },
  ]
  const keys = [
    { name: "support", key: "sk-a" },
    { name: "support next", key: "sk-b" },
    { name: "engineering", key: "sk-c" },
    { name: "guest", key: "sk-d" },
  ]
  const listener = { name: "main", address: "0.0.0.0", port: 8801, api_keys: keys }
  const kernelWith = (changes: object) =>
    createFakeKernel({
      config: documentWith({
        listeners: [listener],
        "routing.signals.role_bindings": teams,
        "routing.decisions.0.rules": { type: "authz", name: "support" },
        ...changes,
      }),
    })
  const decisionOf = async (changes: object, headers: Headers): Promise<string | number> => {
    const { status, headers: got } = await (await kernelWith(changes)).fetch(chat("hi", {}, headers))
    return status === 200 ? (got.get("x-rtr-selected-decision") ?? "none") : status
  }

  test.each<[string, Headers, string | number]>([
    ["its key", { authorization: "Bearer sk-a" }, "rush"],
    ["another key of the role, in another header", { "x-api-key": "sk-b" }, "rush"],
    ["a key of another role", { authorization: "Bearer sk-c" }, "none"],
    ["a key without a role", { authorization: "Bearer sk-d" }, "none"],
    ["the name in place of the key", { authorization: "Bearer support" }, 401],
    [
      "headers that claim it",
      {
        authorization: "Bearer sk-d",
        "x-authz-user-id": "support",
        "x-authz-team-id": "support",
        "x-rtr-key": "support",
      },
      "none",
    ],
  ])("%s", async (_, headers, expected) => expect(await decisionOf({}, headers)).toBe(expected))

  test("trusted headers name users, and no key", async () => {
    const trusted = { "global.services.authz": { identity: { trusted: true } } }
    const claims = { authorization: "Bearer sk-d", "x-authz-user-id": "support", "x-authz-user-groups": "support" }
    expect(await decisionOf(trusted, claims)).toBe("none")
  })

  test("a listener without keys is refused, or gives no role", async () => {
    const open = { ...listener, name: "open", address: "127.0.0.1", port: 8802, api_keys: undefined }
    const listeners = { listeners: [open, listener] }
    const send = async (changes: object): Promise<Response> => {
      const kernel = await kernelWith({ ...listeners, ...changes })
      return kernel.fetch(chat("hi", {}, { "x-authz-user-id": "support" }))
    }
    const refused = await send({})
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ error: { code: "identity_required" } })
    const served = await send({ "global.services.authz": { fail_open: true } })
    expect([served.status, served.headers.get("x-rtr-selected-decision")]).toEqual([200, null])
  })

  test("where users have roles too, a request names its user, unless it may go on without", async () => {
    const mixed = { "routing.signals.role_bindings": [...teams, ...rules] }
    const desk = { authorization: "Bearer sk-a" }
    expect(await decisionOf(mixed, desk)).toBe(403)
    expect(await decisionOf({ ...mixed, "global.services.authz": { fail_open: true } }, desk)).toBe("rush")
  })

  test("a preview says for which key", async () => {
    const reader = await signal.setup(teams, { settings: {} as never, document: { listeners: [listener] } })
    const input = {
      ...signalInput("hi"),
      principal: { role: "admin", permissions: undefined, name: "x", key: "engineering" },
    }
    const facts = reader.read({ ...input, preview: { userId: "support" } }, {}) as readonly Fact[]
    expect(facts.map(({ rule, state }) => `${rule} ${state}`)).toEqual(["support match", "engineering no_match"])
    expect(() => reader.read({ ...input, preview: {} }, {})).toThrow("preview_context.user_id")
  })

  test("a document needs no trusted headers for them, and names keys that there are", async () => {
    const problemsOf = async (listeners: readonly object[]): Promise<readonly string[]> => {
      const found: string[] = []
      await signal.check?.(teams, (path, message) => found.push(`${path.join(".")}: ${message}`), {
        document: { listeners: listeners as never },
      })
      return found
    }
    expect(await problemsOf([listener])).toEqual([])
    const message = `2.subjects.0.name: "engineering" is not the name of an API key; listeners name theirs in api_keys, as { name: engineering, key: … }`
    expect(await problemsOf([{ ...listener, api_keys: keys.slice(0, 2) }])).toEqual([message])
  })

  test("what keys without a name are called gives no role", async () => {
    const problems = async (apiKeys: readonly unknown[]): Promise<number> => {
      let count = 0
      const binding = { name: "x", role: "x", subjects: [{ kind: "Key", name: "key-1" }] }
      await signal.check?.([binding], () => count++, {
        document: { listeners: [{ address: "::1", api_keys: apiKeys as never }] },
      })
      return count
    }
    expect(await problems(["sk-a"])).toBe(1)
    expect(await problems([{ name: "key-1", key: "sk-a" }])).toBe(0)
    expect(await problems(["sk-b", { name: "key-1", key: "sk-a" }])).toBe(1)
  })
})

test.each([
  [{ role: "a", subjects: [{ kind: "User", name: "b" }] }, true],
  [{ role: "a", subjects: [] }, false],
  [{ role: "", subjects: [{ kind: "User", name: "b" }] }, false],
  [{ role: "a", subjects: [{ kind: "User" }] }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
