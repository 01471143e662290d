// Who sent a request, as far as the router knows.

export interface Principal {
  /** Role for the management surface; `client` on inference listeners. */
  readonly role: string
  /** Permissions; undefined means every one. */
  readonly permissions: ReadonlySet<string> | undefined
  /** A name for logs, never a secret. */
  readonly name: string
  /** Name of the API key that was sent; left out where the listener asks for none. */
  readonly key?: string
}
