// Changes the headers of the upstream request.

import { definePlugin, isSettableHeader, section, Type } from "../../kernel/index.ts"

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

export default definePlugin({
  about: "Adds, changes or deletes headers of the upstream request",
  options,
  hooks: ["before"],
  check(entry, report) {
    const complain = (path: readonly (string | number)[], name: string): void => {
      if (!isSettableHeader(name)) report(path, `"${name}" cannot be changed: the router sets it itself`)
    }
    for (const key of ["add", "update"] as const)
      entry[key]?.forEach(({ name }, index) => complain([key, index, "name"], name))
    entry.delete?.forEach((name, index) => complain(["delete", index], name))
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
