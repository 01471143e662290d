// What the two ends of a protocol can do: its client asks and sees, its backend hears and says.

import type { Asked, Protocol, Said } from "./conversation.ts"

export type Mode = "json" | "stream"

export interface Seen {
  readonly said: Said
  /** What the client adds to the conversation of its next request. */
  readonly back: readonly object[]
}

export interface Ends {
  readonly protocol: Protocol
  /** Of a backend. */
  readonly path: string
  /** What is left of a request that the protocol has to hold. */
  holdsAsked(asked: Asked): Asked
  /** A client's body. */
  ask(asked: Asked): object
  /** What a backend reads of the body it gets. Throws for a body that the vendor's own backend refuses. */
  heard(body: object): Asked
  /** What is left of a reply that the protocol has to hold. */
  holdsSaid(said: Said): Said
  /** A whole reply and a stream of the vendor's own backend. */
  whole(said: Said): object
  events(said: Said): string
  /** What the vendor's own client has of the reply to a body. */
  see(fetch: typeof globalThis.fetch, body: object, mode: Mode): Promise<Seen>
  /** The field of a body that has the conversation. */
  readonly conversation: "messages" | "input"
}
