// Takes out of a document what has no effect here, and says so: keys of another runtime, and parts that the router does not
// have. What the schema knows is never touched.

import type { DocumentPath } from "../../error.ts"
import type { Work } from "../../host/work.ts"
import { invalid, type Problem, reportInto } from "../../schema/problem.ts"
import { emptyMeans } from "../../schema/shapes.ts"
import type { validate, validateInSteps } from "../../schema/validate.ts"
import type { valueAt } from "../../schema/value-at.ts"
import { isKnownKey, matches, unsupportedIn } from "../unsupported.ts"
import { missingPluginOf } from "./missing-plugins.ts"
import { decisionKeys } from "./decision-keys.ts"
import { foreignDeployments, replicaKeys } from "./deployments.ts"
import { type MissingSection, missingSections } from "./missing-sections.ts"
import { asItIs, noEffect, wordsLeftOut } from "./no-effect.ts"
import { type LeftOut, type MissingParts, tellLeftOut } from "./left-out.ts"
import { modelKeys } from "./model-keys.ts"
import { isMap, type Json, pluginsIn } from "./plugins-in.ts"

export interface AcceptOptions {
  readonly validate: typeof validate
  readonly validateInSteps: typeof validateInSteps
  readonly valueAt: typeof valueAt
  readonly missing: MissingParts
}

export interface Accepted {
  readonly leftOut: readonly DocumentPath[]
  /** Plugins that get an empty configuration, because they have none. */
  readonly emptied: readonly DocumentPath[]
  readonly problems: readonly Problem[]
}

/** Judges every key that `schema` refuses in `document`, whose references to the environment are expanded. */
export function* acceptDocument(
  document: unknown,
  schema: Parameters<typeof validate>[0],
  { validate, validateInSteps, valueAt, missing }: AcceptOptions,
): Work<Accepted> {
  const found: LeftOut[] = []
  const silent: DocumentPath[] = []
  const problems: Problem[] = []
  const unsupported = unsupportedIn(document)
  const foreign = foreignDeployments(document)
  const wrongIn = (section: MissingSection, value: unknown, path: DocumentPath): readonly Problem[] => {
    const wrong = section.schema === undefined || value === null ? [] : [...validate(section.schema, value, path)]
    if (wrong.length === 0 && value !== null)
      section.check?.(value, reportInto(wrong, path), valueAt(document, path.slice(0, 3)), document)
    return wrong
  }
  const judge = (path: DocumentPath, isTold: boolean): void => {
    if (foreign.covers(path)) return
    const value = valueAt(document, path)
    if (asItIs.some(([pattern, same]) => value === same && matches(pattern, path))) return void silent.push(path)
    const section = sections.find(({ path: pattern }) => matches(pattern, path))
    if (section !== undefined) {
      const asked = asks(value, section.asks)
      if (asked || section.isStrict === true) problems.push(...wrongIn(section, value, path))
      if (!asked || section.isData === true) return void silent.push(path)
      return void found.push({ path, reason: section })
    }
    const advice = noEffect.find(({ keys }) => keys.some(([at, names]) => hasKey(at, names, path)))
    if (advice !== undefined) return void found.push({ path, reason: advice })
    if (isKnownKey(path, document) && !asks(value)) return void silent.push(path)
    if (isMap(value) && tablesGoBelow(path)) {
      silent.push(path)
      for (const key of Object.keys(value)) judge([...path, key], false)
    } else if (!isTold) problems.push(unsupported(path) ?? invalid(path, "is not a known key"))
  }
  yield* validateInSteps(schema, document, [], (path, { what, value, node }) => {
    if (what === "key") judge(path, true)
    // YAML reads a key with nothing behind it as null, which is the same as none.
    else if (what === "type" && value === null && typeof path.at(-1) === "string" && !(emptyMeans in node))
      silent.push(path)
    else if (what === "word") {
      const known = wordsLeftOut.find(
        // A position behind a word (`rocm:1`) makes it no other word.
        ({ path: pattern, word }) => String(value).replace(/:\d+$/, "") === word && matches(pattern, path),
      )
      if (known !== undefined && !foreign.covers(path)) found.push({ path, word: known.word, reason: known.reason })
    }
    return undefined
  })
  const plugins = pluginsIn(document)
  const bare = plugins.filter(({ hasConfiguration }) => !hasConfiguration)
  for (const { path, type } of bare)
    problems.push({
      ...invalid(path, `plugin "${type}" has no configuration; it does what it does by default`),
      severity: "warning",
    })
  for (const { path, type, configuration, decision } of plugins) {
    const plugin = missingPluginOf(type)
    if (plugin?.asks(configuration) === true) found.push({ path, reason: plugin, plugin: { type, decision } })
    // Whoever switched it off knows; whoever left the switch out may take it for working.
    else if (plugin !== undefined && configuration["enabled"] === undefined)
      problems.push({
        ...invalid(path, `plugin "${type}" is not supported yet, and without enabled: true it does nothing`),
        severity: "warning",
      })
  }
  found.push(...foreign.leftOut)
  problems.push(...foreign.problems)
  const leftOut = found.flatMap(({ path, plugin }) => (plugin === undefined ? [path] : []))
  return {
    leftOut: [...silent, ...leftOut],
    emptied: bare.map(({ path }) => path),
    problems: [...problems, ...tellLeftOut(found, missing)],
  }
}

/** Whether a section wants anything: one that is empty or switched off does not, nor a list of such entries. */
function asks(value: unknown, ifMap?: (section: Json) => boolean): boolean {
  if (value === null || value === undefined) return false
  if (Array.isArray(value)) return ifMap === undefined ? value.length > 0 : value.some((each) => asks(each, ifMap))
  if (!isMap(value)) return true
  const { enabled } = value
  return Object.keys(value).length > 0 && enabled !== false && enabled !== "false" && (ifMap?.(value) ?? true)
}

export const hasKey = (section: string, names: string, path: DocumentPath): boolean =>
  names.split(" ").includes(String(path.at(-1))) &&
  (section === "" ? path.length === 1 : matches(section, path.slice(0, -1)))

const sections: readonly MissingSection[] = [...missingSections, ...decisionKeys, ...modelKeys, ...replicaKeys]

const patterns: readonly (readonly string[])[] = [
  ...noEffect.flatMap(({ keys }) => keys.map(([section]) => `${section}.`)),
  ...sections.map(({ path }) => path),
  ...asItIs.map(([path]) => path),
].map((pattern) => pattern.split("."))

/** Whether some entry of the tables is below a place. */
const tablesGoBelow = (path: DocumentPath): boolean =>
  patterns.some(
    (steps) =>
      steps.length > path.length && path.every((step, index) => steps[index] === "*" || steps[index] === String(step)),
  )
