import { Validator } from "@seriousme/openapi-schema-validator"
import { Type } from "typebox"
import { operationId } from "rtr"
import { expect, test } from "vitest"
import { openApiDocument } from "../../../ts/kernel/http/openapi.ts"
import { toOpenApiSchema } from "../../../ts/kernel/http/openapi-schema.ts"
import { exactlyOneOf, literals, taggedUnion } from "../../../ts/kernel/schema/shapes.ts"
import { createResponseCheck } from "../../fakes/openapi.ts"
import { lineDialect } from "../../fakes/line-dialect.ts"
import { fakeOperation } from "../../fakes/listener.ts"

const tree = Type.Cyclic({ Tree: Type.Object({ name: Type.String(), children: Type.Array(Type.Ref("Tree")) }) }, "Tree")

const operations = [
  fakeOperation({
    id: "thing.write",
    method: "PUT",
    path: "/things/{thing_id}/a-b.c",
    params: Type.Object({ thing_id: Type.String({ description: "Which thing" }) }),
    query: Type.Object({ deep: Type.Boolean(), tags: Type.Optional(Type.Array(Type.String())) }),
    body: exactlyOneOf({ text: Type.String(), tree }, { level: Type.Optional(Type.Integer({ exclusiveMinimum: 0 })) }),
    replies: { 200: { about: "Written", schema: tree }, 204: { about: "Nothing to do" } },
    errors: "management",
    errorStatuses: [409],
  }),
  fakeOperation({ id: "thing.chat", method: "POST", path: "/chat", dialect: "lines", listeners: ["inference"] }),
  fakeOperation({
    id: "thing.page",
    path: "/page",
    open: ["inference", "management"],
    replies: { 200: { about: "A page", type: "text/html; charset=utf-8" } },
  }),
  fakeOperation({ id: "thing.open", path: "/open", open: ["inference"], visibility: "advanced" }),
]
const document = await openApiDocument(operations, new Map([["lines", lineDialect]]))

test("the document is valid OpenAPI 3", async () => {
  expect(await new Validator().validate(JSON.parse(JSON.stringify(document)) as Record<string, unknown>)).toMatchObject(
    { valid: true },
  )
})

test("an operation has its parameters, body, replies, errors and what discovery tells", () => {
  const operation = document.paths["/things/{thing_id}/a-b.c"]?.["put"]
  expect(operation).toMatchObject({
    operationId: "put_things_thing_id_a_b_c",
    summary: "Answers",
    tags: ["system"],
    security: [{ bearer: [] }, { apiKey: [] }, { xApiKey: [] }],
    parameters: [
      { name: "thing_id", in: "path", required: true, description: "Which thing", schema: { type: "string" } },
      { name: "deep", in: "query", required: true, schema: { type: "boolean" } },
      { name: "tags", in: "query", required: false, schema: { type: "array", items: { type: "string" } } },
    ],
    requestBody: {
      required: true,
      content: { "application/json": { schema: { anyOf: [{ type: "object" }, { type: "object" }] } } },
    },
    responses: {
      200: {
        description: "Written",
        content: { "application/json": { schema: { $ref: expect.stringMatching(/^#\/components\/schemas\/Tree/) } } },
      },
      204: { description: "Nothing to do" },
      409: { content: { "application/json": { schema: { $ref: "#/components/schemas/ManagementError" } } } },
    },
    "x-rtr-operation": "thing.write",
    "x-rtr-permission": "config.read",
    "x-rtr-sensitivity": "operational",
    "x-rtr-capability": "system",
    "x-rtr-plane": "management",
    "x-rtr-audiences": ["operator"],
    "x-rtr-stability": "stable",
    "x-rtr-visibility": "primary",
    "x-rtr-listeners": ["inference", "management"],
  })
  expect(Object.keys(operation?.responses ?? {})).toEqual([
    "200",
    "204",
    "400",
    "401",
    "403",
    "408",
    "409",
    "413",
    "415",
    "421",
    "429",
    "499",
    "500",
    "503",
  ])
})

test("a chat operation has the formats of its dialect, whole and streamed, and any status of an upstream", () => {
  expect(document.paths["/chat"]?.["post"]).toMatchObject({
    requestBody: { content: { "application/json": { schema: { required: ["model", "text"] } } } },
    responses: {
      200: { content: { "application/json": { schema: { required: ["text"] } }, "text/lines": {} } },
      "4XX": { content: { "application/json": { schema: { $ref: "#/components/schemas/lines_error" } } } },
      "5XX": {},
    },
  })
})

test("an open operation needs no key where it is open", () => {
  expect(document.paths["/page"]?.["get"]?.security).toEqual([])
  expect(document.paths["/open"]?.["get"]?.security).toEqual([{}, { bearer: [] }, { apiKey: [] }, { xApiKey: [] }])
})

test("an operation's id is its method and path", () => {
  expect([
    operationId({ method: "GET", path: "/" }),
    operationId({ method: "DELETE", path: "/api/v1/a-b/{c}/d.json" }),
  ]).toEqual(["get_", "delete_api_v1_a_b_c_d_json"])
})

test("schemas become those of OpenAPI 3.0", () => {
  const cases: readonly (readonly [schema: object, expected: object])[] = [
    [Type.Literal("a"), { type: "string", enum: ["a"] }],
    [Type.Null(), { type: "string", nullable: true, enum: [null] }],
    [Type.Union([Type.Literal("a"), Type.Literal("b")]), { type: "string", enum: ["a", "b"] }],
    [Type.Union([Type.String(), Type.Null()]), { type: "string", nullable: true }],
    [Type.Union([Type.Literal(1), Type.Null()]), { type: "number", nullable: true, enum: [1, null] }],
    [
      Type.Union([Type.String(), Type.Number(), Type.Null()]),
      { anyOf: [{ type: "string" }, { type: "number" }, { type: "string", nullable: true, enum: [null] }] },
    ],
    [{ type: ["string", "null"] }, { type: "string", nullable: true }],
    [{ type: ["string", "array"] }, { anyOf: [{ type: "string" }, { type: "array", items: {} }] }],
    [
      Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
      { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    ],
    [Type.Record(Type.String(), Type.Number()), { type: "object", additionalProperties: { type: "number" } }],
    [Type.Unknown(), {}],
    [
      Type.String({ examples: ["a", "b"], description: "words" }),
      { type: "string", description: "words", example: "a" },
    ],
    [literals(["a", "b"]), { type: "string", enum: ["a", "b"] }],
    [
      taggedUnion("kind", [Type.Object({ kind: Type.Literal("a") })]),
      { type: "object", required: ["kind"], properties: { kind: { type: "string", enum: ["a"] } } },
    ],
  ]
  for (const [schema, expected] of cases) expect(toOpenApiSchema(schema, {})).toEqual(expected)
})

test("recursive schemas become components, each under a name of its own", () => {
  const components: Record<string, Record<string, unknown>> = {}
  const other = Type.Cyclic({ Tree: Type.Object({ next: Type.Optional(Type.Ref("Tree")) }) }, "Tree")
  expect([toOpenApiSchema(tree, components), toOpenApiSchema(other, components)]).toEqual([
    { $ref: "#/components/schemas/Tree" },
    { $ref: "#/components/schemas/Tree2" },
  ])
  expect(components).toMatchObject({
    Tree: { properties: { children: { items: { $ref: "#/components/schemas/Tree" } } } },
    Tree2: { properties: { next: { $ref: "#/components/schemas/Tree2" } } },
  })
})

test("a response that is not described is found", () => {
  const check = createResponseCheck(document)
  const json = { "content-type": "application/json" }
  const good = { name: "a", children: [{ name: "b", children: [] }] }
  const put = (status: number, body: unknown, headers = json): readonly string[] =>
    check("PUT", "/things/5/a-b.c?deep=true", { status, headers, text: body === undefined ? "" : JSON.stringify(body) })
  expect([
    put(200, good),
    put(204, undefined),
    put(409, { error: { code: "X", message: "x", timestamp: "t", request_id: "r" } }),
  ]).toEqual([[], [], []])
  const wrong = [
    put(201, good),
    put(200, { name: "a" }),
    put(200, { name: "a", children: [{ name: 5, children: [] }] }),
    put(200, good, { "content-type": "text/plain" }),
    put(409, { error: "x" }),
    check("GET", "/nothing", { status: 200, headers: json, text: "{}" }),
    check("POST", "/chat", { status: 502, headers: json, text: '{"problem":"x"}' }),
  ]
  expect(wrong.map(({ length }) => length > 0)).toEqual(wrong.map(() => true))
  expect(check("POST", "/chat", { status: 200, headers: { "content-type": "text/lines" }, text: "a\n" })).toEqual([])
})
