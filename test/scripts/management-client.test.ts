import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Type } from "typebox"
import { listOperations, type RouteModule } from "rtr"
import { expect, test } from "vitest"
import { managementClientSource } from "../../scripts/management-client.ts"
import { schemaType } from "../../scripts/schema-types.ts"
import { exactlyOneOf, literals } from "../../ts/kernel/schema/shapes.ts"
import { builtinModules } from "../../ts/plugins/registry.gen.ts"
import { fakeOperation } from "../fakes/listener.ts"

test("schemas become TypeScript types", () => {
  const cases: readonly (readonly [schema: object, type: string])[] = [
    [Type.String(), "string"],
    [Type.Integer(), "number"],
    [Type.Null(), "null"],
    [Type.Unknown(), "unknown"],
    [Type.Literal("a"), '"a"'],
    [literals(["a", "b"]), '"a" | "b"'],
    [Type.Union([Type.String(), Type.Null()]), "string | null"],
    [{ type: ["string", "number"] }, "string | number"],
    [Type.Array(Type.String()), "readonly string[]"],
    [Type.Array(Type.Union([Type.String(), Type.Number()])), "readonly (string | number)[]"],
    [Type.Record(Type.String(), Type.Number()), "Readonly<Record<string, number>>"],
    [Type.Object({}), "Readonly<Record<string, unknown>>"],
    [
      Type.Object({
        a: Type.String({ description: "Words" }),
        "b-c": Type.Optional(Type.Object({ d: Type.Boolean() })),
      }),
      '{\n  /** Words */\n  readonly a: string\n  readonly "b-c"?: {\n    readonly d: boolean\n  }\n}',
    ],
    [
      exactlyOneOf({ a: Type.String(), b: Type.Number() }, {}),
      "{\n  readonly a: string\n} | {\n  readonly b: number\n}",
    ],
  ]
  for (const [schema, type] of cases) expect(schemaType(schema)).toBe(type)
})

test("operations of the management listener become functions; pages and inference do not", () => {
  const source = managementClientSource([
    fakeOperation({
      id: "thing.set_name",
      method: "PUT",
      path: "/things/{id}",
      params: Type.Object({ id: Type.String() }),
      query: Type.Object({ deep: Type.Optional(Type.Boolean()) }),
      body: Type.Object({ name: Type.String() }),
      replies: { 200: { about: "Done", schema: Type.Object({ ok: Type.Boolean() }) }, 204: { about: "Same" } },
    }),
    fakeOperation({ id: "page.read", replies: { 200: { about: "A page", type: "text/html" } } }),
    fakeOperation({ id: "chat.write", listeners: ["inference"] }),
  ])
  expect(source).toContain("  thingSetName(input: ThingSetNameInput): Promise<ThingSetNameReply>")
  expect(source).toContain("  readonly query?: {\n    readonly deep?: boolean\n  }")
  expect(source).toContain("export type ThingSetNameReply = {\n  readonly ok: boolean\n} | undefined")
  expect(source).toContain('call({ method: "PUT", path: "/things/{id}", ...input, statuses: [200, 204] })')
  expect(source).not.toMatch(/page|chat/i)
})

test("the client in the tree is the one of the built-in routes", async () => {
  const routes = await Promise.all(
    builtinModules
      .filter(({ kind }) => kind === "route")
      .map(async ({ id, load }) => ({ id, module: (await load()).default as RouteModule, source: "builtin" })),
  )
  const file = join(import.meta.dirname, "../../ts/cli/management-client.gen.ts")
  expect(readFileSync(file, "utf8")).toBe(managementClientSource(listOperations(routes)))
})
