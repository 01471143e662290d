// Reads parameters, query and body of a request and checks them against the schemas of its operation.

import type { TObject, TSchema } from "typebox"
import { Check } from "typebox/schema"
import { RtrError } from "../error.ts"
import { formatPath, type Problem } from "../schema/problem.ts"
import { validate } from "../schema/validate.ts"
import type { OperationInfo } from "../types/route.ts"
import { ManagementError } from "./management-error.ts"

/** What a request brought, by the part that it came in. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>
  /** The query string without its question mark. */
  readonly query: string
  /** The parsed body; left out for an operation without one. */
  readonly body?: unknown
}

export interface CheckedInput {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** Returns the checked values. Throws one `invalid_request` that lists every problem of all three parts. */
export function readInput(operation: OperationInfo, raw: RawInput): CheckedInput {
  const params = operation.params === undefined ? undefined : coerce(operation.params, decodeParams(raw.params))
  const query = operation.query === undefined ? undefined : coerce(operation.query, new URLSearchParams(raw.query))
  const problems = [
    ...problemsOf(operation.params, params, "path"),
    ...problemsOf(operation.query, query, "query"),
    ...problemsOf(operation.body, raw.body, "body"),
  ]
  if (problems.length > 0) throw refuse(operation, problems)
  return { params, query, body: raw.body }
}

/** Values of path parameters are percent-encoded. */
function decodeParams(params: Readonly<Record<string, string>>): URLSearchParams {
  const decoded = new URLSearchParams()
  for (const [name, value] of Object.entries(params))
    try {
      decoded.set(name, decodeURIComponent(value))
    } catch (cause) {
      throw new RtrError("invalid_request", `Cannot read the request: path.${name} is not valid percent-encoding`, {
        cause,
      })
    }
  return decoded
}

/** Query strings hold text alone; a parameter whose schema asks for a number, a boolean or a list is turned into one where it fits. */
function coerce(schema: TObject, values: URLSearchParams): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {}
  for (const name of new Set(values.keys())) {
    const all = values.getAll(name)
    const property = schema.properties[name] as { type?: string; items?: TSchema } | undefined
    // Parameters that the operation does not know change nothing, as in other APIs.
    if (property === undefined && (schema as { additionalProperties?: unknown }).additionalProperties !== false)
      continue
    result[name] =
      property?.type === "array"
        ? all.map((text) => coerceText(property.items as { type?: string }, text))
        : coerceText(property, all.at(-1) ?? "")
  }
  return result
}

function coerceText(schema: { readonly type?: string } | undefined, text: string): unknown {
  if (schema?.type === "boolean") return text === "true" ? true : text === "false" ? false : text
  if (schema?.type !== "integer" && schema?.type !== "number") return text
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

/** Asking whether a value fits is much quicker than asking what is wrong with it. */
function problemsOf(schema: TSchema | undefined, value: unknown, part: string): readonly Problem[] {
  if (schema === undefined || Check(schema, value)) return []
  return validate(schema, value, [part])
}

function refuse({ queryCodes, errors }: OperationInfo, problems: readonly Problem[]): RtrError {
  const list = problems.slice(0, maxListed).map(({ path, message }) => `${formatPath(path)} ${message}`)
  const rest = problems.length > maxListed ? `; and ${problems.length - maxListed} more` : ""
  const message = `Cannot read the request: ${list.join("; ")}${rest}`
  const wrong = problems[0]?.path ?? []
  const code = wrong[0] === "query" ? (queryCodes?.[String(wrong[1])] ?? queryCodes?.["*"]) : undefined
  if (errors === "management" && code !== undefined) return new ManagementError(400, code, message)
  return new RtrError("invalid_request", message)
}

/** A body can be wrong in a million places. */
const maxListed = 50
