// The management API with tokens: every operation for every role, on the wire and by the command line.

import { expect, test } from "vitest"
import {
  providersOn,
  runCommand,
  startRouter,
  startTestBackend,
  type TestRouter,
  userMessage,
  waitFor,
} from "./_processes.ts"

const tokens = {
  RTR_VIEWER: "viewer-token-1f6b",
  RTR_OPERATOR: "operator-token-77aa",
  RTR_ADMIN: "admin-token-93cd",
  RTR_ADMIN_NEXT: "admin-token-next-e012",
  RTR_DASHBOARD: "dashboard-token-5e5e",
}

interface Auth {
  readonly mode: "bearer" | "disabled"
  readonly tokens?: readonly { readonly env: keyof typeof tokens; readonly role: string }[]
  readonly roles?: Readonly<Record<string, readonly string[]>>
}

const defaultAuth: Auth = {
  mode: "bearer",
  tokens: [
    { env: "RTR_VIEWER", role: "viewer" },
    { env: "RTR_OPERATOR", role: "operator" },
    { env: "RTR_ADMIN", role: "admin" },
  ],
}

const documentOf = (endpoint: string, auth: Auth): object => ({
  providers: providersOn(endpoint, "small"),
  routing: {
    signals: { keywords: [{ name: "any", operator: "OR", keywords: ["hello"] }] },
    decisions: [{ name: "any", rules: { type: "keyword", name: "any" }, modelRefs: [{ model: "small" }] }],
  },
  global: { services: { management_api: { auth } } },
})

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly permission: string
  readonly plane: string
}

const withToken = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

async function ask(router: TestRouter, { method, path }: Pick<Endpoint, "method" | "path">, token: string | undefined) {
  // Parameters get a value that names nothing: what is asked here is whether the role may ask.
  const filled = path.replaceAll(/\{\w+\}/g, "nothing")
  const response = await fetch(`${router.management}${filled}`, {
    method,
    headers: { ...withToken(token), ...(method !== "GET" && { "content-type": "application/json" }) },
    ...(method !== "GET" && { body: path.endsWith("/preview") ? JSON.stringify({ text: "hello" }) : "{}" }),
  })
  const text = await response.text()
  const isJson = response.headers.get("content-type")?.includes("json") === true
  const { error } = (isJson ? JSON.parse(text) : {}) as { error?: { code?: string; message?: string } }
  return { status: response.status, code: error?.code, message: error?.message, headers: response.headers }
}

/** The status of an operation that needs no more than being asked; others say what they like of the empty body. */
const servedText = ({ method, path }: Endpoint, status: number): string =>
  method === "GET" && !path.includes("{") ? String(status) : "served"

/** Every operation that the management listener has. */
async function endpointsOf(router: TestRouter, token: string): Promise<readonly Endpoint[]> {
  const headers = withToken(token)
  const listed = await fetch(`${router.management}/api/v1?view=operations`, { headers })
  const { endpoints } = (await listed.json()) as { endpoints: readonly Endpoint[] }
  const described = await fetch(`${router.management}/openapi.json`, { headers })
  const { paths } = (await described.json()) as {
    paths: Record<string, Record<string, { "x-rtr-listeners": readonly string[] }>>
  }
  return endpoints.filter(({ path, method }) =>
    paths[path]?.[method.toLowerCase()]?.["x-rtr-listeners"].includes("management"),
  )
}

test("each role may do what its permissions say, over all operations", async () => {
  const { endpoint } = await startTestBackend()
  const router = await startRouter(documentOf(endpoint, defaultAuth), tokens)
  const endpoints = await endpointsOf(router, tokens.RTR_ADMIN)
  expect(endpoints.length).toBeGreaterThan(8)

  // Written by hand from the specification, so that a role that gains a permission fails here.
  const viewer = ["health", "ready", "docs", "metrics", "config", "replay", "data", "cache", "compression"].map(
    (what) => `${what}.read`,
  )
  const allowed: Readonly<Record<string, readonly string[]>> = {
    [tokens.RTR_VIEWER]: [...viewer, "classify.invoke"],
    [tokens.RTR_OPERATOR]: [
      ...viewer,
      "classify.invoke",
      "config.write",
      "learning.ingest",
      "replay.detail",
      "data.write",
      "cache.invalidate",
      "compression.preview",
      "audit.read",
    ],
  }
  const found: string[] = []
  const expected: string[] = []
  for (const each of endpoints) {
    const name = `${each.method} ${each.path}`
    const isOpen = each.path === "/health"
    for (const token of [undefined, "wrong-token-0000", "", `${tokens.RTR_ADMIN}x`, tokens.RTR_ADMIN.slice(0, -1)]) {
      const { status, code, headers } = await ask(router, each, token)
      found.push(`${name} as ${token}: ${isOpen ? status : `${status} ${code} ${headers.get("www-authenticate")}`}`)
      // The error format belongs to the operation, and the model list is one of the inference API.
      const expectedCode = each.path.startsWith("/v1/") ? "invalid_api_key" : "UNAUTHORIZED"
      expected.push(`${name} as ${token}: ${isOpen ? "200" : `401 ${expectedCode} Bearer`}`)
    }
    for (const token of [tokens.RTR_VIEWER, tokens.RTR_OPERATOR, tokens.RTR_ADMIN]) {
      const { status, code, message } = await ask(router, each, token)
      const may = isOpen || token === tokens.RTR_ADMIN || allowed[token]?.includes(each.permission) === true
      found.push(
        `${name} as ${token}: ${status === 403 ? `403 ${code} ${message}` : status === 401 ? "401" : servedText(each, status)}`,
      )
      const role = token.split("-", 1)[0]
      expected.push(
        `${name} as ${token}: ${may ? servedText(each, 200) : `403 FORBIDDEN The role "${role}" lacks the permission ${each.permission}`}`,
      )
    }
  }
  expect(found).toEqual(expected)

  // A stranger does not learn which paths there are, and somebody who is known does.
  expect((await ask(router, { method: "GET", path: "/nowhere" }, undefined)).status).toBe(401)
  expect((await ask(router, { method: "GET", path: "/nowhere" }, tokens.RTR_VIEWER)).status).toBe(404)
  expect((await ask(router, { method: "DELETE", path: "/health" }, tokens.RTR_VIEWER)).status).toBe(405)
  // Tokens of the management API are nothing to the other listeners, and the other way round.
  expect((await router.ask(userMessage("hello"))).status).toBe(200)
  expect((await fetch(`${router.metrics}/metrics`)).status).toBe(200)
}, 60_000)

test("roles of the document replace the built-in ones", async () => {
  const { endpoint } = await startTestBackend()
  const auth: Auth = {
    mode: "bearer",
    tokens: [
      { env: "RTR_ADMIN", role: "everything" },
      { env: "RTR_DASHBOARD", role: "dashboard" },
      { env: "RTR_VIEWER", role: "nothing" },
    ],
    roles: { everything: ["*"], dashboard: ["ready.read", "docs.read"], nothing: [] },
  }
  const router = await startRouter(documentOf(endpoint, auth), tokens)
  const served: Record<string, string[]> = { dashboard: [], nothing: [] }
  for (const each of await endpointsOf(router, tokens.RTR_ADMIN)) {
    expect([401, 403]).not.toContain((await ask(router, each, tokens.RTR_ADMIN)).status)
    const permission = each.path === "/health" ? "open" : each.permission
    if ((await ask(router, each, tokens.RTR_DASHBOARD)).status !== 403) served["dashboard"]?.push(permission)
    if ((await ask(router, each, tokens.RTR_VIEWER)).status !== 403) served["nothing"]?.push(permission)
  }
  expect([...new Set(served["dashboard"])].toSorted()).toEqual(["docs.read", "open", "ready.read"])
  expect(served["nothing"]).toEqual(["open"])
}, 60_000)

test("the command line sends its token, and says what to do without the right one", async () => {
  const { endpoint } = await startTestBackend()
  const router = await startRouter(documentOf(endpoint, defaultAuth), tokens)
  const status = (environment: Record<string, string>, ...more: readonly string[]) =>
    runCommand("rtr", ["status", "--endpoint", router.management, ...more], { RTR_MGMT_TOKEN: "", ...environment })
  expect(await status({ RTR_MGMT_TOKEN: tokens.RTR_VIEWER })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Router +ready$/m),
    stderr: "",
  })
  expect(await status({ OTHER: tokens.RTR_VIEWER }, "--token-env", "OTHER")).toMatchObject({ code: 0, stderr: "" })
  const refused = {
    code: 1,
    stdout: "",
    stderr:
      "Error: The router answered 401 UNAUTHORIZED: Missing or invalid token\nHint: Put the management token into RTR_MGMT_TOKEN, or name another variable with --token-env\n",
  }
  expect(await status({})).toEqual(refused)
  const wrong = await status({ RTR_MGMT_TOKEN: "wrong-token-0000" })
  expect(wrong).toEqual(refused)
  expect(await status({ OTHER: "wrong" }, "--token-env", "OTHER")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Put the management token into OTHER"),
  })
  const preview = (token: string) =>
    runCommand("rtr", ["route", "preview", "--prompt", "hello", "--endpoint", router.management], {
      RTR_MGMT_TOKEN: token,
    })
  expect(await preview(tokens.RTR_VIEWER)).toMatchObject({ code: 0, stdout: expect.stringContaining("small") })
  expect(await preview("wrong-token-0000")).toEqual(refused)

  expect(await router.stop()).toBe(0)
  const written = router.stdout() + router.stderr()
  for (const token of [...Object.values(tokens), "wrong-token-0000"]) expect(written).not.toContain(token)
}, 60_000)

test("a change of the document replaces tokens, and the old one ends", async () => {
  const { endpoint } = await startTestBackend()
  const router = await startRouter(documentOf(endpoint, defaultAuth), tokens)
  const statusOf = async (token: string | undefined): Promise<number> =>
    (await ask(router, { method: "GET", path: "/api/v1/status" }, token)).status
  expect([await statusOf(tokens.RTR_ADMIN), await statusOf(tokens.RTR_ADMIN_NEXT)]).toEqual([200, 401])

  router.write(documentOf(endpoint, { mode: "bearer", tokens: [{ env: "RTR_ADMIN_NEXT", role: "admin" }] }))
  await waitFor(async () => (await statusOf(tokens.RTR_ADMIN_NEXT)) === 200)
  expect([await statusOf(tokens.RTR_ADMIN), await statusOf(tokens.RTR_VIEWER)]).toEqual([401, 401])

  // A token without a value would lock everybody out; the document is refused and the old tokens stay.
  router.write(documentOf(endpoint, { mode: "bearer", tokens: [{ env: "RTR_UNSET" as "RTR_ADMIN", role: "admin" }] }))
  await waitFor(() => router.stderr().includes("RTR_UNSET"))
  await waitFor(() => router.stderr().includes("global.services.management_api.auth.tokens[0].env"))
  expect(await statusOf(tokens.RTR_ADMIN_NEXT)).toBe(200)

  router.write(documentOf(endpoint, { mode: "disabled" }))
  await waitFor(async () => (await statusOf(undefined)) === 200)
  router.write(documentOf(endpoint, defaultAuth))
  await waitFor(async () => (await statusOf(undefined)) === 401)
  expect(await statusOf(tokens.RTR_ADMIN)).toBe(200)
}, 60_000)
