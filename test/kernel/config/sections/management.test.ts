import { describe, expect, test } from "vitest"
import type { Environment } from "../../../../ts/kernel/config/environment.ts"
import { canonical, documentWith, problemsOf, problemsOnLoad } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

const at = "global.services.management_api"
const problems = (auth: object): readonly string[] => problemsOf(documentWith({ [`${at}.auth`]: auth }))

const compile = async (auth: object, environment: Environment) =>
  (await compileWith(canonical({ [`${at}.auth`]: auth }), { environment })).plan.management.tokens

const token = { env: "OPS_TOKEN", role: "operator" }

describe("tokens", () => {
  test("carry the name of their variable, their role and what it may do", async () => {
    const auth = { mode: "bearer", tokens: [token, { env: "ROOT", role: "admin" }] }
    const tokens = await compile(auth, { OPS_TOKEN: "secret-1\n", ROOT: "secret-2" })
    expect(tokens).toEqual([
      { token: "secret-1", principal: { role: "operator", permissions: expect.any(Set), name: "OPS_TOKEN" } },
      { token: "secret-2", principal: { role: "admin", permissions: undefined, name: "ROOT" } },
    ])
    const granted = tokens?.[0]?.principal.permissions
    expect(
      ["config.read", "config.write", "audit.read", "secret_view", "cache.manage"].map((each) => granted?.has(each)),
    ).toEqual([true, true, true, false, false])
  })

  test("a viewer reads and changes nothing", async () => {
    const [viewer] = (await compile({ mode: "bearer", tokens: [{ env: "V", role: "viewer" }] }, { V: "x" })) ?? []
    expect([...(viewer?.principal.permissions ?? [])].toSorted()).toEqual([
      "cache.read",
      "classify.invoke",
      "compression.read",
      "config.read",
      "data.read",
      "docs.read",
      "health.read",
      "metrics.read",
      "ready.read",
      "replay.read",
    ])
  })

  test("of roles that the document declares have their permissions", async () => {
    const roles = { auditor: ["audit.read"], root: ["*", "config.read"] }
    const auth = { mode: "bearer", roles, tokens: ["auditor", "root"].map((role) => ({ env: role, role })) }
    const tokens = await compile(auth, { auditor: "a", root: "b" })
    expect(tokens?.map(({ principal }) => principal.permissions)).toEqual([new Set(["audit.read"]), undefined])
  })

  test.each([{}, { mode: "disabled" }, { mode: "disabled", tokens: [token] }])("with %j there are none", async (auth) =>
    expect(await compile(auth, {})).toBeUndefined(),
  )

  test.each<[string, Environment, string]>([
    ["not set", {}, "is not set"],
    ["empty", { OPS_TOKEN: " \n" }, "is not set"],
    ["not sendable", { OPS_TOKEN: "a\nb" }, "has a value that no client can send in a header"],
  ])("whose variable is %s are refused by its name", async (_, environment, reason) => {
    await expect(compile({ mode: "bearer", tokens: [token] }, environment)).rejects.toMatchObject({
      code: "invalid_config",
      message: `Cannot protect the management API: environment variable OPS_TOKEN ${reason}`,
      path: ["global", "services", "management_api", "auth", "tokens", 0, "env"],
    })
  })

  test("of the same value are refused without saying it", async () => {
    const tokens = [token, { env: "OTHER", role: "admin" }]
    const refused = compile({ mode: "bearer", tokens }, { OPS_TOKEN: "hunter2", OTHER: "hunter2" })
    await expect(refused).rejects.toThrow(
      "Cannot protect the management API: environment variable OTHER has the same value as OPS_TOKEN; each token needs its own",
    )
  })
})

test.each<[string, object, readonly string[]]>([
  ["bearer with a token", { mode: "bearer", tokens: [token] }, []],
  [
    "bearer without a token",
    { mode: "bearer" },
    [`${at}.auth.tokens: is empty; mode bearer needs a token, or nobody could use the management API`],
  ],
  [
    "another mode",
    { mode: "baerer" },
    [`${at}.auth.mode: must be "disabled" or "bearer", got "baerer" (did you mean "bearer"?)`],
  ],
  [
    "an unknown role",
    { tokens: [{ env: "A", role: "opertor" }] },
    [
      `${at}.auth.tokens[0].role: "opertor" is not a role; there is "viewer", "operator" or "admin" (did you mean "operator"?)`,
    ],
  ],
  [
    "a default role beside declared ones",
    { roles: { mine: ["config.read"] }, tokens: [{ env: "A", role: "admin" }] },
    [`${at}.auth.tokens[0].role: "admin" is not a role; there is "mine"`],
  ],
  [
    "one variable twice",
    { tokens: [token, token] },
    [`${at}.auth.tokens[1].env: "OPS_TOKEN" is used already by tokens[0]`],
  ],
])("%s", (_, auth, expected) => expect(problems(auth)).toEqual(expected))

test.each(["config.raed", "inference.invoke"])("%s is no permission", (permission) => {
  const [problem = ""] = problems({ roles: { mine: [permission] } })
  expect(problem).toContain(`${at}.auth.roles.mine[0]: "${permission}" is not a permission`)
  expect(problem).toContain("there are health.read, ")
  expect(problem.includes('(did you mean "config.read"?)')).toBe(permission === "config.raed")
})

test.each(["", "collector.example", "*"])("%j is no address", async (address) => {
  const found = await problemsOnLoad(documentWith({ [at]: { bind_address: address } }))
  expect(found.map(({ path, message }) => `${path.join(".")}: ${message}`).join()).toContain(
    `${at}.bind_address: must be an IP address or localhost, got ${JSON.stringify(address)}`,
  )
})
