// Renders docs/reference.md: every module with its options, as the schemas describe them.

import { looperKeys } from "../ts/kernel/schema/looper-keys.ts"
import { bindingsOf, decisionDeployment, defaultDeployment } from "../ts/kernel/config/bindings.ts"
import { signalConditionType, signalConfigKey } from "../ts/kernel/modules/registry.ts"
import type { AnyModule, ModuleKind } from "../ts/kernel/types/module.ts"
import type { RouteModule } from "../ts/kernel/types/route.ts"
import type { SignalModule } from "../ts/kernel/types/signal.ts"

interface Entry {
  readonly id: string
  readonly kind: ModuleKind
  readonly module: AnyModule
}

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly minimum?: number
  readonly maximum?: number
}

const headings: readonly (readonly [kind: ModuleKind, title: string, about: string])[] = [
  [
    "signal",
    "Signals",
    "Rules stand under `routing.signals.<key>`; every rule also has `name` and may have `description`. Conditions refer to them by `type` and `name`.",
  ],
  [
    "selector",
    "Selectors",
    "`routing.decisions[].algorithm.type`; the options stand in a block of that name beside it.",
  ],
  [
    "looper",
    "Loopers",
    "`routing.decisions[].algorithm.type`, with the options in a block of that name; they make several calls and give one reply.",
  ],
  ["plugin", "Plugins", "`routing.decisions[].plugins[]`, with `type` and `configuration`."],
  [
    "provider",
    "Providers",
    "`providers.models[].provider` and `providers.models[].backend_refs[].provider`; `vllm` when left out. [Providers](providers.md) tells what the columns mean.",
  ],
  ["dialect", "Dialects", "Wire protocols of clients and backends."],
  ["store", "Stores", "Where state is kept."],
  [
    "route",
    "Routes",
    "What the listeners serve. The management API has the same as an OpenAPI document under `/openapi.json`, and as a page under `/docs`.",
  ],
]

export function referencePage(entries: readonly Entry[]): string {
  const present = headings.filter(([kind]) => entries.some((entry) => entry.kind === kind))
  const parts = present.flatMap(([kind, title, about]) => [
    [
      `## ${title}`,
      about,
      ...renderShared(entries.filter((entry) => entry.kind === kind)),
      ...(kind === "provider"
        ? [renderProviders(entries)]
        : entries.filter((entry) => entry.kind === kind).map(renderModule)),
    ].join("\n\n"),
    ...(kind === "signal" ? [renderBindings(entries)] : []),
  ])
  return `# Modules and their options

Generated from the module files by \`npm run gen\`. The whole schema: \`npx rtr config schema\`.

${parts.join("\n\n")}
`
}

/** Keys and settings that several selectors or loopers share, each once. */
function renderShared(entries: readonly Entry[]): readonly string[] {
  const algorithms = entries.flatMap(({ module }) =>
    module.kind === "selector" || module.kind === "looper" ? [module] : [],
  )
  const keys = algorithms.some(({ kind }) => kind === "looper") ? [looperKeys] : []
  const settings = new Map(
    algorithms.flatMap(({ settings: own }) => (own === undefined ? [] : [[own.path.join("."), own.schema] as const])),
  )
  return [
    ...keys.flatMap(({ algorithm, decision }) => [
      "Keys of `algorithm` beside the block of options:",
      renderOptions({ properties: algorithm as JsonSchema["properties"] & object }),
      "Keys of the decision:",
      renderOptions({ properties: decision as JsonSchema["properties"] & object }),
    ]),
    ...[...settings].flatMap(([path, schema]) => [
      `Settings that several of them read, under \`global.${path}\`:`,
      renderOptions(schema),
    ]),
  ]
}

/** Which binding each signal asks through, and what answers when the document says nothing. */
function renderBindings(entries: readonly Entry[]): string {
  const asked = entries.flatMap(({ id, module }) => {
    if (module.kind !== "signal") return []
    const { reading, vectors } = bindingsOf({ id, module, source: "builtin" })
    const own = { answers: answersOf(module), silent: silently(module) }
    return [
      ...reading.map((binding) => ({ id, binding, ...own })),
      ...(vectors === undefined
        ? []
        : [{ id, binding: vectors, answers: "vectors", silent: `\`${defaultDeployment.name}\`` }]),
    ]
  })
  const rows = [...Map.groupBy(asked, ({ binding }) => binding)].map(([binding, users]) => {
    const [{ answers = "", silent = "" } = {}] = users
    return `| \`${binding}\` | ${[...new Set(users.map(({ id }) => id))].join(", ")} | ${answers} | ${silent} |`
  })
  return [
    "## Bindings",
    `\`global.model_catalog.bindings.<binding>\` has the \`deployment\` and, among several, the \`head\` that answer the signals. Two deployments are there without being declared: \`${defaultDeployment.name}\` with the package \`${defaultDeployment.artifact}\`, and \`${decisionDeployment.name}\` with the package \`${decisionDeployment.artifact}\`. Signals that are not listed ask no model.`,
    ["| Binding | Signals | Asked for | When left out |", "|---|---|---|---|", ...rows].join("\n"),
  ].join("\n\n")
}

const answersOf = ({ needs = [] }: SignalModule): string =>
  [
    ...(needs.includes("inference.classify") ? ["classes"] : []),
    ...(needs.includes("inference.spans") ? ["spans"] : []),
    ...(needs.includes("inference.decide") ? ["typed questions"] : []),
  ].join(" or ")

/** What answers when the document binds nothing, vectors apart. */
function silently({ needs = [], services, defaultHead: head }: SignalModule): string {
  if (head !== undefined) return `\`${defaultDeployment.name}\`, head \`${head}\``
  if (services !== undefined) return "the model that its rules or settings name"
  return needs.includes("inference.decide")
    ? `\`${decisionDeployment.name}\``
    : "none: a rule that asks it needs a binding"
}

/** One row for each provider; other names stand beside the first one. */
function renderProviders(entries: readonly Entry[]): string {
  const all = entries.flatMap(({ id, module }) => (module.kind === "provider" ? [{ id, module }] : []))
  const rows = all
    .filter(({ module }) => module.aliasOf === undefined && module.useInstead === undefined)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, module: { about, baseUrl, keyVariable, formats = {}, dialect, source } }) => {
      const names = [id, ...all.filter(({ module }) => module.aliasOf === id).map((other) => other.id)]
      const shown = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(", ")
      const protocols = [dialect === "messages" ? "anthropic" : "openai", ...Object.keys(formats)]
      return `| ${shown(names)} | ${source === undefined ? about : `[${about}](${source})`} | ${baseUrl === undefined ? "" : shown([baseUrl])} | ${keyVariable === undefined ? "" : shown([keyVariable])} | ${shown([...new Set(protocols)])} |`
    })
  return ["| Provider | About | Base URL | Key variable | `api_format` |", "|---|---|---|---|---|", ...rows].join("\n")
}

function renderModule({ id, module }: Entry): string {
  switch (module.kind) {
    case "signal": {
      const key = `Key \`${signalConfigKey(id, module)}\`, condition type \`${signalConditionType(id, module)}\`.`
      const settings =
        module.settings === undefined
          ? []
          : [
              `Settings for all its rules, under \`global.${module.settings.path.join(".")}\`:`,
              renderOptions(module.settings.schema),
            ]
      return [`### ${id}`, `${module.about}. ${key}`, renderOptions(module.rule), ...settings].join("\n\n")
    }
    case "route":
      return [
        `### ${id}`,
        `${module.about}. On ${module.listeners.join(" and ")} listeners.`,
        ...(module.settings === undefined
          ? []
          : [`Settings, under \`global.${module.settings.path.join(".")}\`:`, renderOptions(module.settings.schema)]),
        ...module.operations.map(renderOperation),
      ].join("\n\n")
    case "plugin":
    case "store":
      return [`### ${id}`, `${module.about}.`, renderOptions(module.options)].join("\n\n")
    case "selector":
    case "looper":
      return [`### ${id}`, `${module.about}.`, renderOptions(module.options ?? {})].join("\n\n")
    default:
      return `### ${id}\n\n${module.about}.`
  }
}

function renderOperation(operation: RouteModule["operations"][number]): string {
  const { id, method, path, about, permission, open = [], params, query, body, dialect, replies } = operation
  const parts = Object.entries({ "Path parameters": params, Query: query, Body: body }).flatMap(([title, schema]) =>
    schema === undefined ? [] : [`${title}:`, ...renderBody(schema as JsonSchema)],
  )
  const access = `Operation \`${id}\`, permission \`${permission}\`${open.length === 0 ? "" : `; needs no key on ${open.join(" and ")} listeners`}.`
  const rows = Object.entries(replies).flatMap(([status, reply]) => [
    `- \`${status}\`${reply.type === undefined ? "" : ` (${reply.type})`}: ${reply.about}`,
  ])
  const fields = Object.values(replies).find(({ schema }) => schema !== undefined)?.schema as JsonSchema | undefined
  return [
    `#### \`${method} ${path}\``,
    `${about}. ${access}`,
    ...(dialect === undefined ? [] : [`The body, the replies and the errors have the format of \`${dialect}\`.`]),
    ...parts,
    `Replies:`,
    rows.join("\n"),
    ...(fields?.properties === undefined ? [] : ["Reply:", ...renderBody(fields)]),
  ].join("\n\n")
}

/** A body is one map, or one of several. */
function renderBody(schema: JsonSchema): readonly string[] {
  if (schema.anyOf === undefined) return [renderOptions(schema)]
  return schema.anyOf.flatMap((variant, index) => [...(index === 0 ? [] : ["or:"]), renderOptions(variant)])
}

function renderOptions(schema: JsonSchema): string {
  const rows = optionRows(schema, "")
  if (rows.length === 0) return "No options."
  return ["| Option | Type | Needed | Meaning |", "|---|---|---|---|", ...rows].join("\n")
}

/** One row for each option; those of nested maps follow with their whole path. */
function optionRows(schema: JsonSchema, prefix: string): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, option]) => {
    const path = `${prefix}${name}`
    const needed = schema.required?.includes(name) === true ? "yes" : "no"
    const nested =
      option.properties === undefined
        ? option.items?.properties === undefined
          ? []
          : optionRows(option.items, `${path}[].`)
        : optionRows(option, `${path}.`)
    return [`| \`${path}\` | ${typeOf(option)} | ${needed} | ${option.description ?? ""} |`, ...nested]
  })
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `\`${value === "" ? '""' : String(value)}\``).join(", ")
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.type === "array") return `list of ${schema.items === undefined ? "values" : typeOf(schema.items)}`
  const range =
    schema.minimum === undefined && schema.maximum === undefined
      ? ""
      : ` ${schema.minimum ?? "…"} to ${schema.maximum ?? "…"}`
  const words: Readonly<Record<string, string>> = { object: "map", integer: "whole number" }
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? ["value"])
  return `${types.map((type) => words[type] ?? type).join(" or ")}${range.replace(" … to", " at most").replace(/ (\S+) to …/, " at least $1")}`
}
