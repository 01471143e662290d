// The part of an address that one client has for itself.

/** An IPv4 address whole; the first 64 bits of an IPv6 address, because one client can choose the rest. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address
  const groups = (address.split("::", 1)[0] as string).split(":").slice(0, 4)
  // The double colon may stand for any zeros, so that those at the end are left out in any case.
  while (/^0*$/.test(groups.at(-1) ?? "1")) groups.pop()
  return `${groups.join(":")}::/64`
}
