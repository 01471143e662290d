// Keeps the shape of the source: which way imports point, how files are named, and that every module has its test.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { moduleKinds } from "../ts/kernel/modules/kinds.ts"

const root = join(import.meta.dirname, "..")

function filesIn(folder: string, extension = ".ts"): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(extension))
    .map((name) => join(folder, name))
}

/** Every module specifier of a file, static and dynamic. Local ones are paths from the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), "utf8")
  const specifiers = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^"'\n]*?from\s+"([^"]+)"|(?:^|[^\w.])import\(\s*"([^"]+)"|(?:^|\n)import\s+"([^"]+)"/g,
    ),
  ].map(([, a, b, c]) => a ?? b ?? c ?? "")
  const multiline = [...text.matchAll(/\n\}\s+from\s+"([^"]+)"/g)].map(([, specifier]) => specifier ?? "")
  return [...new Set([...specifiers, ...multiline])].map((specifier) =>
    specifier.startsWith(".") ? relative(root, resolve(root, dirname(file), specifier)) : specifier,
  )
}

interface Rule {
  readonly folder: string
  /** Local path prefixes that may be imported. */
  readonly local: readonly string[]
  /** Packages that may be imported; `node:` stands for all of Node's own. */
  readonly packages: readonly string[]
  readonly except?: readonly string[]
}

const kernel = "ts/kernel"

/** The table of allowed arrows. Everything that is not listed is forbidden. */
const rules: readonly Rule[] = [
  { folder: `${kernel}/types`, local: [`${kernel}/types`, `${kernel}/error.ts`], packages: ["typebox"] },
  {
    folder: `${kernel}/modules`,
    local: [`${kernel}/modules`, `${kernel}/schema/looper-keys.ts`, `${kernel}/types`, `${kernel}/error.ts`],
    packages: ["typebox"],
  },
  {
    folder: `${kernel}/schema`,
    local: [`${kernel}/schema`, `${kernel}/host/work.ts`, `${kernel}/types`, `${kernel}/error.ts`],
    packages: ["typebox", "typebox/schema", "typebox/system"],
  },
  {
    folder: `${kernel}/config`,
    local: [
      `${kernel}/config`,
      `${kernel}/schema`,
      `${kernel}/modules`,
      `${kernel}/host/work.ts`,
      `${kernel}/types`,
      `${kernel}/error.ts`,
    ],
    packages: ["typebox", "yaml"],
  },
  { folder: `${kernel}/host`, local: [`${kernel}/host`], packages: [] },
  {
    folder: `${kernel}/text`,
    local: [`${kernel}/text`, `${kernel}/host`, `${kernel}/types`, `${kernel}/error.ts`],
    packages: [],
  },
  {
    folder: `${kernel}/chat`,
    local: [`${kernel}/chat`, `${kernel}/text`, `${kernel}/types`, `${kernel}/error.ts`],
    packages: [],
  },
  {
    folder: `${kernel}/pipeline`,
    local: [
      `${kernel}/pipeline`,
      `${kernel}/chat`,
      `${kernel}/schema/problem.ts`,
      `${kernel}/host`,
      `${kernel}/text`,
      `${kernel}/types`,
      `${kernel}/error.ts`,
    ],
    packages: [],
  },
  {
    folder: `${kernel}/log`,
    local: [`${kernel}/log`, `${kernel}/pipeline/why.ts`, `${kernel}/types`, `${kernel}/error.ts`],
    packages: [],
  },
  {
    folder: `${kernel}/generations`,
    local: [
      `${kernel}/generations`,
      `${kernel}/config`,
      `${kernel}/host/work.ts`,
      `${kernel}/schema`,
      `${kernel}/modules`,
      `${kernel}/types`,
      `${kernel}/error.ts`,
    ],
    packages: ["ofetch"],
  },
  {
    folder: `${kernel}/http`,
    local: [
      `${kernel}/http`,
      `${kernel}/host`,
      `${kernel}/schema`,
      `${kernel}/modules`,
      `${kernel}/types`,
      `${kernel}/error.ts`,
    ],
    packages: ["h3", "srvx", "typebox", "typebox/schema"],
  },
  {
    folder: `${kernel}/runtime`,
    local: [kernel, "ts/plugins/registry.gen.ts"],
    packages: ["node:", "srvx", "srvx/node", "undici", "prom-client"],
  },
  {
    folder: "ts/plugins/signals",
    local: [`${kernel}/index.ts`, "ts/plugins/_shared"],
    packages: ["eld/small"],
  },
  { folder: "ts/plugins/selectors", local: [`${kernel}/index.ts`, "ts/plugins/_shared"], packages: [] },
  { folder: "ts/plugins/loopers", local: [`${kernel}/index.ts`, "ts/plugins/_shared"], packages: [] },
  { folder: "ts/plugins/decision", local: [`${kernel}/index.ts`, "ts/plugins/_shared"], packages: [] },
  { folder: "ts/plugins/providers", local: [`${kernel}/index.ts`, "ts/plugins/_shared"], packages: [] },
  { folder: "ts/plugins/dialects", local: [`${kernel}/index.ts`, "ts/plugins/_shared"], packages: [] },
  // The library of a store loads when it is opened, by a name that bundlers do not follow.
  { folder: "ts/plugins/stores", local: [`${kernel}/index.ts`, "ts/plugins/_shared"], packages: [] },
  { folder: "ts/plugins/routes", local: [`${kernel}/index.ts`, "ts/plugins/_shared"], packages: ["h3"] },
  {
    folder: "ts/plugins/_shared",
    local: [`${kernel}/index.ts`, "ts/plugins/_shared"],
    packages: ["fastest-levenshtein", "libphonenumber-js/min", "minisearch", "re2js", "stemmer"],
  },
  { folder: "ts/testing", local: ["ts/testing", `${kernel}/index.ts`], packages: ["typebox", "typebox/value"] },
  {
    folder: "ts/models",
    local: ["ts/models", `${kernel}/index.ts`, `${kernel}/runtime/node.ts`],
    packages: ["node:", "undici", "yaml"],
  },
  {
    folder: "ts/workers",
    local: ["ts/workers", "ts/models", `${kernel}/index.ts`, `${kernel}/runtime/node.ts`],
    packages: ["node:"],
  },
  {
    folder: "ts/cli",
    local: ["ts/cli", "ts/models", "ts/workers"],
    packages: ["rtr", "rtr/node", "node:", "commander", "ofetch", "typebox", "typebox/value", "yaml"],
  },
]

const isUnder = (path: string, prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
const isAllowedPackage = (specifier: string, packages: readonly string[]): boolean =>
  packages.some((name) => specifier === name || (name === "node:" && specifier.startsWith("node:")))

describe("imports", () => {
  test.each(rules)("$folder imports only what it may", ({ folder, local, packages }) => {
    const wrong = filesIn(folder).flatMap((file) =>
      importsOf(file)
        .filter((target) => (target.startsWith("ts/") ? !isUnder(target, local) : !isAllowedPackage(target, packages)))
        .map((target) => `${file} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  // Each of them brings TypeBox's engine for types, 11 kB of an edge host's bundle.
  test("schemas are written without the constructors that compute types", () => {
    const computing = /\bType\.(Record|Partial|Required|Pick|Omit|KeyOf|Index|Mapped|TemplateLiteral|Evaluate|Script)\(/
    const wrong = ["ts/kernel", "ts/plugins"]
      .flatMap((folder) => filesIn(folder))
      .filter((file) => computing.test(withoutComments(readFileSync(join(root, file), "utf8"))))
    expect(wrong).toEqual([])
  })

  test("every folder of ts has a rule", () => {
    const uncovered = filesIn("ts").filter(
      (file) =>
        !isUnder(
          file,
          rules.map(({ folder }) => folder),
        ),
    )
    expect(uncovered.toSorted()).toEqual([
      "ts/kernel/error.ts",
      "ts/kernel/index.ts",
      "ts/kernel/kernel.ts",
      "ts/kernel/listener-apps.ts",
      "ts/kernel/observe-calls.ts",
      "ts/kernel/rule-tree.ts",
      "ts/node.ts",
      "ts/plugins/registry.gen.ts",
    ])
  })

  test("rtr/node only puts together what the rooms below it offer", () => {
    const rooms = [`${kernel}/runtime/node.ts`, "ts/models", "ts/workers"]
    expect(importsOf("ts/node.ts").filter((target) => !isUnder(target, rooms))).toEqual([])
  })

  test("no folder of the kernel imports one that imports it, not even for a type", () => {
    const roomOf = (file: string): string => file.split("/").slice(0, 3).join("/")
    const arrows = new Map<string, Set<string>>()
    for (const file of filesIn(kernel).filter((name) => name.split("/").length > 3 && !name.includes("/runtime/")))
      for (const target of importsOf(file))
        if (target.startsWith(`${kernel}/`) && target.split("/").length > 3 && roomOf(target) !== roomOf(file))
          arrows.set(roomOf(file), (arrows.get(roomOf(file)) ?? new Set()).add(roomOf(target)))
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(arrows.get(from) ?? [])].some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      )
    expect([...arrows.keys()].filter((room) => reaches(room, room))).toEqual([])
  })

  test("kernel.ts imports neither plugins nor a platform", () => {
    expect(
      importsOf("ts/kernel/kernel.ts").filter(
        (target) =>
          target.startsWith("node:") || target.startsWith("ts/plugins") || target.startsWith("ts/kernel/runtime"),
      ),
    ).toEqual([])
  })

  /** Words that are spelled like a module and mean something else, with the files that may say them. */
  const otherMeanings: Readonly<Record<string, readonly string[]>> = {
    // The strategy that prefers the surer decision.
    confidence: [
      "config/sections/router.ts",
      "config/warnings/unreachable-decisions.ts",
      "types/plan.ts",
      "pipeline/decide.ts",
    ],
    // What a request led to, in its record and in the log; a folder of plugins.
    decision: ["modules/kinds.ts", "log/request-line.ts", "http/headers/routing-headers.ts", "pipeline/run.ts"],
    // The binding of the model that makes vectors.
    embedding: ["config/bindings.ts"],
    // How a plugin scores.
    hybrid: ["config/accepted/missing-plugins.ts"],
    // How an API speaks (`api_format`).
    openai: ["config/sections/backends.ts"],
    // What Intl.DisplayNames names.
    language: ["text/language-names.ts"],
    // The replies of an operation in OpenAPI; what models answered a looper.
    responses: ["http/openapi.ts", "pipeline/module-results.ts"],
    // What writes a stream or a route's reply.
    writer: ["modules/kinds.ts", "types/route.ts"],
  }

  test("the kernel names no module", () => {
    const manifest = JSON.parse(readFileSync(join(root, "plugins-manifest.json"), "utf8")) as {
      readonly modules: readonly { readonly id: string; readonly kind: string }[]
    }
    // Routes are named after what they serve.
    const named = new Set(manifest.modules.filter(({ kind }) => kind !== "route").map(({ id }) => id))
    // Data about the v0.3 format, whose own words these are.
    const data = new Set(
      [
        "v03-keys.ts",
        "moved-keys.ts",
        "migrate/flat-keys.ts",
        "migrate/categories.ts",
        "migrate/guards.ts",
        "accepted/no-effect.ts",
        "accepted/missing-sections.ts",
        "accepted/missing-plugins.ts",
        "accepted/decision-keys.ts",
        "accepted/provider-words.ts",
        "kubernetes/resources.ts",
      ].map((name) => `${kernel}/config/${name}`),
    )
    const files = filesIn(kernel).filter((file) => !file.startsWith(`${kernel}/runtime/`) && !data.has(file))
    const found = files.flatMap((file) =>
      [...withoutComments(readFileSync(join(root, file), "utf8")).matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)]
        .map(([, , literal = ""]) => literal)
        .filter((literal) => named.has(literal))
        .filter((literal) => otherMeanings[literal]?.some((place) => file === `${kernel}/${place}`) !== true)
        .map((literal) => `${file} names "${literal}"`),
    )
    expect(found, "Give the module another id, or say in otherMeanings what else the word means").toEqual([])
  })

  test.each([
    ["node:sqlite", "ts/plugins/stores/sqlite.ts"],
    ["@redis/client", "ts/plugins/stores/redis.ts"],
  ])("%s is loaded by %s alone, and not before a store opens", (driver, store) => {
    const users = filesIn("ts").filter((file) => readFileSync(join(root, file), "utf8").includes(`"${driver}"`))
    expect(users).toEqual([store])
    expect(readFileSync(join(root, store), "utf8")).not.toMatch(new RegExp(`(from|import\\() ?"${driver}"`))
  })

  test("modules do not import each other", () => {
    const folders = Object.values(moduleKinds).map(({ folder }) => `ts/plugins/${folder}`)
    const wrong = folders.flatMap((folder) =>
      filesIn(folder).flatMap((file) =>
        importsOf(file)
          .filter((target) => isUnder(target, folders))
          .map((target) => `${file} imports ${target}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  test("only native.ts loads the addon", () => {
    const loaders = filesIn("ts").filter((file) =>
      /\.node["'`]|createRequire/.test(readFileSync(join(root, file), "utf8")),
    )
    expect(loaders).toEqual(["ts/kernel/runtime/native.ts"])
  })

  test("the Node platform stays in the runtime's Node files", () => {
    const portable = ["edge.ts", "fetch-transport.ts", "remote.ts"].map((name) => `ts/kernel/runtime/${name}`)
    expect(
      portable.flatMap((file) => importsOf(file).filter((target) => target.startsWith("node:") || target === "undici")),
    ).toEqual([])
  })

  test("the hub client loads on first use, and never on edge hosts", () => {
    const client = new Set(["client", "fetch-model", "settings"].map((name) => `ts/models/hub/${name}.ts`))
    const early = filesIn("ts")
      .filter((file) => !file.startsWith("ts/models/hub/"))
      .flatMap((file) => staticImportsOf(file).filter((target) => client.has(target)))
    expect(early).toEqual([])
  })

  test("there are no import cycles", () => {
    const graph = new Map(filesIn("ts").map((file) => [file, staticImportsOf(file)]))
    const state = new Map<string, "open" | "done">()
    const cycles: string[] = []
    const visit = (file: string, trail: readonly string[]): void => {
      if (state.get(file) === "done") return
      if (state.get(file) === "open") {
        cycles.push([...trail.slice(trail.indexOf(file)), file].join(" → "))
        return
      }
      state.set(file, "open")
      for (const next of graph.get(file) ?? []) if (graph.has(next)) visit(next, [...trail, file])
      state.set(file, "done")
    }
    for (const file of graph.keys()) visit(file, [])
    expect(cycles).toEqual([])
  })

  // Folders that the rest of the crate stands on, and what they may use of it. The others may use each other.
  test.each([
    ["tokens", ["error"]],
    ["question.rs", ["error"]],
    ["schedule", ["engines", "error"]],
    ["matmul", ["package"]],
  ])("the worker's %s uses nothing but %j", (folder, allowed) => {
    const own = folder.replace(/\.rs$/, "")
    const files = filesIn("crates/rtrun-core/src", ".rs").filter((file) =>
      file.startsWith(`crates/rtrun-core/src/${folder}`),
    )
    expect(files).not.toEqual([])
    const used = files.flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(/\bcrate::([a-z_]+)/g)])
    expect(
      [...new Set(used.map(([, name]) => name))].filter((name) => name !== own && !allowed.includes(name ?? "")),
    ).toEqual([])
  })

  test("nothing in the worker uses its server", () => {
    const inside = filesIn("crates/rtrun-core/src", ".rs").filter(
      (file) => !file.startsWith("crates/rtrun-core/src/serve/"),
    )
    expect(inside.filter((file) => /\bcrate::serve\b/.test(readFileSync(join(root, file), "utf8")))).toEqual([])
  })
})

/** Text without the comments that fill a line, which may speak of modules. */
function withoutComments(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .join("\n")
}

/** Imports that run when the file loads; types vanish and dynamic imports come later. */
function staticImportsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), "utf8")
  const statements = [...text.matchAll(/(?:^|\n)(?:import|export)\s+(?!type\b)([^"';]*?)\s+from\s+"(\.[^"]+)"/g)]
  return statements
    .filter(
      ([, names = ""]) =>
        !names.startsWith("{") ||
        names
          .replace(/[{}]/g, "")
          .split(",")
          .some((name) => name.trim() !== "" && !name.trim().startsWith("type ")),
    )
    .map(([, , specifier]) => relative(root, resolve(root, dirname(file), specifier ?? "")))
}

describe("names", () => {
  test("TypeScript files are in kebab-case", () => {
    const wrong = [...filesIn("ts"), ...filesIn("test"), ...filesIn("scripts"), ...filesIn("bench")].filter(
      (file) => !/^_?[a-z0-9]+(-[a-z0-9]+)*(\.(gen|test|bench|d))?\.ts$/.test(basename(file)),
    )
    expect(wrong).toEqual([])
  })

  test("Rust files are in snake_case", () => {
    expect(filesIn("crates", ".rs").filter((file) => !/^[a-z0-9]+(_[a-z0-9]+)*\.rs$/.test(basename(file)))).toEqual([])
  })

  test("no file is a drawer for anything", () => {
    const drawers = /^(utils?|helpers?|manager|common|misc)\b/
    expect(
      [...filesIn("ts"), ...filesIn("test"), ...filesIn("crates", ".rs")].filter((file) =>
        drawers.test(basename(file)),
      ),
    ).toEqual([])
  })

  test("the addon converts and has no logic: at most four files of 500 lines together", () => {
    const files = filesIn("crates/rtrun-napi/src", ".rs")
    const lines = files.reduce((sum, file) => sum + readFileSync(join(root, file), "utf8").split("\n").length - 1, 0)
    expect([files.length <= 4, lines <= 500]).toEqual([true, true])
    expect(files.length).toBeGreaterThan(0)
  })

  test("no folder outgrows 25 files", () => {
    const folders = new Map<string, number>()
    for (const file of filesIn("ts")) folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1)
    // A list of modules, each a file, has as many as there are modules.
    const isList = (folder: string): boolean => /^ts\/plugins\/[a-z]+$/.test(folder)
    expect([...folders].filter(([folder, count]) => count > 25 && !isList(folder))).toEqual([])
  })
})

describe("modules", () => {
  const suites = Object.fromEntries(Object.values(moduleKinds).map(({ folder, suite }) => [folder, suite]))

  test.each(Object.entries(suites))("each module in %s has a mirrored test that runs %s", (folder, suite) => {
    const missing = filesIn(`ts/plugins/${folder}`).flatMap((file) => {
      const mirrored = file.replace(/^ts\//, "test/").replace(/\.ts$/, ".test.ts")
      if (!existsSync(join(root, mirrored))) return [`${mirrored} is missing`]
      return readFileSync(join(root, mirrored), "utf8").includes(`${suite}(`)
        ? []
        : [`${mirrored} does not run ${suite}`]
    })
    expect(missing).toEqual([])
  })

  test("each module has one default export and no other", () => {
    const wrong = Object.keys(suites).flatMap((folder) =>
      filesIn(`ts/plugins/${folder}`).filter(
        (file) => (readFileSync(join(root, file), "utf8").match(/^export /gm) ?? []).length !== 1,
      ),
    )
    expect(wrong).toEqual([])
  })

  test("each test of ts stands where its source stands", () => {
    const stray = ["kernel", "models", "workers", "plugins", "cli", "testing"].flatMap((folder) =>
      filesIn(`test/${folder}`, ".test.ts").filter(
        (file) => !existsSync(join(root, file.replace(/^test\//, "ts/").replace(/\.test\.ts$/, ".ts"))),
      ),
    )
    expect(stray).toEqual([])
  })
})
