// What every route must do.

import type { RouteModule } from "../kernel/index.ts"
import { type ContractCase, contractCase, expectThat } from "./case.ts"

type AnyOperation = RouteModule["operations"][number]

export function routeContract(module: RouteModule): readonly ContractCase[] {
  const each = (check: (operation: AnyOperation) => void): void => module.operations.forEach(check)
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "route", "a module made by defineRoute")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
      each(({ id, about }) =>
        expectThat(
          typeof about === "string" && about.trim() !== "" && !about.includes("\n"),
          `${id} to say what it does in one line`,
        ),
      )
    }),
    contractCase("has operations and listeners", () => {
      expectThat(module.operations.length > 0, "at least one operation")
      expectThat(module.listeners.length > 0, "at least one listener")
    }),
    contractCase("names each operation by dotted words", () => {
      each(({ id }) =>
        expectThat(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/.test(id), `an id such as "thing.read", got "${id}"`),
      )
      expectUnique(
        module.operations.map(({ id }) => id),
        "id",
      )
    }),
    contractCase("serves each method of a path once", () => {
      each(({ path }) =>
        expectThat(
          /^(\/[\w.-][\w.:-]*|\/\{\w+\})+$/.test(path),
          `a path with parameters in braces, such as /v1/things/{id}, got "${path}"`,
        ),
      )
      expectUnique(
        module.operations.map(({ method, path }) => `${method} ${path}`),
        "method and path",
      )
    }),
    contractCase("declares the parameters of its paths", () => {
      each(({ id, path, params }) => {
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "")
        const declared = Object.keys(params?.properties ?? {})
        expectThat(
          inPath.toSorted().join() === declared.toSorted().join(),
          `${id} to declare ${inPath.join(", ") || "no parameters"} in params, got ${declared.join(", ") || "none"}`,
        )
      })
    }),
    contractCase("describes its bodies and replies", () => {
      each(({ id, method, body, dialect, replies }) => {
        expectThat(method !== "GET" || (body === undefined && dialect === undefined), `${id} to read no body with GET`)
        expectThat(body === undefined || dialect === undefined, `${id} to have a body schema or a dialect, not both`)
        const entries = Object.entries(replies)
        expectThat(
          entries.some(([status]) => /^2\d\d$/.test(status)),
          `${id} to describe a reply with a status of 200 to 299`,
        )
        for (const [status, reply] of entries) {
          expectThat(/^[1-5]\d\d$/.test(status), `${id} to describe replies by their status, got "${status}"`)
          expectThat(reply.about.trim() !== "", `${id} to say when it replies ${status}`)
          // Without a schema and a type there is no body, which a status must allow.
          expectThat(
            reply.schema !== undefined ||
              reply.type !== undefined ||
              dialect !== undefined ||
              status === "204" ||
              status === "304",
            `${id} to have a schema or a content type for ${status}`,
          )
        }
      })
    }),
    contractCase("describes its errors", () => {
      each(({ id, errors, errorStatuses = [], dialect }) => {
        expectThat(errors === "management" || errors === "inference", `${id} to have management or inference errors`)
        expectThat(
          dialect === undefined || errors === "inference",
          `${id} to have inference errors, because it names a dialect`,
        )
        for (const status of errorStatuses)
          expectThat(
            Number.isInteger(status) && status >= 400 && status < 600,
            `${id} to list error statuses of 400 to 599, got ${status}`,
          )
      })
    }),
    contractCase("says who may use each operation", () => {
      each(({ id, permission, open = [], audiences }) => {
        expectThat(typeof permission === "string" && permission !== ("" as string), `${id} to name a permission`)
        expectThat(audiences.length > 0, `${id} to name its audiences`)
        const elsewhere = open.filter((listener) => !module.listeners.includes(listener))
        expectThat(elsewhere.length === 0, `${id} to be open on listeners that serve it, got ${elsewhere.join(", ")}`)
      })
    }),
    contractCase("sets up a handler for each operation", () => {
      const unused: unknown = new Proxy({}, { get: () => () => undefined })
      each(({ id, setup }) =>
        expectThat(typeof setup(unused as never, undefined) === "function", `the setup of ${id} to return the handler`),
      )
    }),
  ]
}

function expectUnique(values: readonly string[], what: string): void {
  const repeated = values.find((value, index) => values.indexOf(value) !== index)
  expectThat(repeated === undefined, `each ${what} once, got "${repeated}" again`)
}
