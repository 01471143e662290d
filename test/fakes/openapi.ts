// Checks responses against the OpenAPI document.

import { Ajv, type ValidateFunction } from "ajv"
import type { DialectModule, ListenerKind, OpenApiDocument, OperationInfo } from "rtr"
import { expect } from "vitest"
import { openApiDocument } from "../../ts/kernel/http/openapi.ts"
import { lineDialect } from "./line-dialect.ts"

export interface GivenResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Left out while only the head is known. */
  readonly text?: string
  /** The listener that answered. Paths that it does not serve are refused in its own format; without it they are a problem. */
  readonly listener?: ListenerKind
}

/** Says what is wrong with a response to `method` and `path` by a document; nothing when it is described. */
export type ResponseCheck = (method: string, path: string, response: GivenResponse) => readonly string[]

/** The responses of one operation, or of what a listener does not serve. */
type Operation = OpenApiDocument["paths"][string][string]
type Described = Operation["responses"]

export function createResponseCheck(document: OpenApiDocument): ResponseCheck {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema({ $id: "api", components: document.components } as object)
  const compiled = new Map<string, ValidateFunction>()
  const check = (where: string, schema: object, value: unknown): readonly string[] => {
    const local = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')
    const validate = compiled.get(local) ?? ajv.compile(JSON.parse(local) as object)
    compiled.set(local, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `${where}: ${instancePath || "body"} ${message}`)
  }
  return (method, path, { status, headers, text, listener }) => {
    const where = `${method} ${path} ${status}`
    const responses = find(document, { method, path, listener })
    if (responses === undefined) return [`${method} ${path} is not described`]
    const response = responses[status] ?? responses[`${String(status)[0]}XX`]
    if (response === undefined)
      return [`${where}: the status is not described; there are ${Object.keys(responses).join(", ")}`]
    if (response.content === undefined) return text === undefined || text === "" ? [] : [`${where}: has a body`]
    const type = headers["content-type"]?.split(";", 1)[0]?.trim() ?? ""
    const content = response.content[type]
    if (content === undefined)
      return [
        `${where}: the content type "${type}" is not described; there are ${Object.keys(response.content).join(", ")}`,
      ]
    if (text === undefined || method === "HEAD") return []
    const event = content["x-rtr-event"]
    if (event !== undefined) return eventsOf(text).flatMap((data) => check(`${where} event`, event, data))
    return type.endsWith("json") ? check(where, content.schema, parse(text)) : []
  }
}

/** Fails unless the response has a status, a content type and a body that the operation describes. */
export async function expectDescribed(
  response: GivenResponse,
  operation: OperationInfo,
  dialects: ReadonlyMap<string, DialectModule> = new Map([["lines", lineDialect]]),
): Promise<void> {
  const check = createResponseCheck(await openApiDocument([operation], dialects))
  expect(check(operation.method, operation.path, response)).toEqual([])
}

interface AskedFor {
  readonly method: string
  readonly path: string
  readonly listener: ListenerKind | undefined
}

function find(document: OpenApiDocument, { method, path, listener }: AskedFor): Described | undefined {
  const operations = document.paths[findPath(Object.keys(document.paths), path) ?? ""] ?? {}
  const operation = operations[method.toLowerCase()] ?? (method === "HEAD" ? operations["get"] : undefined)
  if (listener === undefined) return operation?.responses
  if (operation !== undefined && isServed(operation, listener)) return operation.responses
  const { responses } = document.components
  const refusal = listener === "inference" ? responses["InferenceRefusal"] : responses["ManagementRefusal"]
  if (refusal === undefined) return undefined
  const hasPath = Object.values(operations).some((each) => isServed(each, listener))
  // Whoever has no key does not learn which paths there are.
  const statuses = ["401", hasPath ? "405" : "404", ...(listener === "inference" ? [] : ["421"])]
  return Object.fromEntries(statuses.map((status) => [status, refusal]))
}

function isServed(operation: Operation, listener: ListenerKind): boolean {
  const on = (operation as { readonly "x-rtr-listeners"?: readonly string[] })["x-rtr-listeners"]
  return on === undefined || on.includes(listener)
}

/** The path of the document that a request's path belongs to; one without parameters comes first. */
function findPath(templates: readonly string[], path: string): string | undefined {
  const plain = path.split("?", 1)[0] ?? path
  if (templates.includes(plain)) return plain
  return templates.find((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(plain))
}

/** The data of the events that are whole, without the end mark. */
function eventsOf(text: string): readonly unknown[] {
  return text
    .split(/\r?\n\r?\n/)
    .slice(0, -1)
    .map((event) =>
      event
        .split(/\r?\n/)
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trimStart()] : []))
        .join("\n"),
    )
    .filter((data) => data !== "" && data !== "[DONE]")
    .map(parse)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return `no JSON: ${text.slice(0, 100)}`
  }
}
