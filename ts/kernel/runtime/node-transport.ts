// Calls backends and workers over HTTP/1.1 connections of its own: what a router needs of a client, and no more.

import { RtrError } from "../error.ts"
import type { Transport, TransportRequest, TransportResponse } from "../types/transport.ts"
import { Connection, type ConnectionOwner } from "./http1/connection.ts"
import { Exchange } from "./http1/exchange.ts"
import { headOf, type RequestTarget, targetOf } from "./http1/target.ts"

/** Connections to one origin; more requests wait in line. */
const maxConnections = 1024

export function createNodeTransport(): Transport {
  const pools = new Map<string, Pool>()
  let closed = false
  return {
    request: (request) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(closing())
        const target = targetOf(request)
        let pool = pools.get(target.key)
        if (pool === undefined) pools.set(target.key, (pool = new Pool(target)))
        pool.send(target, request, resolve, reject)
      }),
    async close() {
      closed = true
      for (const pool of pools.values()) pool.close()
    },
  }
}

interface Waiting {
  readonly exchange: Exchange
  readonly head: string
}

/** The connections to one address. */
class Pool implements ConnectionOwner {
  session?: Buffer
  readonly #target: RequestTarget
  readonly #all = new Set<Connection>()
  /** The one that was used last is used next, so that those too many grow old. */
  readonly #idle: Connection[] = []
  #waiting: Waiting[] = []

  constructor(target: RequestTarget) {
    this.#target = target
  }

  send(
    target: RequestTarget,
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ): void {
    if (request.signal?.aborted === true) return reject(new RtrError("client_closed_request", "the client left"))
    const head = headOf(target, request)
    this.#start({ exchange: new Exchange(request, resolve, reject), head })
  }

  #start(next: Waiting): void {
    let connection = this.#idle.pop()
    while (connection?.usable === false) connection = this.#idle.pop()
    if (connection !== undefined) connection.carry(next.exchange, next.head)
    else if (this.#all.size < maxConnections)
      this.#all.add(new Connection(this.#target, this, next.exchange, next.head))
    else this.#waiting.push(next)
  }

  onIdle(connection: Connection): void {
    this.#idle.push(connection)
    this.#startWaiting()
  }

  onClose(connection: Connection): void {
    this.#all.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#startWaiting()
  }

  #startWaiting(): void {
    // Those that left while they waited are over.
    let next = this.#waiting.shift()
    while (next?.exchange.over === true) next = this.#waiting.shift()
    if (next !== undefined) this.#start(next)
  }

  close(): void {
    for (const { exchange } of this.#waiting.splice(0)) exchange.onFailure(closing())
    for (const connection of this.#all) connection.close()
  }
}

const closing = (): RtrError => new RtrError("upstream_unavailable", "the router closes its connections")
