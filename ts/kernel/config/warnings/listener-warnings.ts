// Listeners that let in more than is meant, or nobody.

import { invalid, type Problem } from "../../schema/problem.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { listenersOf } from "../sections/listeners.ts"
import { isLoopback } from "../listeners/loopback.ts"

/** Warnings of listeners that everybody may use, and of those that no request may. */
export const listenerWarnings = (document: ConfigDocument): readonly Problem[] =>
  listenersOf(document).flatMap(({ address, api_keys: keys, models }, index) => [
    ...(keys === undefined && !isLoopback(address)
      ? [
          invalid(
            ["listeners", index, "address"],
            `lets everybody who reaches ${address} call the models; write api_keys, or address: 127.0.0.1`,
          ),
        ]
      : []),
    ...(models?.length === 0
      ? [
          invalid(
            ["listeners", index, "models"],
            "is an empty list, which refuses every request; leave the key out to let clients ask for every model",
          ),
        ]
      : []),
  ])
