import { type DocumentChange, type KeptDocument, ManagementError, type Permission } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test, vi } from "vitest"
import route from "../../../ts/plugins/routes/recipes.ts"
import { type Answer, jsonPost, mountRoute } from "../../fakes/listener.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const path = "/api/v1/config/recipes"
const routing = { decisions: [{ name: "rush", plugins: [{ type: "header_mutation" }] }] }
const own = { decisions: [{ name: "stay" }] }
const value = {
  routing,
  recipes: [
    { name: "private", description: "Ours", version: "1", routing: own },
    { name: "spare", routing: own },
  ],
  entrypoints: [
    { model_names: ["acme/private"], recipe: "private" },
    { model_names: ["acme/any"], recipe: "default" },
  ],
}
const records = [
  {
    name: "default",
    routing,
    entrypoints: [{ model_names: ["acme/any"], recipe: "default" }],
    source: "routing",
    deletable: false,
  },
  {
    name: "private",
    description: "Ours",
    routing: own,
    entrypoints: [{ model_names: ["acme/private"], recipe: "private" }],
    source: "recipes",
    deletable: false,
  },
  { name: "spare", routing: own, entrypoints: [], source: "recipes", deletable: true },
]

interface Given {
  readonly document?: object
  readonly settled?: Promise<"active" | "failed">
  readonly permissions?: readonly Permission[]
}

function mount({ document: written = value, settled = Promise.resolve("active"), permissions }: Given = {}) {
  const changes: DocumentChange[] = []
  const checked: DocumentChange[] = []
  const document: KeptDocument = {
    read: async () => ({ value: written as never, redacted: { routing: { secret: "<redacted>" } }, etag: '"one"' }),
    readFile: async () => "",
    check: async (change) => void checked.push(change),
    async change(change) {
      if (change.ifMatch?.header === undefined) throw new ManagementError(428, "PRECONDITION_REQUIRED", "x")
      changes.push(change)
      return { hash: "h", etag: '"two"', status: "pending", settled }
    },
  }
  const tokens = permissions && [{ token: "t", principal: { role: "r", name: "t", permissions: new Set(permissions) } }]
  const ask = mountRoute(route, { document }, { tokens })
  const send = (
    method: string,
    name: string,
    body?: unknown,
    headers: object = { "if-match": '"one"' },
  ): Promise<Answer> => {
    const init = body === undefined ? {} : jsonPost(body)
    return ask(`${path}${name}`, {
      ...init,
      method,
      headers: { ...init.headers, ...headers, authorization: "Bearer t" },
    })
  }
  return { send, changes, checked }
}
const codeOf = ({ body }: Answer): unknown => (body as { error?: { code?: unknown } }).error?.code

test("profiles are listed and read, the default one first", async () => {
  const { send } = mount()
  expect(await send("GET", "")).toMatchObject({
    status: 200,
    headers: { etag: '"one"' },
    body: { etag: '"one"', recipes: records },
  })
  expect(await send("GET", "/private")).toMatchObject({ status: 200, headers: { etag: '"one"' }, body: records[1] })
  expect(codeOf(await send("GET", "/none"))).toBe("RECIPE_NOT_FOUND")
  const named = mount({ document: { recipes: [{ name: "default", routing: own }] } })
  expect((await named.send("GET", "")).body).toMatchObject({
    recipes: [{ name: "default", source: "recipes", deletable: false }],
  })
})

test("a profile is made, replaced at its place, and keeps what the API does not show", async () => {
  const { send, changes } = mount()
  const entrypoints = [{ model_names: ["acme/new"] }]
  const answers = [
    await send("PUT", "/new", { name: "new", description: "New", routing: own, entrypoints }),
    await send("PUT", "/private", { routing }),
    await send("PUT", "/private", { routing, entrypoints: [] }),
    await send("PUT", "/default", { routing: own }),
  ]
  const update = { status: "success", etag: '"two"', activation_status: "active", generated_runtime_hash: "h" }
  expect(answers.map(({ status, body }) => [status, body])).toEqual(
    [201, 200, 200, 200].map((status) => [status, update]),
  )
  expect(changes.map(({ values }) => values)).toEqual([
    [
      [["recipes", 2], { name: "new", description: "New", routing: own }],
      [["entrypoints"], [...value.entrypoints, { model_names: ["acme/new"], recipe: "new" }]],
    ],
    [[["recipes", 0], { name: "private", description: "Ours", version: "1", routing }]],
    [
      [["recipes", 0], { name: "private", description: "Ours", version: "1", routing }],
      [["entrypoints"], [{ model_names: ["acme/any"], recipe: "default" }]],
    ],
    [[["routing"], own]],
  ])
  expect(changes.every(({ ifMatch }) => ifMatch?.header === '"one"')).toBe(true)
})

test("one that no entrypoint names is removed", async () => {
  const { send, changes } = mount()
  expect((await send("DELETE", "/spare")).status).toBe(200)
  const last = mount({ document: { recipes: [{ name: "spare", routing: own }] } })
  await last.send("DELETE", "/spare")
  expect([...changes, ...last.changes].map(({ values }) => values)).toEqual([
    [[["recipes", 1], undefined]],
    [[["recipes"], undefined]],
  ])
})

test("a check writes nothing", async () => {
  const { send, changes, checked } = mount()
  const answers = [
    await send("POST", "/validate", { name: "new", routing: own }),
    await send("POST", "/validate", { name: "spare", routing }),
  ]
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, { valid: true, name: "new", action: "create" }],
    [200, { valid: true, name: "spare", action: "replace" }],
  ])
  expect([changes, checked.length]).toEqual([[], 2])
})

test("what cannot be done is refused with its code, and changes nothing", async () => {
  const { send, changes } = mount()
  const cases: readonly (readonly [method: string, name: string, body: unknown, code: string, status: number])[] = [
    ["PUT", "/%20new", { routing: own }, "INVALID_RECIPE_NAME", 400],
    ["PUT", "/new", { name: "other", routing: own }, "RECIPE_NAME_MISMATCH", 400],
    ["PUT", "/new", { routing: {} }, "INVALID_RECIPE", 400],
    ["PUT", "/new", {}, "INVALID_INPUT", 400],
    ["PUT", "/new", { routing: own, entrypoints: [{ model_names: ["x"], recipe: "spare" }] }, "INVALID_RECIPE", 400],
    ["PUT", "/default", { routing: own, entrypoints: [] }, "INVALID_RECIPE", 400],
    ["DELETE", "/default", undefined, "DEFAULT_RECIPE_REQUIRED", 409],
    ["DELETE", "/private", undefined, "RECIPE_IN_USE", 409],
    ["DELETE", "/none", undefined, "RECIPE_NOT_FOUND", 404],
  ]
  for (const [method, name, body, code, status] of cases) {
    const answer = await send(method, name, body)
    expect([method, name, body, codeOf(answer), answer.status]).toEqual([method, name, body, code, status])
  }
  expect(codeOf(await send("PUT", "/new", { routing: own }, {}))).toBe("PRECONDITION_REQUIRED")
  expect(changes).toEqual([])
})

test("a change that is not activated is 503, and one that takes long 202", async () => {
  const failed = await mount({ settled: Promise.resolve("failed") }).send("DELETE", "/spare")
  expect(failed).toMatchObject({ status: 503, body: { status: "activation_failed", activation_status: "failed" } })
  vi.useFakeTimers()
  try {
    const answer = mount({ settled: new Promise(() => {}) }).send("DELETE", "/spare")
    await vi.advanceTimersByTimeAsync(20_000)
    vi.useRealTimers()
    expect(await answer).toMatchObject({ status: 202, body: { status: "accepted", activation_status: "pending" } })
  } finally {
    vi.useRealTimers()
  }
})

test("each operation says who asks and what of the request goes into the document", async () => {
  const { send, changes, checked } = mount({ permissions: ["config.read", "config.write"] })
  const permissions = new Set(["config.read", "config.write"])
  const given = { name: "new", routing: own }
  await send("POST", "/validate", given)
  await send("PUT", "/new", given)
  await send("DELETE", "/spare")
  expect([...checked, ...changes].map(({ client }) => client)).toEqual([
    { permissions, brought: given },
    { permissions, brought: ["new", given] },
    { permissions },
  ])
})

test("secrets are shown to those who may see them", async () => {
  const readers: readonly (readonly Permission[])[] = [["config.read"], ["config.read", "secret_view"]]
  const bodies = await Promise.all(
    readers.map(async (permissions) => (await mount({ permissions }).send("GET", "/default")).body),
  )
  expect(bodies).toMatchObject([{ routing: { secret: "<redacted>" } }, { routing }])
})
