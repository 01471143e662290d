import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { stringify } from "yaml"
import { neededDeployments } from "../../../ts/kernel/config/bindings.ts"
import { documentSchema } from "../../../ts/kernel/config/document-schema.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { load, problemsOnLoad } from "../../fakes/document.ts"
import { registry } from "../../fakes/registry.ts"
import { compileWith } from "../../fakes/services.ts"

const fixtures = join(import.meta.dirname, "../../fixtures/config")
const filesIn = (kind: string): readonly string[] =>
  readdirSync(join(fixtures, kind)).filter((name) => name.endsWith(".yaml"))
const read = (kind: string, name: string): string => readFileSync(join(fixtures, kind, name), "utf8")
const environment = { OPENAI_API_KEY: "key" }

describe("valid documents", () => {
  test.each(filesIn("valid"))("%s is read into its normal form, and read again from it", async (name) => {
    const { document, unexpanded, warnings } = await load(read("valid", name), environment)
    const printed = stringify(unexpanded, { lineWidth: 0, aliasDuplicateObjects: false })
    await expect(printed).toMatchFileSnapshot(join(fixtures, "canonical", name))
    const { locate: _, warnings: left, ...again } = await load(printed, environment)
    expect(again).toEqual({ document, unexpanded })
    const described = warnings.filter(({ message }) => message.includes("a model is only described"))
    expect(described).toHaveLength(name === "routing-only.yaml" ? 1 : 0)
    // The normal form has the current spelling.
    expect(left.map(({ message }) => message)).toEqual(described.map(({ message }) => message))
    const others = warnings.filter((warning) => !described.includes(warning))
    expect(others.filter(({ message }) => !message.includes("is the older spelling of"))).toEqual([])
  })

  test.each(filesIn("valid"))("%s can be served", async (name) => {
    const { document } = await load(read("valid", name), environment)
    const { plan } = await compileWith(document, { environment })
    expect(plan.decisions.map((decision) => decision.name)).toEqual(
      (document.routing?.decisions ?? []).map((decision) => decision.name),
    )
    expect([...plan.models.keys()]).toEqual(
      expect.arrayContaining((document.providers?.models ?? []).map((model) => model.name)),
    )
    const deployments = new Set(neededDeployments(document, registry).map((deployment) => deployment.name))
    const asked = plan.signals.flatMap(({ target }) => (target === undefined ? [] : [target.deployment]))
    expect(asked.filter((deployment) => !deployments.has(deployment))).toEqual([])
  })
})

describe("invalid documents", () => {
  /** Each file ends with the problems it has: `# line:column path: message`. */
  const expectedOf = (text: string): readonly string[] =>
    (text.split("\n# Problems:\n")[1] ?? "")
      .split("\n")
      .flatMap((line) => (line.startsWith("# ") ? [line.slice(2)] : []))

  test.each(filesIn("invalid"))("%s has the problems that it lists", async (name) => {
    const text = read("invalid", name)
    const found = (await problemsOnLoad(text)).map(
      ({ path, message, position }) => `${position?.line}:${position?.column} ${formatPath(path)}: ${message}`,
    )
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(expectedOf(text))
  })
})

describe("the schema", () => {
  const schema = JSON.parse(JSON.stringify(documentSchema(registry))) as Node

  interface Node {
    readonly type?: unknown
    readonly properties?: Readonly<Record<string, Node>>
    readonly items?: Node
    readonly additionalProperties?: unknown
    readonly anyOf?: readonly Node[]
    readonly $defs?: Readonly<Record<string, Node>>
    readonly patternProperties?: Readonly<Record<string, Node>>
  }

  const nodesOf = (node: Node, path: string): readonly (readonly [string, Node])[] => [
    [path, node],
    ...Object.entries(node.properties ?? {}).flatMap(([key, child]) => nodesOf(child, `${path}.${key}`)),
    ...Object.values(node.patternProperties ?? {}).flatMap((child) => nodesOf(child, `${path}.*`)),
    ...Object.entries(node.$defs ?? {}).flatMap(([key, child]) => nodesOf(child, `${path}#${key}`)),
    ...(node.anyOf ?? []).flatMap((child, index) => nodesOf(child, `${path}|${index}`)),
    ...(node.items === undefined ? [] : nodesOf(node.items, `${path}[]`)),
  ]

  test("refuses unknown keys in every map", () => {
    const open = nodesOf(schema, "").flatMap(([path, node]) =>
      node.properties !== undefined && node.additionalProperties !== false ? [path] : [],
    )
    expect(open).toEqual([])
  })

  test("has a place for every registered signal, selector, looper, plugin and store", () => {
    const decision = schema.properties?.["routing"]?.properties?.["decisions"]?.items?.properties
    const tags = (node: Node | undefined): readonly unknown[] =>
      (node?.anyOf ?? []).map((variant) => (variant.properties?.["type"] as { const?: unknown } | undefined)?.const)
    expect({
      signals: Object.keys(schema.properties?.["routing"]?.properties?.["signals"]?.properties ?? {}),
      algorithms: tags(decision?.["algorithm"]),
      plugins: tags(decision?.["plugins"]?.items),
      stores: tags(schema.properties?.["global"]?.properties?.["stores"]?.properties?.["state"]),
    }).toEqual({
      signals: registry
        .all("signal")
        .flatMap(({ id, module }) => (module.routing === undefined ? [module.configKey ?? id] : [])),
      algorithms: [...registry.all("selector"), ...registry.all("looper")].map(({ id }) => id),
      plugins: registry.all("plugin").map(({ id }) => id),
      stores: registry.all("store").map(({ id }) => id),
    })
  })

  test("has the settings of signals where they say", () => {
    const catalog = schema.properties?.["global"]?.properties?.["model_catalog"]?.properties
    expect(
      Object.keys(catalog?.["modules"]?.properties?.["classifier"]?.properties?.["domain"]?.properties ?? {}),
    ).toEqual(["threshold", "fallback_category", "backend"])
    expect(
      catalog?.["embeddings"]?.properties?.["semantic"]?.properties?.["embedding_config"]?.properties,
    ).toHaveProperty("top_k")
  })
})
