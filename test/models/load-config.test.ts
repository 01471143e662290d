import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { loadConfig } from "rtr/node"
import type { ConfigError } from "rtr"
import { expect, test } from "vitest"
import { documentWith } from "../fakes/document.ts"
import { emptyFolder } from "../fakes/hub.ts"

function write(document: object): string {
  const path = join(emptyFolder(), "config.yaml")
  writeFileSync(path, JSON.stringify(document, null, 1))
  return path
}

test("packages that have no such head, or are none, are listed with their places", async () => {
  const path = write(
    documentWith({
      "global.model_catalog": {
        deployments: { guard: { artifact: "signals" }, other: { artifact: "sgnals" } },
        bindings: {
          prompt_guard: { deployment: "guard", head: "jailbrake" },
          domain_classifier: { deployment: "default", head: "domain" },
        },
      },
    }),
  )
  const error = (await loadConfig(path).catch((cause: unknown) => cause)) as ConfigError
  expect(error.problems).toMatchObject([
    {
      path: ["global", "model_catalog", "deployments", "other", "artifact"],
      message: expect.stringMatching(/^"sgnals" is neither a built-in package .*did you mean "signals"/),
      position: { line: expect.any(Number) },
    },
    {
      path: ["global", "model_catalog", "bindings", "prompt_guard", "head"],
      message: expect.stringMatching(
        /^"jailbrake" is not a head of deployment "guard" that answers with classes: there is "domain", "jailbreak", .*did you mean "jailbreak"/,
      ),
      position: { line: expect.any(Number) },
    },
  ])
})

test("a relative package is read beside the document", async () => {
  const path = write(
    documentWith({
      "global.model_catalog": {
        deployments: { own: { artifact: "./own" } },
        bindings: { domain_classifier: { deployment: "own", head: "subject" } },
      },
    }),
  )
  const folder = join(path, "..", "own")
  mkdirSync(folder)
  const heads = [{ name: "topic", kind: "sequence", labels: ["shop", "talk"] }]
  writeFileSync(join(folder, "rtrun.json"), JSON.stringify({ family: "embeddings", heads }))
  await expect(loadConfig(path)).rejects.toMatchObject({
    problems: [{ message: expect.stringContaining('"subject" is not a head of deployment "own"') }],
  })
})

test("a head that lacks a label of a rule, or has others than a classifier, is refused with the labels that it has", async () => {
  const classifier = (name: string, labels: readonly string[]): object => ({ name, type: "local", labels })
  const asked = (name: string, label: string): object => ({ type: "classifier", name, label })
  const harmful = { name: "harmful", threshold: 0.5 }
  const path = write(
    documentWith({
      "routing.signals": {
        classifiers: [
          classifier("good", ["shop", "talk"]),
          classifier("misspelt", ["shop", "tallk"]),
          classifier("few", ["shop"]),
        ],
        safety: [
          { ...harmful, labels: ["shop", "talk"], unsafe_labels: ["talk"] },
          { ...harmful, name: "usual" },
        ],
        jailbreak: [{ name: "attack" }],
      },
      "routing.decisions.0.rules": {
        operator: "OR",
        conditions: [asked("good", "shop"), { type: "safety", name: "harmful" }, { type: "jailbreak", name: "attack" }],
      },
      "global.model_catalog": {
        deployments: { own: { artifact: "./own" } },
        bindings: { classifier: { deployment: "own" }, safety: { deployment: "own", head: "topic" } },
        modules: { prompt_guard: { positive_labels: ["jailbrake"] } },
      },
    }),
  )
  const folder = join(path, "..", "own")
  mkdirSync(folder)
  const heads = [{ name: "topic", kind: "sequence", labels: ["shop", "talk"] }]
  writeFileSync(join(folder, "rtrun.json"), JSON.stringify({ family: "embeddings", heads }))
  const error = (await loadConfig(path).catch((cause: unknown) => cause)) as ConfigError
  const at = "global.model_catalog.bindings."
  expect(error.problems.map((each) => `${each.path.join(".").replace(at, "")}: ${each.message}`).toSorted()).toEqual([
    'classifier.few.head: must be a head with no labels but those of rule "few"; that of deployment "own" also has "talk"',
    'classifier.misspelt.head: must be a head with the label "tallk", which rule "misspelt" asks for; that of deployment "own" has "shop", "talk" (did you mean "talk"?)',
    'prompt_guard.head: must be a head with the label "jailbrake", which rule "attack" asks for; that of deployment "default" has "benign", "jailbreak" (did you mean "jailbreak"?)',
    'safety.usual.head: must be a head with the label "unsafe", which rule "usual" asks for; that of deployment "own" has "shop", "talk"',
  ])
})

test("a head without the labels that a built-in signal reads is refused", async () => {
  const bindings = ["fact_check_classifier", "feedback_detector", "modality_detector"]
  const conditions = [
    { type: "fact_check", name: "needs_fact_check" },
    { type: "user_feedback", name: "satisfied" },
    { type: "modality", name: "AR" },
  ]
  const path = write(
    documentWith({
      "routing.decisions.0.rules": { operator: "OR", conditions },
      "routing.signals": {
        fact_check: [{ name: "needs_fact_check" }],
        user_feedbacks: [{ name: "satisfied" }],
        modality: [{ name: "AR" }],
      },
      "global.model_catalog.bindings": Object.fromEntries(
        bindings.map((name) => [name, { deployment: "default", head: "jailbreak" }]),
      ),
    }),
  )
  const error = (await loadConfig(path).catch((cause: unknown) => cause)) as ConfigError
  expect(error.problems.map((each) => each.message.replace(/, which.*/s, ""))).toEqual([
    'must be a head with the label "fact_check"',
    'must be a head with the label "SAT"',
    'must be a head with the label "AR"',
  ])
})

test("a binding of typed questions needs a package that answers them", async () => {
  const bound = (artifact: string): Promise<unknown> =>
    loadConfig(
      write(
        documentWith({
          "global.model_catalog": {
            deployments: { asked: { artifact } },
            bindings: { decision_model: { deployment: "asked" } },
          },
        }),
      ),
    )
  await expect(bound("decide")).resolves.toBeDefined()
  await expect(bound("guard")).rejects.toMatchObject({
    problems: [
      {
        path: ["global", "model_catalog", "bindings", "decision_model", "deployment"],
        message: '"asked" must answer typed questions, and its package does not; use one that does, such as decide',
      },
    ],
  })
})

test("a selector that asks typed questions needs such a package, too", async () => {
  const asking = (deployment: string): Promise<unknown> =>
    loadConfig(
      write(
        documentWith({
          "global.model_catalog.deployments": { asked: { artifact: "decide" }, other: { artifact: "guard" } },
          "routing.decisions.0.algorithm": { type: "decision", decision: { deployment } },
        }),
      ),
    ).catch(({ problems }: ConfigError) => problems.map(({ path, message }) => [path.join("."), message]))
  const said = [
    "routing.decisions.0.algorithm.decision.deployment",
    '"other" must answer typed questions, and its package does not; use one that does, such as decide',
  ]
  expect(await asking("other")).toContainEqual(said)
  expect(await asking("asked")).not.toContainEqual(said)
})

test("a domain that is no label of its model is told of", async () => {
  const path = write(documentWith({ "routing.signals.domains": [{ name: "computer scince" }] }))
  expect((await loadConfig(path)).warnings).toMatchObject([
    {
      path: ["routing", "signals", "domains", 0, "name"],
      message: expect.stringMatching(
        /^"computer scince" is no label of the domain model.*never matches.*did you mean "computer science"/,
      ),
    },
  ])
})
