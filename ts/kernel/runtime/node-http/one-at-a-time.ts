// Answers the requests of one connection one after the other, as their replies leave.

import type { Socket } from "node:net"
import { beginInTime } from "./begin-in-time.ts"
import type { ClientSignal } from "./client-signal.ts"
import type { Exchange } from "./send-response.ts"

/** Whose turn it is on one connection. */
interface Turns {
  isBusy: boolean
  readonly waiting: { readonly begin: Begin; readonly exchange: Turn }[]
}

/** A request that begins in its turn, with the signal that tells it of its client's end. */
export type Turn = Exchange & { readonly client: ClientSignal }
type Begin = (exchange: Turn) => void

/**
 * From this many waiting requests on, the connection is not read any more. A client that leaves is not noticed then until the
 * running request has ended, so it is more than anybody sends in earnest.
 */
const maxWaiting = 100

/** While the process serves no more requests than this, new ones begin at once: looking at the clock would cost more. */
const fewRequests = 16

/** Requests of the process that have their connection and are not answered yet. */
let serving = 0

const turnsOf = new WeakMap<Socket, Turns>()

/**
 * Begins a request when the one before it has been answered. node:http begins all that a client sends without reading, and a
 * piece of 64 KiB has room for a thousand.
 */
export function inTurn(exchange: Turn, begin: Begin): void {
  if (isOver(exchange)) return
  const { socket } = exchange.incoming
  const turns = turnsOf.get(socket) ?? createTurns(socket)
  if (!turns.isBusy) {
    take(turns, exchange)
    // Other methods than POST, as of requests about health, are quick.
    if (serving <= fewRequests || exchange.incoming.method !== "POST") begin(exchange)
    else beginLater(exchange, begin)
    return
  }
  turns.waiting.push({ begin, exchange })
  if (turns.waiting.length >= maxWaiting) socket.pause()
}

/**
 * Whether the reply has ended or the client has left. A host's own handlers may run before they pass a request on, and `close` of the
 * reply, which frees the connection, is not emitted again.
 */
const isOver = ({ incoming, outgoing }: Turn): boolean =>
  outgoing.destroyed || outgoing.writableEnded || incoming.socket.destroyed

/** Whether a request of this connection has begun and is not answered yet. */
export const isServing = (socket: Socket): boolean => turnsOf.get(socket)?.isBusy === true

function createTurns(socket: Socket): Turns {
  const turns: Turns = { isBusy: false, waiting: [] }
  turnsOf.set(socket, turns)
  // The parser asks for more behind every request that it has read to its end.
  socket.on("resume", () => {
    if (turns.waiting.length >= maxWaiting) socket.pause()
  })
  return turns
}

/** Nobody would read the reply of a client that has left while its request waited. */
function beginLater(exchange: Turn, begin: Begin): void {
  beginInTime(() => {
    if (!exchange.client.aborted) begin(exchange)
  })
}

/** Gives the connection to a request until it is answered. */
function take(turns: Turns, exchange: Turn): void {
  turns.isBusy = true
  serving += 1
  const { incoming, outgoing, client } = exchange
  outgoing.on("close", () => {
    if (!outgoing.writableEnded) client.abort()
    turns.isBusy = false
    serving -= 1
    const next = turns.waiting.shift()
    if (next === undefined || incoming.socket.destroyed) return
    if (turns.waiting.length === maxWaiting - 1) incoming.socket.resume()
    take(turns, next.exchange)
    beginLater(next.exchange, next.begin)
  })
}
