// The schema of a whole v0.3 document. It validates documents, and `rtr config schema` prints the same object.

import { Type, type Static } from "typebox"
import type { Registry } from "../../modules/registry.ts"
import { globalSchema } from "./global.ts"
import { listenersSchema } from "./listeners.ts"
import { providersSchema } from "./providers.ts"
import { routingSchema } from "./routing.ts"
import { literals, section } from "../../schema/shapes.ts"

export type ConfigDocument = Static<ReturnType<typeof documentSchema>>

export function documentSchema(registry: Registry) {
  const providerIds = registry.all("provider").map(({ id }) => id)
  return section(
    {
      version: literals(["v0.3"]),
      modules: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          description: "Outside modules: package names, or files relative to this document",
        }),
      ),
      listeners: Type.Optional(listenersSchema),
      providers: Type.Optional(providersSchema(providerIds)),
      routing: Type.Optional(routingSchema(registry)),
      global: Type.Optional(globalSchema(registry)),
    },
    { description: "Canonical rtr configuration, version v0.3" },
  )
}
