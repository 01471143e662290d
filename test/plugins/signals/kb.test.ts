import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Fact } from "rtr"
import { createFakeInference, readerOf, signalContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { resolveDocument } from "../../../ts/kernel/config/resolve.ts"
import { wrapDocument } from "../../../ts/kernel/config/source-document.ts"
import { ConfigError } from "../../../ts/kernel/config/config-error.ts"
import { readDocumentFile } from "../../../ts/kernel/runtime/document-files.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { knowledgeBasesOf } from "../../../ts/plugins/_shared/knowledge/settings.ts"
import signal from "../../../ts/plugins/signals/kb.ts"
import { documentWith } from "../../fakes/document.ts"
import { registry } from "../../fakes/registry.ts"
import { compileWith, createServices } from "../../fakes/services.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

/** Texts are angles: their vectors are alike by the cosine of their difference. */
const embed = (text: string): readonly number[] => {
  const angle = (Number.parseFloat(text) * Math.PI) / 180
  return [Math.cos(angle), Math.sin(angle)]
}
const manifest = {
  version: "1.0.0",
  labels: {
    east: { description: "Where the sun rises", exemplars: ["0"] },
    north: { exemplars: ["60", "60"] },
    west: { exemplars: ["180"] },
  },
}
const base = {
  name: "Ways",
  source: { path: "ways/" },
  threshold: 0.55,
  label_thresholds: { west: 0.9 },
  groups: { right: ["east", "north"], left: ["west"], up: ["north", "west"] },
  metrics: [{ name: "right_vs_left", type: "group_margin", positive_group: "right", negative_group: "left" }],
} as const
const rule = (name: string, kind: "label" | "group", value: string, match?: "best" | "threshold"): Rule => ({
  name,
  kb: "Ways",
  target: { kind, value },
  ...(match !== undefined && { match }),
})
const files: Readonly<Record<string, unknown>> = {
  "ways/labels.json": manifest,
  "two/labels.json": { labels: { mixed: { exemplars: ["0", "90"] } } },
}
const readFile = async (path: string): Promise<string> => {
  if (!Object.hasOwn(files, path)) throw new Error(`There is no file ${path}`)
  return JSON.stringify(files[path])
}

const read = async (rules: readonly Rule[], text: string, changes: object = {}): Promise<readonly Fact[]> =>
  (
    await readerOf(signal as never, {
      rules: rules as never,
      settings: [{ ...base, ...changes }] as never,
      inference: { embed },
      host: { readFile },
    })
  )(text)
const matching = async (...given: Parameters<typeof read>): Promise<readonly string[]> =>
  (await read(...given)).flatMap((fact) => (fact.state === "match" ? [fact.rule] : []))

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [rule("a", "label", "east"), rule("b", "group", "left", "best")],
    settings: [base] as never,
    host: { readFile },
  }))
    test(name, run)
})

describe("a rule", () => {
  const rules = [
    rule("east", "label", "east"),
    rule("north", "label", "north"),
    rule("right", "group", "right"),
    rule("left", "group", "left"),
  ]

  test("matches from the threshold of its label on, or of any label of its group", async () => {
    // cos 30° = 0.866 from east and from north; −0.866 from west.
    expect(await matching(rules, "30")).toEqual(["east", "north", "right"])
    // cos 60° = 0.5 from east is not enough.
    expect(await matching(rules, "60")).toEqual(["north", "right"])
    // cos 30° = 0.866 from west, which needs 0.9.
    expect(await matching(rules, "210")).toEqual([])
    expect(await matching(rules, "190")).toEqual(["left"])
  })

  test("has the similarity as confidence and number, a group that of its most similar label", async () => {
    const facts = await read(rules, "60")
    expect(facts.map(({ confidence, value }) => [confidence.toFixed(3), value?.toFixed(3)])).toEqual([
      ["0.500", "0.500"],
      ["1.000", "1.000"],
      ["1.000", "1.000"],
      ["0.000", "-0.500"],
    ])
  })

  test("of the best matches where nothing is more similar, whatever the threshold; groups may share the best", async () => {
    const best = [
      rule("east", "label", "east", "best"),
      rule("north", "label", "north", "best"),
      rule("right", "group", "right", "best"),
      rule("up", "group", "up", "best"),
      rule("left", "group", "left", "best"),
    ]
    // cos 40° = 0.766 from north, cos 100° from east.
    expect(await matching(best, "100")).toEqual(["north", "right", "up"])
    // Nothing is near: cos 80° = 0.17 from west is the best.
    expect(await matching(best, "260")).toEqual(["up", "left"])
  })

  test("gives the numbers of its knowledge base to scores", async () => {
    const [fact] = await read(rules, "60")
    // 1 from north, which is the best and matches; right 1 − left cos 120° = 1.5
    expect(fact?.values).toEqual({
      "ways:best_score": expect.closeTo(1, 5),
      "ways:best_matched_score": expect.closeTo(1, 5),
      "ways:right_vs_left": expect.closeTo(1.5, 5),
    })
    // cos 30° from west, which needs 0.9: nothing matches.
    expect((await read(rules, "210"))[0]?.values).toEqual({
      "ways:best_score": expect.closeTo(0.866025, 5),
      "ways:best_matched_score": 0,
      // Nothing on the right is nearer than cos 150°.
      "ways:right_vs_left": expect.closeTo(-0.866025 - 0.866025, 5),
    })
  })

  test("scores with the bank of its knowledge base", async () => {
    const scoring = { prototype_scoring: { best_weight: 0.5, top_m: 2 } }
    const mixed = { source: { path: "two" }, groups: {}, metrics: [], ...scoring }
    const [fact] = await read([rule("mixed", "label", "mixed")], "0", mixed)
    // 0.5·1 + 0.5·(1 + 0)/2
    expect(fact?.value).toBeCloseTo(0.75, 5)
  })

  test("matches nothing where there is no text", async () => {
    expect(await read(rules.slice(0, 1), " ")).toEqual([{ rule: "east", state: "no_match", confidence: 0, value: 0 }])
  })
})

test("the text is embedded once for all rules and knowledge bases", async () => {
  const inference = createFakeInference({ embed })
  const { document } = await resolveDocument(
    wrapDocument(
      documentWith({
        "global.model_catalog.kbs": [base, { ...base, name: "Again" }],
        "routing.signals.kb": [rule("a", "label", "east"), { ...rule("b", "label", "east"), kb: "Again" }],
        "routing.decisions.0.rules": { type: "kb", name: "a" },
      }),
    ),
    { source: "x", registry, environment: {}, readFile },
  )
  const { plan } = await compileWith(document, { services: createServices({ inference, readFile }) })
  expect(plan.signals.map(({ type, rules }) => [type, rules])).toEqual([["kb", ["a", "b"]]])
  let asked = 0
  const facts = await plan.signals[0]?.read(
    { text: "0" } as never,
    {
      embed: async (): Promise<Float32Array> => {
        asked += 1
        return Float32Array.of(1, 0)
      },
    } as never,
  )
  expect(asked).toBe(1)
  expect(facts).toHaveLength(2)
})

describe("a document", () => {
  const problems = async (changes: Readonly<Record<string, unknown>>, fromFile = readFile) => {
    const document = documentWith({
      "global.model_catalog.kbs": [structuredClone(base)],
      "routing.signals.kb": [rule("a", "label", "east")],
      ...changes,
    })
    try {
      const { warnings } = await resolveDocument(wrapDocument(document), {
        source: "config.yaml",
        registry,
        environment: {},
        readFile: fromFile,
      })
      return warnings.map(({ path, message }) => `warning: ${formatPath(path)}: ${message}`)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
    }
  }
  const at = "routing.signals.kb.0"
  const kbs = "global.model_catalog.kbs.0"

  test.each([
    [
      { [`${at}.kb`]: "ways" },
      `routing.signals.kb[0].kb: "ways" is not in global.model_catalog.kbs (did you mean "Ways"?)`,
    ],
    [{ [`${at}.target.value`]: "eastt" }, `"eastt" is no label of knowledge base "Ways" (did you mean "east"?)`],
    [{ [`${at}.target`]: { kind: "group", value: "rigth" } }, `"rigth" is no group of "Ways" (did you mean "right"?)`],
    [{ [`${kbs}.groups.right`]: ["east", "nroth"] }, `its group "right" is wrong: "nroth" is no label`],
    [{ [`${kbs}.label_thresholds`]: { nowhere: 0.5 } }, `its label_thresholds are wrong: "nowhere" is no label`],
    [{ [`${kbs}.metrics.0.positive_group`]: "nobody" }, `its metric "right_vs_left" is wrong: "nobody" is no group`],
    [{ "global.model_catalog.kbs": [base, base] }, `"Ways" is in global.model_catalog.kbs twice`],
    [{ [`${kbs}.threshold`]: 2 }, "threshold: must be"],
    [
      { [`${kbs}.source.path`]: "elsewhere" },
      `warning: routing.signals.kb[0].kb: Cannot load knowledge base "Ways": There is no file elsewhere/labels.json; rtr serve refuses`,
    ],
  ])("with %j is told what is wrong", async (changes, message) => {
    expect((await problems(changes)).join("\n")).toContain(message)
  })

  test("may have knowledge bases that no rule names, whose files are not read", async () => {
    const unused = { ...base, name: "Unused", source: { path: "nowhere" } }
    expect(await problems({ "global.model_catalog.kbs": [base, unused] })).toEqual([])
    expect(await problems({ "global.model_catalog.kbs": [], "routing.signals.kb": [] })).toEqual([])
  })

  test.each([
    ["[]", "has no labels"],
    ['{"labels": {}}', "has no labels"],
    ['{"labels": {"a": {"exemplars": []}}}', 'label "a" of ways/labels.json needs exemplars'],
    ['{"labels": {"a": {"exemplars": [" "]}}}', 'label "a" of ways/labels.json needs exemplars'],
    ["{", "ways/labels.json is no JSON"],
  ])("whose manifest is %s is told so", async (text, message) => {
    expect((await problems({}, async () => text)).join("\n")).toContain(message)
  })

  test("cannot be served where no files are read, or without the file", async () => {
    const { document } = await resolveDocument(
      wrapDocument(
        documentWith({
          "global.model_catalog.kbs": [base],
          "routing.signals.kb": [rule("a", "label", "east")],
          "routing.decisions.0.rules": { type: "kb", name: "a" },
        }),
      ),
      { source: "x", registry, environment: {} },
    )
    await expect(compileWith(document)).rejects.toThrow('knowledge base "Ways": this host reads no files')
    const missing = { readFile: () => Promise.reject(new Error("There is no file x")) }
    await expect(compileWith(document, { services: missing })).rejects.toThrow("There is no file x")
  })
})

describe("the built-in knowledge bases", () => {
  const root = join(import.meta.dirname, "../../..")

  test("have examples for every label of their groups", async () => {
    for (const { groups = {}, source } of knowledgeBasesOf(undefined)) {
      const { labels } = JSON.parse(readFileSync(join(root, "models", source.path, "labels.json"), "utf8")) as {
        labels: Readonly<Record<string, { exemplars: readonly string[] }>>
      }
      expect(new Set(Object.values(groups).flat())).toEqual(new Set(Object.keys(labels)))
      for (const { exemplars } of Object.values(labels)) expect(new Set(exemplars).size).toBeGreaterThan(5)
    }
  })

  test("are read where a document has none of that path beside it, and no other file is", async () => {
    const source = "/nowhere/config.yaml"
    expect(await readDocumentFile("knowledge_bases/privacy/labels.json", source)).toContain("prompt_injection")
    await expect(readDocumentFile("knowledge_bases/other/labels.json", source)).rejects.toThrow(
      "There is no file /nowhere/knowledge_bases/other/labels.json",
    )
    await expect(readDocumentFile("builtin.json", source)).rejects.toThrow("There is no file")
    await expect(readDocumentFile(".", source)).rejects.toThrow("/nowhere")
    await expect(readDocumentFile(".", join(root, "package.json"))).rejects.toThrow("Cannot read")
  })
})
