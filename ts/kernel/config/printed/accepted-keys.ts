// Adds to a schema what documents may have beside it: older spellings, and what is accepted with a warning.

import { keyAliases, pluginTypeAliases } from "../aliases.ts"
import { decisionKeys } from "../accepted/decision-keys.ts"
import { replicaKeys } from "../accepted/deployments.ts"
import { missingPlugins } from "../accepted/missing-plugins.ts"
import { missingSections } from "../accepted/missing-sections.ts"
import { modelKeys } from "../accepted/model-keys.ts"
import { asItIs, noEffect, wordsLeftOut } from "../accepted/no-effect.ts"
import type { Json } from "./printed-schema.ts"

type Change = (node: Json, key: string) => Json

/** `schema` is plain JSON. What it has already is never replaced. */
export function withAcceptedKeys(schema: Json): Json {
  const added: readonly (readonly [path: readonly string[], change: Change])[] = [
    ...[...missingSections, ...decisionKeys, ...modelKeys, ...replicaKeys].map(
      ({ path, schema: section = {}, without }) => [path.split("."), adding(section, without)] as const,
    ),
    ...noEffect.flatMap(({ keys, instead }) =>
      keys.flatMap(([section, names]) =>
        names
          .split(" ")
          .map((name) => [[...section.split("."), name], adding({}, `Has no effect: ${instead}`)] as const),
      ),
    ),
    ...asItIs.map(([path, value]) => [path.split("."), adding({ const: value }, "")] as const),
    ...wordsLeftOut.map(({ path, word }) => [path.split("."), addingWord(word)] as const),
    ...keyAliases.map(([parent, from, to]) => [[...parent, to], olderSpelling(from)] as const),
    [["routing", "decisions", "*", "plugins"], addingPlugins],
    [["recipes", "*", "routing", "decisions", "*", "plugins"], addingPlugins],
  ]
  const ofRecipes = added.filter(([[section], change]) => section === "routing" && change !== addingPlugins)
  return [...added, ...ofRecipes.map(([path, change]) => [["recipes", "*", ...path], change] as const)].reduce(
    (changed, [path, change]) => changeAt(changed, path, change),
    schema,
  )
}

/** Changes every object that can hold the last step of a path. A map on the way that the schema lacks is added. */
function changeAt(node: Json, [step = "", ...rest]: readonly string[], change: Change): Json {
  if (Array.isArray(node["anyOf"]))
    return { ...node, anyOf: node["anyOf"].map((variant: Json) => changeAt(variant, [step, ...rest], change)) }
  if (step === "" && rest.length === 0) return node
  const inside = (key: string, item: Json): Json => ({ ...node, [key]: changeAt(item, rest, change) })
  if (step === "*" && node["items"] !== undefined) return inside("items", node["items"] as Json)
  if (step === "*") {
    const { patternProperties } = node
    if (patternProperties === undefined) return node
    const values = Object.entries(patternProperties as Readonly<Record<string, Json>>)
    return {
      ...node,
      patternProperties: Object.fromEntries(values.map(([key, item]) => [key, changeAt(item, rest, change)])),
    }
  }
  if (node["type"] !== "object") return node
  if (rest.length === 0) return change(node, step)
  const properties = (node["properties"] ?? {}) as Readonly<Record<string, Json>>
  // Nothing is known of a list that the schema lacks.
  if (properties[step] === undefined && rest.includes("*")) return node
  return {
    ...node,
    properties: { ...properties, [step]: changeAt(properties[step] ?? { type: "object" }, rest, change) },
  }
}

const propertiesOf = (node: Json): Readonly<Record<string, Json>> =>
  (node["properties"] ?? {}) as Readonly<Record<string, Json>>

const adding =
  (schema: object, description: string): Change =>
  (node, key) => {
    const properties = propertiesOf(node)
    const added = description === "" ? schema : { description, ...schema }
    return Object.hasOwn(properties, key) ? node : { ...node, properties: { ...properties, [key]: added } }
  }

const olderSpelling =
  (from: string): Change =>
  (node, to) => {
    const schema = propertiesOf(node)[to]
    return schema === undefined
      ? node
      : adding({ ...schema, deprecated: true }, `The older spelling of ${to}`)(node, from)
  }

const addingWord =
  (word: string): Change =>
  (node, key) => {
    const properties = propertiesOf(node)
    const words = properties[key]?.["enum"]
    return Array.isArray(words) && !words.includes(word)
      ? { ...node, properties: { ...properties, [key]: { ...properties[key], enum: [...words, word] } } }
      : node
  }

/** Plugins of the format that the router lacks, and the older names of those that it has. */
function addingPlugins(decision: Json, key: string): Json {
  const properties = propertiesOf(decision)
  const list = properties[key] as { readonly items?: { readonly anyOf?: readonly Json[] } } | undefined
  const variants = list?.items?.anyOf ?? []
  const typeOf = (variant: Json): unknown => propertiesOf(variant)["type"]?.["const"]
  const types = new Set(variants.map(typeOf))
  const missing = Object.entries(missingPlugins).flatMap(([type, { options, without }]) =>
    types.has(type) ? [] : [variantOf(type, options, without)],
  )
  const all = [...variants, ...missing]
  const older = Object.entries(pluginTypeAliases).flatMap(([from, to]) => {
    const current = all.find((variant) => typeOf(variant) === to)
    const { configuration } = current === undefined ? {} : propertiesOf(current)
    return configuration === undefined ? [] : [variantOf(from, configuration, `The older spelling of ${to}`)]
  })
  return { ...decision, properties: { ...properties, [key]: { ...list, items: { anyOf: [...all, ...older] } } } }
}

const variantOf = (type: string, configuration: object, description: string): Json => ({
  type: "object",
  description,
  additionalProperties: false,
  required: ["type"],
  properties: { type: { type: "string", const: type }, configuration },
})
