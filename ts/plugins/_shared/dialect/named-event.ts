// Server-sent events that have a name.

import type { WireObject } from "../../../kernel/index.ts"

/** The text of an event whose type stands beside its data, too. */
export const namedEvent = (event: WireObject): string =>
  `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`
