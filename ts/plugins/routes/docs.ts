// GET /docs: a page that renders the OpenAPI document. It loads nothing but that document.

import { defineRoute, operation } from "../../kernel/index.ts"

export default defineRoute({
  about: "The API as a page to read",
  listeners: ["management"],
  operations: [
    operation({
      id: "docs.page",
      method: "GET",
      path: "/docs",
      about: "The operations with their parameters, bodies and replies",
      permission: "docs.read",
      sensitivity: "public",
      capability: "system",
      plane: "infrastructure",
      audiences: ["operator"],
      stability: "stable",
      replies: { 200: { about: "The page", type: "text/html; charset=utf-8" } },
      errors: "management",
      setup: () => () => {
        const nonce = crypto.randomUUID()
        return {
          text: page.replaceAll("{nonce}", nonce),
          headers: {
            "content-security-policy": `default-src 'none'; connect-src 'self'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
          },
        }
      },
    }),
  ],
})

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rtr API</title>
<style nonce="{nonce}">
:root { color-scheme: light dark; --line: light-dark(#ddd, #333); --soft: light-dark(#555, #aaa); --back: light-dark(#f6f6f6, #1c1c1c); --mark: light-dark(#0b57d0, #8ab4f8) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem; text-transform: capitalize } h3 { font-size: .95rem; margin: 1rem 0 .3rem }
input { font: inherit; width: 100%; padding: .5rem .7rem; border: 1px solid var(--line); border-radius: 6px; box-sizing: border-box }
details { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; padding: .5rem .8rem }
summary { cursor: pointer } summary b { color: var(--mark); display: inline-block; min-width: 4.5rem }
code, pre { font: 13px/1.45 ui-monospace, monospace } pre { background: var(--back); padding: .7rem; border-radius: 6px; overflow: auto; max-height: 24rem }
table { border-collapse: collapse; width: 100% } td { border-top: 1px solid var(--line); padding: .25rem .5rem .25rem 0; vertical-align: top }
.soft { color: var(--soft) }
</style>
</head>
<body>
<h1>rtr API</h1>
<p class="soft">Drawn from <a href="openapi.json">openapi.json</a>.</p>
<input id="filter" type="search" placeholder="Filter by path, method, permission or words" aria-label="Filter" autofocus>
<main id="operations" aria-live="polite"></main>
<script nonce="{nonce}">
const make = (tag, text, ...children) => { const node = document.createElement(tag); if (text) node.textContent = text; node.append(...children); return node }
const soft = (text) => { const node = make("span", text); node.className = "soft"; return node }
let schemas = {}
const resolve = (schema, seen = []) => {
  if (Array.isArray(schema)) return schema.map((each) => resolve(each, seen))
  if (typeof schema !== "object" || schema === null) return schema
  if (schema.$ref) { const name = schema.$ref.split("/").pop(); return seen.includes(name) ? { type: name } : resolve(schemas[name] ?? {}, [...seen, name]) }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolve(value, seen)]))
}
const showContent = (content = {}) => Object.entries(content).flatMap(([type, { schema }]) => [soft(type), make("pre", JSON.stringify(resolve(schema), null, 2))])
const render = (path, method, operation) => {
  const node = make("details", "", make("summary", "", make("b", method.toUpperCase()), make("code", path), soft(" " + operation.summary)))
  node.dataset.words = [path, method, operation.summary, operation.operationId, operation["x-rtr-permission"], operation.tags].join(" ").toLowerCase()
  node.addEventListener("toggle", () => {
    if (node.childElementCount > 1) return
    node.append(make("p", "", soft(operation["x-rtr-operation"] + " · permission " + operation["x-rtr-permission"] + " · listeners " + (operation["x-rtr-listeners"] ?? []).join(", "))))
    if (operation.parameters) node.append(make("h3", "Parameters"), make("table", "", ...operation.parameters.map((each) => make("tr", "", make("td", "", make("code", each.name)), make("td", each.in + (each.required ? ", required" : "")), make("td", each.schema.enum ? each.schema.enum.join(", ") : each.schema.type), make("td", each.description ?? "")))))
    if (operation.requestBody) node.append(make("h3", "Body"), ...showContent(operation.requestBody.content))
    for (const [status, reply] of Object.entries(operation.responses)) node.append(make("details", "", make("summary", "", make("b", status), soft(reply.description)), ...showContent(reply.content)))
  })
  return node
}
const filter = document.getElementById("filter")
const list = document.getElementById("operations")
const narrow = () => {
  const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const section of list.children) {
    let shown = 0
    for (const node of section.querySelectorAll(":scope > details")) { node.hidden = !words.every((word) => node.dataset.words.includes(word)); shown += node.hidden ? 0 : 1 }
    section.hidden = shown === 0
  }
}
filter.addEventListener("input", narrow)
fetch("openapi.json").then(async (response) => {
  if (!response.ok) throw new Error("openapi.json answered " + response.status)
  const api = await response.json()
  schemas = api.components.schemas
  const groups = {}
  for (const [path, methods] of Object.entries(api.paths)) for (const [method, operation] of Object.entries(methods)) (groups[operation.tags[0]] ??= []).push(render(path, method, operation))
  for (const [name, nodes] of Object.entries(groups)) list.append(make("section", "", make("h2", name), ...nodes))
  narrow()
}).catch((error) => list.append(make("p", String(error.message))))
</script>
</body>
</html>
`
