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
