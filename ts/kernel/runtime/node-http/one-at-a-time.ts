// Answers the requests of one connection one after the other, as their replies leave.

import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Whose turn it is on one connection. */
interface Turns {
  isBusy: boolean
  readonly waiting: { readonly begin: () => void; readonly outgoing: ServerResponse }[]
}

/**
 * From this many waiting requests on, the connection is not read any more. A client that leaves is not noticed then until the
 * running request has ended, so it is more than anybody sends in earnest.
 */
const maxWaiting = 100

const turnsOf = new WeakMap<Socket, Turns>()

/**
 * Begins a request when the one before it has been answered. node:http begins all that a client sends without reading, and a
 * piece of 64 KiB has room for a thousand.
 */
export function inTurn({ socket }: IncomingMessage, outgoing: ServerResponse, begin: () => void): void {
  const turns = turnsOf.get(socket) ?? createTurns(socket)
  if (!turns.isBusy) return take(turns, socket, outgoing, begin)
  turns.waiting.push({ begin, outgoing })
  if (turns.waiting.length >= maxWaiting) socket.pause()
}

function createTurns(socket: Socket): Turns {
  const turns: Turns = { isBusy: false, waiting: [] }
  turnsOf.set(socket, turns)
  // The parser asks for more behind every request that it has read to its end.
  socket.on("resume", () => {
    if (turns.waiting.length >= maxWaiting) socket.pause()
  })
  return turns
}

function take(turns: Turns, socket: Socket, outgoing: ServerResponse, begin: () => void): void {
  turns.isBusy = true
  outgoing.once("close", () => {
    turns.isBusy = false
    const next = turns.waiting.shift()
    if (next === undefined || socket.destroyed) return
    if (turns.waiting.length === maxWaiting - 1) socket.resume()
    take(turns, socket, next.outgoing, next.begin)
  })
  begin()
}
