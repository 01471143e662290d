// `global.integrations.looper`: bounds of the calls that loopers make, and where workflows wait for tools.

import { mapOf, section, Type } from "../../../kernel/index.ts"

const names = Type.Optional(
  Type.Array(Type.String({ minLength: 1, pattern: "\\S" }), {
    description: "Names by which clients ask for these decisions",
  }),
)

const schema = section(
  {
    timeout_seconds: Type.Optional(
      Type.Integer({ description: "Longest time of one call; 0 and less are 30 seconds" }),
    ),
    max_response_bytes_mb: Type.Optional(Type.Integer({ description: "Of one reply; 32 when left out or 0" })),
    remom: Type.Optional(section({ model_names: names })),
    fusion: Type.Optional(section({ model_names: names })),
    flow: Type.Optional(
      section({
        model_names: names,
        state: Type.Optional(
          section({
            ttl_seconds: Type.Optional(
              Type.Integer({
                description: "How long a workflow waits for the client's tools; 1800 when left out or 0",
              }),
            ),
          }),
        ),
      }),
    ),
    headers: Type.Optional(mapOf(Type.String(), { description: "Sent with each call" })),
  },
  { description: "Calls that loopers make" },
)

export const looperIntegration = { path: ["integrations", "looper"], schema } as const
