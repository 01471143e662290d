// What is wrong with a client's answer: every answer is whole and either a reply or one error, and this one is as expected.

import type { Expected } from "./_misbehaviours.ts"
import type { Answer } from "./_raw-clients.ts"

interface ErrorObject {
  readonly message?: unknown
  readonly code?: unknown
  readonly details?: { readonly request_id?: unknown }
}

/** Empty when nothing is. Without `expected`, what holds for every answer is checked alone. */
export function checkAnswer(answer: Answer, expected: Expected | undefined): readonly string[] {
  if (!answer.isWhole) return [`the answer broke off behind ${show(answer.body)}`]
  const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") === true
  return isStream ? checkStream(answer, expected) : checkText(answer, expected)
}

function checkText(answer: Answer, expected: Expected | undefined): readonly string[] {
  const { status, body } = answer
  const value = parse(body)
  if (value === undefined) return [`status ${status} with a body that is no JSON object: ${show(body)}`]
  if (status !== 200 && value["error"] !== undefined) {
    const problems = checkError(value["error"] as ErrorObject, answer)
    if (expected !== undefined) problems.push(...compareError(value["error"] as ErrorObject, status, expected))
    return problems
  }
  if (status >= 300 || !Array.isArray(value["choices"])) return [`status ${status} without an error: ${show(body)}`]
  if (expected === undefined) return []
  if (!("whole" in expected)) return [`got status ${status}, ${show(body)}`]
  const { routing_metadata: _, ...rest } = value
  const { routing_metadata: __, ...wanted } = JSON.parse(expected.whole.replace(/^\ufeff/, "")) as Record<
    string,
    unknown
  >
  return sameJson(rest, wanted) ? [] : [`the reply changed: ${show(body)}`]
}

function checkStream(answer: Answer, expected: Expected | undefined): readonly string[] {
  const { status, body } = answer
  const events = body
    .toString()
    .split(/(?:\r?\n){2,}/)
    .map((event) => /^data: ?(.*)$/m.exec(event)?.[1]?.trim())
    .filter((data) => data !== undefined)
  const isDone = events.includes("[DONE]")
  const last = parse(Buffer.from(events.at(-1) ?? ""))?.["error"] as ErrorObject | undefined
  const errors = events.filter((data) => data.startsWith('{"error"')).length
  const problems: string[] = []
  if (status >= 300) problems.push(`status ${status} with events`)
  if (isDone === (last !== undefined) || errors > 1)
    problems.push(`end mark: ${isDone}, errors: ${errors}, in ${show(body)}`)
  if (last !== undefined) problems.push(...checkError(last, answer))
  if (problems.length > 0 || expected === undefined) return problems
  if ("bytes" in expected) return body.equals(expected.bytes) ? [] : [`got ${show(body)}`]
  if ("said" in expected) {
    const text = events.flatMap((data) => wordsOf(parse(Buffer.from(data)))).join("")
    return isDone && text === expected.said ? [] : [`said ${show(Buffer.from(text))}`]
  }
  if (!("good" in expected) || last === undefined) return [`got ${show(body)}`]
  const rest = body.subarray(expected.good.length).toString()
  if (!body.subarray(0, expected.good.length).equals(expected.good) || !/^data: \{"error":.*\}\n\n$/.test(rest))
    return [`the good part is not as it came: ${show(body)}`]
  if (last.code !== expected.ends) problems.push(`ends with ${JSON.stringify(last)}`)
  if (expected.about !== undefined && !expected.about.test(String(last.message)))
    problems.push(`says ${JSON.stringify(last.message)}`)
  return problems
}

/** The error names its code and its request, and is no bug. */
function checkError(error: ErrorObject, { headers }: Answer): string[] {
  const problems: string[] = []
  if (typeof error.message !== "string" || error.message === "") problems.push("the error has no message")
  if (error.code === "internal_error") problems.push("the error is a bug of the router")
  if (error.details?.request_id !== headers["x-request-id"]) problems.push("the error does not have the request id")
  return problems
}

function compareError({ code, message }: ErrorObject, status: number, expected: Expected): readonly string[] {
  if (!("status" in expected)) return [`got status ${status}: ${String(message).slice(0, 200)}`]
  const problems: string[] = []
  if (status !== expected.status) problems.push(`has status ${status}: ${String(message).slice(0, 200)}`)
  if (expected.code !== undefined && code !== expected.code) problems.push(`has code ${String(code)}`)
  if (expected.about !== undefined && !expected.about.test(String(message)))
    problems.push(`says ${JSON.stringify(String(message).slice(0, 200))}`)
  return problems
}

function parse(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const wordsOf = (chunk: Record<string, unknown> | undefined): readonly string[] =>
  ((chunk?.["choices"] ?? []) as { delta?: { content?: string } }[]).map(({ delta }) => delta?.content ?? "")

/** Compares without walking: some replies are too deep for that. */
function sameJson(one: object, other: object): boolean {
  const names = Object.keys(other)
  if (Object.keys(one).length !== names.length) return false
  const text = (value: unknown): string => {
    try {
      return JSON.stringify(value) ?? ""
    } catch {
      return "too deep"
    }
  }
  return names.every((name) => text(one[name as never]) === text(other[name as never]))
}

const show = (body: Buffer): string =>
  JSON.stringify(body.length > 600 ? `${body.subarray(0, 300)} … ${body.subarray(-250)}` : body.toString())
