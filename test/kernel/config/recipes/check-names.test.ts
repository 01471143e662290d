// Names of recipes and entrypoints, and that problems in a recipe are told of by its place.

import { ConfigError, createKernel, formatPath } from "rtr"
import { describe, expect, onTestFinished, test } from "vitest"
import { documentWith } from "../../../fakes/document.ts"

const keyword = (...keywords: string[]) => [{ name: "urgent", operator: "OR", keywords }]
const rush = (model: string, more: object = {}) => ({
  name: "rush",
  rules: { type: "keyword", name: "urgent" },
  modelRefs: [{ model }],
  ...more,
})

const twoProfiles = {
  recipes: [
    { name: "private", routing: { signals: { keywords: keyword("passport") }, decisions: [rush("small")] } },
    { name: "unused", routing: {} },
  ],
  entrypoints: [
    { model_names: [" acme/private ", "acme/p", "acme/p"], recipe: "private" },
    { model_names: ["acme/main"], recipe: "default" },
  ],
}

/** The problems of a refused document, as `path: message`. */
async function problemsOf(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  try {
    const kernel = await createKernel({ config: documentWith(changes) })
    onTestFinished(() => kernel.close())
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, message }) => `${formatPath(path)}: ${message}`)
  }
}

describe("refused", () => {
  test("are names that are taken or lead nowhere, and parts of recipes by their place", async () => {
    const problems = await problemsOf({
      "routing.modelCards": [{ name: "small", loras: [{ name: "tuned" }] }, { name: "listed" }],
      recipes: [
        { name: "one", routing: { decisions: [rush("nobody"), rush("small")] } },
        { name: "one", routing: { modelCards: [] } },
        { name: " two " },
        { name: "default", routing: {} },
        { name: "three", routing: { signals: { keyword: [] } } },
      ],
      entrypoints: [
        { model_names: ["a", "tuned", "listed"], recipe: "one" },
        { model_names: ["a", " ", "auto", "large"], recipe: "tree" },
        { model_names: [], recipe: "one", colour: "red" },
      ],
    })
    expect(problems.toSorted()).toEqual(
      [
        'recipes[0].routing.decisions[0].modelRefs[0].model: "nobody" is not in providers.models',
        'recipes[0].routing.decisions[0].rules.name: refers to keyword rule "urgent", which routing.signals does not declare',
        'recipes[0].routing.decisions[1].rules.name: refers to keyword rule "urgent", which routing.signals does not declare',
        'recipes[0].routing.decisions[1].name: "rush" is used already by decisions[0]',
        'recipes[1].name: "one" is the name of recipes[0] already',
        "recipes[1].routing.modelCards: belongs to routing.modelCards, which all recipes share",
        'recipes[2].name: " two " has spaces around it',
        'recipes[3].name: "default" is the profile that routing has, with signals, decisions; move all of it into this recipe, or give the recipe another name',
        'recipes[4].routing.signals.keyword: is not a known key (did you mean "keywords"?)',
        'entrypoints[0].model_names[1]: "tuned" is a LoRA already; choose another name',
        'entrypoints[0].model_names[2]: "listed" is a model card already; choose another name',
        'entrypoints[1].model_names[0]: "a" is a name of entrypoints[0] already',
        "entrypoints[1].model_names[1]: is empty; write a name that clients use as model",
        'entrypoints[1].model_names[2]: "auto" is a name of automatic routing already; choose another name',
        'entrypoints[1].model_names[3]: "large" is a model of providers.models already; choose another name',
        'entrypoints[1].recipe: "tree" is not in recipes (did you mean "three"?)',
        "entrypoints[2].model_names: must not have fewer than 1 items",
        "entrypoints[2].colour: is not a known key; known keys: name, description, model_names, recipe",
      ].toSorted(),
    )
  })

  test("are sections of another shape, and a grant of a name that nobody has", async () => {
    expect(await problemsOf({ recipes: { name: "one" }, entrypoints: "all" })).toEqual([
      "entrypoints: must be a list, got a string",
      "recipes: must be a list, got a map",
    ])
    expect(await problemsOf({ recipes: [3, { name: "one", routing: [] }] })).toEqual([
      "recipes[1].routing: must be a map, got a list",
      "recipes[0]: must be a map, got a number",
    ])
    expect(await problemsOf({ ...twoProfiles, "listeners.0.models": ["acme/privat"] })).toEqual([
      'listeners[0].models[0]: "acme/privat" is neither a name of automatic routing nor in providers.models or global.model_catalog.deployments (did you mean "acme/private"?)',
    ])
  })
})

describe("what all profiles share is told once", () => {
  test("with the variable that is not set", async () => {
    expect(await problemsOf({ ...twoProfiles, "listeners.0.api_keys": ["${NOBODY_SETS_THIS}"] })).toEqual([
      "listeners[0].api_keys[0]: must not be empty; environment variable NOBODY_SETS_THIS is not set",
    ])
  })

  test("a strategy of routing where it is written", async () => {
    const refused = 'must be "priority" or "confidence", got "prio"'
    const own = { name: "own", routing: { strategy: "prio" } }
    expect(
      await problemsOf({ "routing.strategy": "prio", recipes: [{ name: "one" }, { name: "two", routing: {} }, own] }),
    ).toEqual([`routing.strategy: ${refused}`, `recipes[2].routing.strategy: ${refused}`])
  })
})

test("empty sections are as good as none, and a document of recipes alone is one", async () => {
  expect(await problemsOf({ recipes: null, entrypoints: null })).toEqual([])
  expect(await problemsOf({ routing: undefined, recipes: [], entrypoints: [] })).toEqual([])
  expect(
    await problemsOf({
      routing: undefined,
      recipes: [{ name: "one", routing: { decisions: [{ name: "all", modelRefs: [{ model: "small" }] }] } }],
    }),
  ).toEqual([])
})
