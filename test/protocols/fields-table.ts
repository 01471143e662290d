// What becomes of each field of a request over a backend of another protocol, as the router does it.

import type { Protocol } from "./conversation.ts"
import { type FieldCase, fieldsOf } from "./fields.ts"
import { modelOf, type ProtocolRouter } from "./router.ts"

const paths: Readonly<Record<Protocol, string>> = {
  chat_completions: "/v1/chat/completions",
  messages: "/v1/messages",
  responses: "/v1/responses",
}

export const names: Readonly<Record<Protocol, string>> = {
  chat_completions: "chat completions",
  messages: "Messages",
  responses: "Responses",
}

export const protocolIds = Object.keys(paths) as readonly Protocol[]

interface Way {
  readonly client: Protocol
  readonly backend: Protocol
}

/** What a backend gets of a body with these fields; undefined for a request that is refused. */
export async function sentFor(
  router: ProtocolRouter,
  { client, backend, fields }: Way & { readonly fields: object },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const body = JSON.stringify({ model: modelOf(backend), ...fieldsOf[client].base, ...fields })
  const headers = { "content-type": "application/json" }
  const { status } = await router.fetch(`http://rtr.example${paths[client]}`, { method: "POST", headers, body })
  if (router.last.asked !== undefined) return JSON.parse(router.last.asked) as Record<string, unknown>
  if (status !== 400) throw new Error(`A body of ${client} for ${backend} got status ${status}: ${router.last.replied}`)
  return undefined
}

/** Fields about the client's own stream, which the router writes: a backend of another protocol need not know them. */
const byRouter: ReadonlySet<string> = new Set(["stream_options"])

export interface FieldOutcome {
  /** `refused`, `left out`, `by the router`, `kept`, or where it stands in the backend's request. */
  readonly outcome: string
  /** What the router says that the backend did not get because of this field. */
  readonly dropped: readonly string[]
}

export async function outcomeOf(
  router: ProtocolRouter,
  { field, ...way }: Way & { readonly field: FieldCase },
): Promise<FieldOutcome> {
  const without = await sentFor(router, { ...way, fields: field.without })
  if (without === undefined) throw new Error(`${field.path} is refused without it: ${router.last.replied}`)
  const { dropped: before } = router.last
  const given = await sentFor(router, { ...way, fields: field.given })
  const dropped = router.last.dropped.filter((name) => !before.includes(name))
  if (given === undefined) return { outcome: "refused", dropped }
  const changed = changesOf(without, given, "")
  if (changed.length === 0) return { outcome: byRouter.has(field.path) ? "by the router" : "left out", dropped }
  const isKept = JSON.stringify(given[field.path]) === JSON.stringify(field.given[field.path])
  if (changed.length === 1 && changed[0] === field.path && isKept) return { outcome: "kept", dropped }
  return { outcome: [...new Set(changed)].map((path) => `\`${path}\``).join(", "), dropped }
}

/** Paths of what differs; lists as a whole unless they are of one length. */
function changesOf(one: unknown, other: unknown, at: string): readonly string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return []
  const both = [one, other]
  if (both.some((value) => typeof value !== "object" || value === null)) return [at]
  if (both.some(Array.isArray)) {
    const [first, second] = both as [readonly unknown[], readonly unknown[]]
    if (!both.every(Array.isArray) || first.length > second.length) return [at]
    return second.flatMap((value, index) => changesOf(first[index], value, `${at}[]`))
  }
  const keys = [...new Set(both.flatMap((value) => Object.keys(value as object)))]
  return keys.flatMap((key) =>
    changesOf(
      (one as Record<string, unknown>)[key],
      (other as Record<string, unknown>)[key],
      at === "" ? key : `${at}.${key}`,
    ),
  )
}

/** A table for each client's protocol. Fields to which the same happens everywhere share a row. */
export async function fieldsTable(router: ProtocolRouter): Promise<string> {
  const tables: string[] = []
  for (const client of protocolIds) {
    const backends = protocolIds.filter((each) => each !== client)
    const rows = new Map<string, string[]>()
    for (const field of fieldsOf[client].cases) {
      const cells: string[] = []
      for (const backend of backends) cells.push((await outcomeOf(router, { client, backend, field })).outcome)
      const outcome = cells.join(" | ")
      rows.set(outcome, [...(rows.get(outcome) ?? []), `\`${field.path}\``])
    }
    tables.push(
      [
        `| A client of ${names[client]} sends | to ${backends.map((backend) => names[backend]).join(" | to ")} |`,
        "|---|---|---|",
        ...[...rows].map(([outcome, fields]) => `| ${fields.join(", ")} | ${outcome} |`),
      ].join("\n"),
    )
  }
  return tables.join("\n\n")
}
