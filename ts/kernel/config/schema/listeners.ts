// `listeners[]`: the addresses on which clients reach the router.

import { Type } from "typebox"
import { duration, name, port, section } from "../../schema/shapes.ts"

export const listenersSchema = Type.Array(
  section({
    name,
    address: Type.String({ minLength: 1, description: "IP address or host name to bind" }),
    port,
    timeout: Type.Optional(duration),
    api_keys: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Any of these is accepted as bearer token; without the list the listener asks for none",
      }),
    ),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Model names that clients of this listener may ask for; without the list all",
      }),
    ),
  }),
  { description: "Public inference listeners" },
)
