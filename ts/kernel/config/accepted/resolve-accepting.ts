// The second look at a document that was refused: what the format knows and the router does not have is told apart from what
// is wrong. Documents that need none of this never load it.

import type { DocumentPath } from "../../error.ts"
import { formatPath } from "../../schema/problem.ts"
import type { Registry } from "../../modules/registry.ts"
import type { RegisteredModule } from "../../types/module.ts"
import type { PluginModule } from "../../types/plugin.ts"
import { explainIn } from "../explain.ts"
import type { ResolvedDocument, ResolveOptions } from "../resolve.ts"
import type { SourceDocument } from "../source-document.ts"
import { acceptDocument } from "./accept.ts"
import type { MissingParts } from "./left-out.ts"
import { missingPluginOf, missingPlugins } from "./missing-plugins.ts"
import { pluginsIn } from "./plugins-in.ts"

type Resolve = (document: SourceDocument, options: ResolveOptions) => ResolvedDocument | Promise<ResolvedDocument>

/** Resolves a document by `resolve`, without what has no effect here; the warnings say what that is. */
export async function resolveAccepting(
  resolve: Resolve,
  document: SourceDocument,
  options: ResolveOptions,
  missing: MissingParts,
): Promise<ResolvedDocument> {
  const registry = withMissingPlugins(options.registry)
  const resolved = await resolve(document, {
    ...options,
    registry,
    explainIn,
    accept({ expanded, written, schema, ...tools }) {
      const { leftOut, problems } = acceptDocument(expanded.value, schema, { ...tools, missing })
      const gone = new Set(leftOut.map(formatPath))
      return {
        expanded: {
          ...expanded,
          value: without(expanded.value, gone),
          unset: expanded.unset.filter(
            ({ path }) => !path.some((_, index) => gone.has(formatPath(path.slice(0, index + 1)))),
          ),
        },
        written: without(written, gone),
        problems,
      }
    },
  })
  // A plugin that is not there has been checked; nothing runs for it.
  return { ...resolved, document: withoutPlugins(resolved.document, options.registry) }
}

/** The registry with a stand-in for each plugin that it lacks, so that documents are checked as if it were there. */
function withMissingPlugins(registry: Registry): Registry {
  const added = new Map(
    Object.entries(missingPlugins).flatMap(([id, { options, check }]) => {
      if (registry.find("plugin", id) !== undefined) return []
      const module: PluginModule = {
        kind: "plugin",
        about: `Stands in for ${id}`,
        options,
        hooks: [],
        ...(check !== undefined && { check }),
        setup: () => ({ open: () => ({}) as never }),
      }
      return [[id, { id, module, source: "builtin" } as RegisteredModule<PluginModule>] as const]
    }),
  )
  return {
    all: (kind) => (kind === "plugin" ? [...registry.all(kind), ...added.values()] : registry.all(kind)) as never,
    find: (kind, id) => registry.find(kind, id) ?? ((kind === "plugin" ? added.get(id) : undefined) as never),
  }
}

/** A copy without the keys and entries at these places. */
function without(value: unknown, gone: ReadonlySet<string>, path: DocumentPath = []): unknown {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value))
    return value.flatMap((item, index) => {
      const at = [...path, index]
      return gone.has(formatPath(at)) ? [] : [without(item, gone, at)]
    })
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const at = [...path, key]
      return gone.has(formatPath(at)) ? [] : [[key, without(item, gone, at)]]
    }),
  )
}

/** The document without the plugins that no module runs. */
function withoutPlugins<Document>(document: Document, registry: Registry): Document {
  const missed = pluginsIn(document).filter(
    ({ type }) => missingPluginOf(type) !== undefined && registry.find("plugin", type) === undefined,
  )
  return without(document, new Set(missed.map(({ path }) => formatPath(path)))) as Document
}
