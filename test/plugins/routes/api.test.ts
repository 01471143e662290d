import { Validator } from "@seriousme/openapi-schema-validator"
import { listOperations, type OperationInfo } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { builtinModules } from "../../../ts/plugins/registry.gen.ts"
import route from "../../../ts/plugins/routes/api.ts"
import { fakeOperation, mountRoute } from "../../fakes/listener.ts"
import { lineDialect } from "../../fakes/line-dialect.ts"
import { fakePlan } from "../../fakes/preview.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const operations: readonly OperationInfo[] = [
  fakeOperation({ id: "health.read", path: "/health", audiences: ["agent"], plane: "infrastructure" }),
  fakeOperation({ id: "thing.read", path: "/things/{id}", capability: "storage", visibility: "advanced" }),
  fakeOperation({
    id: "thing.write",
    path: "/things/{id}",
    method: "PUT",
    capability: "storage",
    audiences: ["operator", "internal"],
  }),
]
const ask = mountRoute(route, {
  operations: () => operations,
  plan: () => fakePlan({ dialects: new Map([["lines", lineDialect]]) }),
})
const codeOf = async (path: string): Promise<unknown> => {
  const { status, body } = await ask(path)
  return [status, (body as { error: { code: string } }).error.code]
}

describe("GET /api/v1", () => {
  test("tells the groups, and links that lead somewhere", async () => {
    expect((await ask("/api/v1")).body).toEqual({
      service: "rtr",
      version: "v1",
      description: "A semantic router for chat-model traffic",
      capabilities: [
        {
          name: "system",
          description: "Health, status and discovery",
          operation_count: 1,
          primary_operations: 1,
          discovery: "/api/v1?capability=system",
          openapi: "/openapi.json?capability=system",
        },
        {
          name: "storage",
          description: "Knowledge bases, memories, files and caches",
          operation_count: 2,
          primary_operations: 1,
          discovery: "/api/v1?capability=storage",
          openapi: "/openapi.json?capability=storage",
        },
      ],
      links: { health: "/health" },
    })
  })

  test("lists operations when asked or filtered", async () => {
    const idsOf = async (query: string): Promise<unknown> => {
      const { endpoints, capabilities } = (await ask(`/api/v1${query}`)).body as {
        endpoints?: { operation_id: string }[]
        capabilities: { name: string }[]
      }
      return [endpoints?.map(({ operation_id: id }) => id), capabilities.map(({ name }) => name)]
    }
    const [health, read, write] = ["get_health", "get_things_id", "put_things_id"]
    expect(
      await Promise.all(
        [
          "?view=index",
          "?view=operations",
          "?capability=storage",
          "?audience=agent",
          "?plane=management",
          "?visibility=primary&capability=storage",
          "?audience=client",
        ].map(idsOf),
      ),
    ).toEqual([
      [undefined, ["system", "storage"]],
      [
        [health, read, write],
        ["system", "storage"],
      ],
      [[read, write], ["storage"]],
      [[health], ["system"]],
      [[read, write], ["storage"]],
      [[write], ["storage"]],
      [[], []],
    ])
    expect(((await ask("/api/v1?capability=system")).body as { endpoints: unknown[] }).endpoints).toEqual([
      {
        path: "/health",
        method: "GET",
        description: "Answers",
        permission: "config.read",
        sensitivity: "operational",
        operation_id: "get_health",
        capability: "system",
        plane: "infrastructure",
        audiences: ["agent"],
        stability: "stable",
        visibility: "primary",
      },
    ])
  })

  test("refuses filters and views that there are not", async () => {
    expect(
      await Promise.all(
        ["?view=all", "?audience=me", "?plane=x", "?visibility=x", "?capability=x"].map((query) =>
          codeOf(`/api/v1${query}`),
        ),
      ),
    ).toEqual([[400, "INVALID_API_VIEW"], ...Array.from({ length: 4 }, () => [400, "INVALID_API_FILTER"])])
  })
})

describe("GET /openapi.json", () => {
  const pathsOf = async (query: string): Promise<unknown> => {
    const { paths } = (await ask(`/openapi.json${query}`)).body as { paths: Record<string, object> }
    return Object.entries(paths).map(([path, methods]) => [path, ...Object.keys(methods)])
  }

  test("gives all operations, one path, one operation, or a group", async () => {
    expect(
      await Promise.all(
        ["", "?path=/things/{id}", "?path=/things/{id}&method=put", "?capability=system", "?audience=internal"].map(
          pathsOf,
        ),
      ),
    ).toEqual([
      [
        ["/health", "get"],
        ["/things/{id}", "get", "put"],
      ],
      [["/things/{id}", "get", "put"]],
      [["/things/{id}", "put"]],
      [["/health", "get"]],
      [["/things/{id}", "put"]],
    ])
  })

  test("refuses what does not go together and what there is not", async () => {
    expect(
      await Promise.all(
        [
          "?path=/health&capability=system",
          "?method=GET",
          "?plane=x",
          "?capability=x",
          "?path=/nothing",
          "?path=/health&method=POST",
        ].map((query) => codeOf(`/openapi.json${query}`)),
      ),
    ).toEqual([
      [400, "INVALID_OPENAPI_FILTER"],
      [400, "INVALID_OPENAPI_FILTER"],
      [400, "INVALID_OPENAPI_FILTER"],
      [400, "INVALID_OPENAPI_FILTER"],
      [404, "OPENAPI_PATH_NOT_FOUND"],
      [404, "OPENAPI_OPERATION_NOT_FOUND"],
    ])
  })

  test("of every built-in route is a valid document that describes bodies, replies and errors", async () => {
    const routes = await Promise.all(
      builtinModules
        .filter(({ kind }) => kind === "route")
        .map(async ({ id, load }) => ({ id, module: (await load()).default as typeof route, source: "builtin" })),
    )
    const dialects = new Map([
      ["chat_completions", lineDialect],
      ["responses", lineDialect],
      ["messages", lineDialect],
    ])
    const all = mountRoute(route, { operations: () => listOperations(routes), plan: () => fakePlan({ dialects }) })
    const { body } = await all("/openapi.json")
    expect(await new Validator().validate(body as Record<string, unknown>)).toMatchObject({ valid: true })
    const described = Object.values(
      (body as { paths: Record<string, Record<string, { responses: object }>> }).paths,
    ).flatMap((methods) => Object.values(methods))
    expect(described).toHaveLength(listOperations(routes).length)
    for (const { responses } of described)
      expect(Object.keys(responses).some((status) => /^[45]/.test(status))).toBe(true)
  })
})
