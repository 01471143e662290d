// Where a request comes from, on hosts that know it.

/** Under this name a host puts the address of the client on its requests. */
export const ownClientAddress: unique symbol = Symbol("rtr.clientAddress")

/** Undefined where the host does not tell. */
export function clientAddressOf(request: Request): string | undefined {
  return (request as { readonly [ownClientAddress]?: string })[ownClientAddress]
}
