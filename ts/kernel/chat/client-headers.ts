// Headers of a client that go on to a backend of its dialect.

import type { DialectModule } from "../types/dialect.ts"

/** Those that the dialect names and whose values are what it says. */
export function clientHeaders(
  { clientHeaders: patterns = {} }: Pick<DialectModule, "clientHeaders">,
  header: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {}
  for (const name in patterns) {
    const value = header(name)
    if (value !== undefined && patterns[name]?.test(value) === true) sent[name] = value
  }
  return sent
}
