// A listener over operations made for one test, and over the operations of one route with fake services.

import {
  type CallRecord,
  createListenerApp,
  type ListenerApp,
  type ListenerAppOptions,
  type MountedOperation,
  type OperationInfo,
  type RouteModule,
} from "rtr"
import { mountOperations } from "../../ts/kernel/http/mount.ts"
import type { Services } from "../../ts/kernel/modules/capabilities.ts"
import { expectDescribed } from "./openapi.ts"
import { lineDialect } from "./line-dialect.ts"

/** An operation that answers `GET /thing` with `{ "ok": true }`. */
export function fakeOperation(changes: Partial<MountedOperation> = {}): MountedOperation {
  return {
    id: `thing.${(changes.method ?? "GET").toLowerCase()}`,
    method: "GET",
    path: "/thing",
    about: "Answers",
    permission: "config.read",
    sensitivity: "operational",
    capability: "system",
    plane: "management",
    audiences: ["operator"],
    stability: "stable",
    listeners: ["inference", "management"],
    replies: { 200: { about: "An answer" } },
    errors: "inference",
    handle: () => ({ body: { ok: true } }),
    ...changes,
  }
}

/** A chat operation whose outcome the test gives. */
export const chatOperation = (handle: MountedOperation["handle"]): MountedOperation =>
  fakeOperation({ id: "thing.chat", method: "POST", path: "/chat", dialect: "lines", handle })

export function fakeListener(options: Partial<ListenerAppOptions> = {}): ListenerApp {
  return createListenerApp({
    name: "main",
    kind: "inference",
    dialects: new Map([["lines", lineDialect]]),
    operations: [fakeOperation()],
    ...options,
  })
}

/** One response, taken apart. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body of a JSON reply. */
  readonly body: unknown
}

export async function ask(app: ListenerApp, path: string, init: RequestInit = {}): Promise<Answer> {
  return takeApart(await app.fetch(new Request(`http://h${path}`, init)))
}

export function askJson(
  app: ListenerApp,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return ask(app, path, { method: "POST", body: text, headers: { "content-type": "application/json", ...headers } })
}

async function takeApart(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = text !== "" && /[/+]json\b/.test(response.headers.get("content-type") ?? "")
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    text,
    body: isJson ? (JSON.parse(text) as unknown) : undefined,
  }
}

/** Asks the operations of one route; every answer is checked against what the route describes. */
export function mountRoute(
  module: RouteModule,
  services: Partial<Services>,
  options: Partial<ListenerAppOptions> = {},
): (path: string, init?: RequestInit) => Promise<Answer> {
  const kind = options.kind ?? module.listeners[0] ?? "management"
  const operations = mountOperations([{ id: "route", module, source: "test" }], kind, services as Services)
  const app = fakeListener({ name: kind, kind, operations, ...options })
  return async (path, init = {}) => {
    const answer = await ask(app, path, init)
    const operation = operations.find(
      (each: OperationInfo) => each.path === path.split("?", 1)[0] && each.method === (init.method ?? "GET"),
    )
    if (operation !== undefined) await expectDescribed(answer, operation)
    return answer
  }
}

export const jsonPost = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
})

/** Keys as a document that names none of them has them. */
export const namedKeys = (...keys: readonly string[]): NonNullable<ListenerAppOptions["apiKeys"]> =>
  keys.map((key, index) => ({ key, name: `key-${index + 1}` }))

/** The record of a routed request. */
export function fakeRecord(changes: Partial<CallRecord> = {}): CallRecord {
  return {
    id: "req-1",
    listener: "main",
    endpoint: "/chat",
    startedAt: performance.now(),
    generation: 7,
    key: undefined,
    stream: false,
    requestedModel: "MoM",
    automatic: true,
    path: "upstream",
    readings: { facts: [], typeMs: {}, totalMs: 12.3456 },
    recipe: undefined,
    decision: "rush",
    rules: undefined,
    confidence: 0.75678,
    algorithm: "static",
    selection: undefined,
    appliedPolicies: [],
    securityChecks: undefined,
    unscanned: [],
    model: "large",
    reasoning: undefined,
    toolCount: 3,
    plugins: [],
    attempts: [],
    status: 200,
    error: undefined,
    usage: undefined,
    costs: undefined,
    firstByteMs: undefined,
    totalMs: 1,
    ...changes,
  }
}
