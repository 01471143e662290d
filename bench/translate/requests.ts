// The prepared requests of a contender, and the complete check of what it answers and of what the backend is asked.

import { request } from "undici"
import { type PreparedRequest, prepareRequest } from "../_shared/load/prepared-request.ts"
import type { Contender } from "./contender.ts"
import { ports } from "./ports.ts"
import { bodyOf, carried, expectedOf, type Mode, paths, type Protocol, replyText } from "./protocols.ts"

/** A client of one protocol and a backend of the other. */
export interface Way {
  readonly client: Protocol
  readonly backend: Protocol
  readonly mode: Mode
}

/** The protocols at both ends of a contender. */
const endsOf = ({ isDirect, isSame }: Contender, { client, backend }: Way): Pick<Way, "client" | "backend"> => ({
  client: isDirect === true ? backend : client,
  backend: isSame === true ? client : backend,
})

export function requestOf(contender: Contender, way: Way): PreparedRequest {
  const { client: spoken, backend } = endsOf(contender, way)
  return prepareRequest({
    path: paths[spoken],
    headers: contender.headers,
    body: bodyOf(spoken, contender.models[backend], way.mode),
    expected: expectedOf(spoken, way.mode),
  })
}

/** Asks once and looks at both ends. Rejects at the first difference. */
export async function checkContender(contender: Contender, way: Way): Promise<void> {
  const { client: spoken, backend } = endsOf(contender, way)
  const at = `${contender.name}, ${way.client} to ${way.backend}, ${way.mode}`
  if (!("port" in contender.address)) throw new Error(`${at}: no port`)
  const reply = await request(`http://127.0.0.1:${contender.address.port}${paths[spoken]}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...contender.headers },
    body: JSON.stringify(bodyOf(spoken, contender.models[backend], way.mode)),
  })
  const text = await reply.body.text()
  if (reply.statusCode !== 200) throw new Error(`${at}: status ${reply.statusCode}: ${text.slice(0, 500)}`)
  const said = way.mode === "json" ? textOf(JSON.parse(text)) : joinStream(text)
  if (said !== replyText) throw new Error(`${at}: the text is ${JSON.stringify(said)}, from ${text.slice(0, 500)}`)
  const last = await request(`http://127.0.0.1:${ports.backend}/last`)
  const { path, body } = (await last.body.json()) as { path: string; body: string }
  if (path !== paths[backend]) throw new Error(`${at}: the backend was asked at ${path}`)
  const missing = carried.find((each) => !body.includes(each))
  if (missing !== undefined) throw new Error(`${at}: the backend's request lacks "${missing}": ${body}`)
}

interface Reply {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string | null }
    readonly delta?: { readonly content?: string | null }
  }[]
  readonly content?: readonly { readonly text?: string }[]
  readonly delta?: { readonly text?: string }
}

const textOf = (value: unknown): string => {
  const { choices, content, delta } = value as Reply
  return choices === undefined
    ? (content?.map(({ text = "" }) => text).join("") ?? delta?.text ?? "")
    : choices.map((choice) => choice.message?.content ?? choice.delta?.content ?? "").join("")
}

const joinStream = (text: string): string =>
  [...text.matchAll(/^data: ?(\{.*\})\r?$/gm)].map(([, data = ""]) => textOf(JSON.parse(data))).join("")
