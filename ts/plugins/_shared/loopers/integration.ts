// `global.integrations.looper`: bounds of the calls that loopers make, and where workflows wait for tools.

import { section, Type } from "../../../kernel/index.ts"

const schema = section(
  {
    timeout_seconds: Type.Optional(
      Type.Integer({ description: "Longest time of one call; 0 and less are 30 seconds" }),
    ),
    max_response_bytes_mb: Type.Optional(Type.Integer({ description: "Of one reply; 32 when left out or 0" })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { description: "Sent with each call" })),
  },
  { description: "Calls that loopers make" },
)

export const looperIntegration = { path: ["integrations", "looper"], schema } as const
