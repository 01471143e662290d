// Backends at an address where this router listens: a request to one comes back in, and may go around.

import { invalid, type Problem } from "../../schema/problem.ts"
import type { Registry } from "../../modules/registry.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { addressOf, refsOf } from "../sections/backends.ts"
import { listenersOf } from "../sections/listeners.ts"

/** A warning for each: one that asks for a model of another backend does come to an end. */
export function checkOwnAddresses(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const listeners = listenersOf(document)
  return (document.providers?.models ?? []).flatMap((model, index) =>
    refsOf(model).flatMap((ref, position): readonly Problem[] => {
      const url = addressOf(ref, registry)
      if (url === undefined || !URL.canParse(url)) return []
      const { protocol, hostname, port } = new URL(url)
      const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)
      const listener = listeners.find((each) => each.port === number && isSameHost(hostname, each.address))
      if (listener === undefined) return []
      const key = ref.endpoint === undefined ? "base_url" : "endpoint"
      return [
        {
          ...invalid(
            ["providers", "models", index, "backend_refs", position, key],
            `is the address of listener "${listener.name}" of this router, which would ask itself again and again; write the address of the model's server`,
          ),
          severity: "warning",
        },
      ]
    }),
  )
}

/** Other names of this machine cannot be told from those of others. */
function isSameHost(host: string, address: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase()
  return name === address.toLowerCase() || (isHere.test(name) && isHere.test(address))
}

/** Loopback, and every address of the machine. */
const isHere = /^(localhost|127\.[\d.]+|0\.0\.0\.0|::1?)$/i
