// Changes the headers of the upstream request.

import { definePlugin, section, Type } from "../../kernel/index.ts"

const headerName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", description: "Header name" })
const header = section({
  name: headerName,
  value: Type.String({ pattern: "^[\\t\\x20-\\x7e]*$", description: "Visible ASCII" }),
})

const options = section({
  add: Type.Optional(Type.Array(header)),
  update: Type.Optional(Type.Array(header)),
  delete: Type.Optional(Type.Array(headerName)),
})

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
  hooks: ["before"],
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
      open: () => ({
        // The headers are those of the hook's call: plugins further out may have changed them.
        before({ headers }) {
          const changed = { ...headers, ...set }
          return { headers: Object.fromEntries(Object.entries(changed).filter(([name]) => !dropped.has(name))) }
        },
      }),
    }
  },
})
