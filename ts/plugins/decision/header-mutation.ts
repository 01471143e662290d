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

/** Set from the message itself; a wrong value would break the message. */
const framing: ReadonlySet<string> = new Set([
  "accept",
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

/** Says how many routers a request has passed, so that none goes around for ever. */
const counter = "x-rtr-hops"

export default definePlugin({
  about: "Adds, changes or deletes headers of the upstream request",
  options,
  hooks: ["before"],
  check(entry, report) {
    for (const key of ["add", "update"] as const) {
      entry[key]?.forEach(({ name }, index) => {
        const lower = name.toLowerCase()
        if (framing.has(lower))
          report([key, index, "name"], `"${name}" cannot be set; it follows from the message itself`)
        if (lower === counter) report([key, index, "name"], `"${name}" cannot be set; the router counts with it`)
      })
    }
    entry.delete?.forEach((name, index) => {
      if (name.toLowerCase() === counter)
        report(["delete", index], `"${name}" cannot be deleted; the router counts with it`)
    })
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
