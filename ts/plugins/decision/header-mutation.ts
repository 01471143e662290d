// Changes the headers of the upstream request.

import { definePlugin, Type } from "../../kernel/index.ts"

const headerName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", description: "Header name" })
const header = Type.Object(
  { name: headerName, value: Type.String({ pattern: "^[\\t\\x20-\\x7e]*$", description: "Visible ASCII" }) },
  { additionalProperties: false },
)

const options = Type.Object(
  {
    add: Type.Optional(Type.Array(header)),
    update: Type.Optional(Type.Array(header)),
    delete: Type.Optional(Type.Array(headerName)),
  },
  { additionalProperties: false },
)

/** The transport sets these from the message itself; a wrong value would break the message. */
const framing: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
])

export default definePlugin({
  about: "Adds, changes or deletes headers of the upstream request",
  options,
  check(entry, report) {
    for (const key of ["add", "update"] as const) {
      entry[key]?.forEach(({ name }, index) => {
        if (framing.has(name.toLowerCase()))
          report([key, index, "name"], `"${name}" cannot be set; it follows from the message itself`)
      })
    }
  },
  setup({ add = [], update = [], delete: removed = [] }) {
    const set = Object.fromEntries([...add, ...update].map(({ name, value }) => [name.toLowerCase(), value]))
    const dropped = new Set(removed.map((name) => name.toLowerCase()))
    return {
      before({ headers }) {
        const changed = { ...headers, ...set }
        return { headers: Object.fromEntries(Object.entries(changed).filter(([name]) => !dropped.has(name))) }
      },
    }
  },
})
