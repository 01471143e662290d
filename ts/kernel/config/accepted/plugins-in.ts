// Finds the decision plugins of a document whose shape nobody has checked.

import type { DocumentPath } from "../../error.ts"

export type Json = Readonly<Record<string, unknown>>

export interface PluginAt {
  readonly path: DocumentPath
  readonly type: string
  /** Empty where it has none. */
  readonly configuration: Json
  readonly hasConfiguration: boolean
  /** Name of its decision. */
  readonly decision: string
}

/** Every plugin of a decision, of the document and of its recipes. */
export function pluginsIn(document: unknown): readonly PluginAt[] {
  const { routing, recipes } = mapOf(document)
  const profiles: readonly (readonly [path: DocumentPath, profile: unknown])[] = [
    [["routing"], routing],
    ...listOf(recipes).flatMap((recipe, index): readonly (readonly [DocumentPath, unknown])[] => [
      [["recipes", index], recipe],
      [["recipes", index, "routing"], mapOf(recipe)["routing"]],
    ]),
  ]
  return profiles.flatMap(([path, profile]) =>
    listOf(mapOf(profile)["decisions"]).flatMap((entry, index) => {
      const { name, plugins } = mapOf(entry)
      const decision = typeof name === "string" ? name : String(index)
      return listOf(plugins).flatMap((plugin, position) => {
        const { type, configuration } = mapOf(plugin)
        const at = [...path, "decisions", index, "plugins", position]
        const hasConfiguration = configuration !== undefined && configuration !== null
        return typeof type === "string"
          ? [{ path: at, type, configuration: mapOf(configuration), hasConfiguration, decision }]
          : []
      })
    }),
  )
}

export const isMap = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const mapOf = (value: unknown): Json => (isMap(value) ? value : {})
