// Checks responses against the OpenAPI document.

import { Ajv, type ValidateFunction } from "ajv"
import type { DialectModule, OpenApiDocument, OperationInfo } from "rtr"
import { openApiDocument } from "rtr"
import { expect } from "vitest"
import { lineDialect } from "./line-dialect.ts"

export interface GivenResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Returns what is wrong with a response to `method` and `path` by a document; nothing when it is described. */
export function createResponseCheck(
  document: OpenApiDocument,
): (method: string, path: string, response: GivenResponse) => readonly string[] {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ $id: "api", components: document.components } as object)
  const compiled = new Map<string, ValidateFunction>()
  const check = (pointer: string, schema: object, value: unknown): readonly string[] => {
    const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as object
    const validate = compiled.get(pointer) ?? ajv.compile(local)
    compiled.set(pointer, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || "body"} ${message}`)
  }
  return (method, path, { status, headers, text }) => {
    const template = findPath(Object.keys(document.paths), path)
    const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
    if (operation === undefined) return [`${method} ${path} is not described`]
    const { responses } = operation
    const response = responses[status] ?? responses[`${String(status)[0]}XX`]
    const where = `${method} ${path} ${status}`
    if (response === undefined)
      return [`${where}: the status is not described; there are ${Object.keys(responses).join(", ")}`]
    if (text === "" && response.content === undefined) return []
    const type = headers["content-type"]?.split(";", 1)[0]?.trim() ?? ""
    const content = response.content?.[type]
    if (content === undefined)
      return [
        `${where}: the content type "${type}" is not described; there are ${Object.keys(response.content ?? {}).join(", ")}`,
      ]
    if (!type.endsWith("json")) return []
    return check(where, content.schema, JSON.parse(text)).map((problem) => `${where}: ${problem}`)
  }
}

/** Fails unless the response has a status, a content type and a body that the operation describes. */
export function expectDescribed(
  response: GivenResponse,
  operation: OperationInfo,
  dialects: ReadonlyMap<string, DialectModule> = new Map([["lines", lineDialect]]),
): void {
  const check = createResponseCheck(openApiDocument([operation], dialects))
  expect(check(operation.method, operation.path, response)).toEqual([])
}

/** The path of the document that a request's path belongs to; one without parameters comes first. */
function findPath(templates: readonly string[], path: string): string | undefined {
  const plain = path.split("?", 1)[0] ?? path
  if (templates.includes(plain)) return plain
  return templates.find((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(plain))
}
