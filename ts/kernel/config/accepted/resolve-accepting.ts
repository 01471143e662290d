// The second look at a document that was refused: what the format knows and the router does not have is told apart from what
// is wrong. Documents that need none of this never load it.

import type { DocumentPath } from "../../error.ts"
import { formatPath, type Problem } from "../../schema/problem.ts"
import type { Registry } from "../../modules/registry.ts"
import type { RegisteredModule } from "../../types/module.ts"
import type { PluginModule } from "../../types/plugin.ts"
import type { validate, validateInSteps } from "../../schema/validate.ts"
import type { withValuesAt } from "../../schema/with-values.ts"
import type { valueAt } from "../../schema/value-at.ts"
import type { SourceDocument } from "../source-document.ts"
import type { MaybePromise } from "../../types/module-base.ts"
import type { Aliased, applyAliases } from "../aliases.ts"
import type { doWork, Work } from "../../host/work.ts"
import type { documentSchema } from "../document-schema.ts"
import type { expandEnvironment } from "../environment.ts"
import { explainIn } from "../explain.ts"
import type { resolveDocument, ResolvedDocument, ResolveOptions } from "../resolve.ts"
import { acceptDocument } from "./accept.ts"
import { expandIterations } from "./candidate-iterations.ts"
import { expandCatalog } from "./catalogue.ts"
import { expandForeignClassifiers, expandReplicas } from "./deployments.ts"
import { expandFormats } from "./formats.ts"
import { expandIndices } from "./indices.ts"
import type { MissingParts } from "./left-out.ts"
import { missingPluginOf, missingPlugins } from "./missing-plugins.ts"
import { pluginsIn } from "./plugins-in.ts"
import { asWritten } from "./as-written.ts"

/** What the rest of the kernel has loaded already; importing it here would make chunks of their own of it on edge hosts. */
export interface AcceptTools {
  readonly resolveDocument: typeof resolveDocument
  readonly applyAliases: typeof applyAliases
  readonly expandEnvironment: typeof expandEnvironment
  readonly documentSchema: typeof documentSchema
  readonly validate: typeof validate
  readonly validateInSteps: typeof validateInSteps
  readonly withValuesAt: typeof withValuesAt
  readonly doWork: typeof doWork
  readonly valueAt: typeof valueAt
}

type Resolve = typeof resolveDocument

/**
 * Resolves a document without what has no effect here; the warnings say what that is. `resolve` resolves all of it, its
 * profiles one by one, each by the function that it is given.
 */
export async function resolveAccepting(
  resolve: (by: Resolve, options: ResolveOptions) => MaybePromise<ResolvedDocument>,
  options: ResolveOptions,
  { missing, ...tools }: AcceptTools & { readonly missing: MissingParts },
): Promise<ResolvedDocument> {
  const registry = withMissingPlugins(options.registry)
  /** One document of the format that the router has, and what is said of the rest. */
  function* withoutEffectless(
    asRead: SourceDocument,
    given: ResolveOptions,
  ): Work<{ readonly source: SourceDocument; readonly problems: readonly Problem[] }> {
    const schema = tools.documentSchema(registry, given.schema)
    const source = yield* asWritten(asRead, schema, tools)
    const { value, written } = tools.applyAliases(source.value)
    yield
    const expanded = tools.expandEnvironment(value, given.environment)
    yield
    const { leftOut, emptied, problems } = yield* acceptDocument(expanded.value, schema, { ...tools, missing })
    yield
    const kept = changed(writtenOut(source.value), placesOf(leftOut, written), placesOf(emptied, written))
    return { source: { ...source, value: kept }, problems }
  }
  const resolved = await resolve(
    async (asRead, given) => {
      const { source, problems } = await tools.doWork(asRead.isLong, withoutEffectless(asRead, given))
      return tools.resolveDocument(source, { ...given, problems: [...(given.problems ?? []), ...problems] })
    },
    { ...options, registry, explainIn: (document, schema) => explainIn(document, schema, options.registry) },
  )
  // A plugin that is not there has been checked; nothing runs for it.
  return { ...resolved, document: withoutPlugins(resolved.document, options.registry) }
}

/** A document without the keys that only stand for others. What they stand for comes behind what is there, which keeps its place. */
const writtenOut = (document: unknown): unknown =>
  [expandIterations, expandCatalog, expandIndices, expandReplicas, expandForeignClassifiers, expandFormats].reduce(
    (expanded, expand) => expand(expanded),
    document,
  )

/** Paths of the document as it is written. */
const placesOf = (paths: readonly DocumentPath[], written: Aliased["written"]): ReadonlySet<string> =>
  new Set(paths.map((path) => formatPath(written(path))))

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
    ...registry,
    all: (kind) => (kind === "plugin" ? [...registry.all(kind), ...added.values()] : registry.all(kind)) as never,
    find: (kind, id) => registry.find(kind, id) ?? ((kind === "plugin" ? added.get(id) : undefined) as never),
  }
}

/** A copy without the keys and entries at some places, and with an empty configuration at others. */
function changed(
  value: unknown,
  gone: ReadonlySet<string>,
  emptied: ReadonlySet<string> = new Set(),
  path: DocumentPath = [],
): unknown {
  if (typeof value !== "object" || value === null) return value
  const below = (key: string | number, item: unknown): readonly unknown[] => {
    const at = [...path, key]
    return gone.has(formatPath(at)) ? [] : [changed(item, gone, emptied, at)]
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => below(index, item))
  const entries = Object.entries(value).flatMap(([key, item]) => below(key, item).map((kept) => [key, kept]))
  return Object.fromEntries(emptied.has(formatPath(path)) ? [...entries, ["configuration", {}]] : entries)
}

/** The document without the plugins that no module runs. */
function withoutPlugins<Document>(document: Document, registry: Registry): Document {
  const missed = pluginsIn(document).filter(
    ({ type }) => missingPluginOf(type) !== undefined && registry.find("plugin", type) === undefined,
  )
  return changed(document, new Set(missed.map(({ path }) => formatPath(path)))) as Document
}
