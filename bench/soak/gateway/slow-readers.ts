// Good clients beside the closed loop: some read a stream slowly to its end, others leave in the middle of one.

import { request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Address } from "../../_shared/load/address.ts"
import { goodHeaders } from "./good-requests.ts"

const events = 100
const eventBytes = 4000

let count = 0

/** Reads a large stream at its own pace. Rejects when the stream is not whole or not its own. */
export function readSlowly(address: Address): Promise<void> {
  const id = `slow-${++count}`
  return openStream(address, id, async (pieces) => {
    let end = ""
    for await (const piece of pieces) {
      end = (end + piece.toString()).slice(-2 * eventBytes)
      await sleep(10)
    }
    if (!end.includes(`said ${id}.`) || !end.includes("[DONE]"))
      throw new Error(`A slow reader's stream ends with ${end.slice(-200)}`)
  })
}

/** Reads the beginning of a stream and is gone. */
export function leaveStream(address: Address): Promise<void> {
  return openStream(address, `leaves-${++count}`, async (pieces) => {
    for await (const _ of pieces) break
  })
}

function openStream(
  address: Address,
  id: string,
  read: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const body = JSON.stringify({
    model: "small",
    stream: true,
    user: JSON.stringify({ id, events, eventBytes }),
    messages: [{ role: "user", content: `Tell a long story, ${id}` }],
  })
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...address,
        path: "/v1/chat/completions",
        method: "POST",
        agent: false,
        headers: { ...goodHeaders, "content-type": "application/json" },
      },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`A stream has status ${response.statusCode}`))
        read(response).then(resolve, reject)
      },
    )
    sent.on("error", reject)
    sent.end(body)
  })
}
