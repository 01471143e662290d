// From the text of a document to a checked, canonical one: a fixed list of steps that reports every problem at once.

import type { TProperties } from "typebox"
import type { DocumentPath } from "../error.ts"
import type { Registry } from "../modules/registry.ts"
import { invalid, type Position, type Problem, suggestion } from "../schema/problem.ts"
import { type Explain, validateInSteps } from "../schema/validate.ts"
import { doWork, type Work } from "../host/work.ts"
import { valueAt } from "../schema/value-at.ts"
import { withValuesAt } from "../schema/with-values.ts"
import { applyAliases } from "./aliases.ts"
import { canonicalDocument } from "./canonical.ts"
import { checkDocument } from "./check.ts"
import { ConfigError } from "./config-error.ts"
import type { SourceDocument } from "./source-document.ts"
import type { MaybePromise } from "../types/module-base.ts"
import type { ReadDocumentFile } from "../types/signal.ts"
import { type Environment, expandEnvironment, pathKey } from "./environment.ts"
import { type ConfigDocument, documentSchema } from "./document-schema.ts"
import type { LaterProblems } from "./module-problems.ts"
import type { ReadHeads } from "./package-heads.ts"
import { redactedProblems } from "./redacted.ts"
import { showReferences } from "./reading/shown-references.ts"

export interface ResolvedDocument {
  /** Canonical, with environment references expanded. Holds secrets; never print it. */
  readonly document: ConfigDocument
  /** Canonical, with environment references as written. May hold secrets all the same; print it through `redactSecrets`. */
  readonly unexpanded: ConfigDocument
  readonly warnings: readonly Problem[]
  /** What only a module that was not loaded could judge. */
  readonly unchecked?: readonly Problem[]
  /** Where a path of the document stands in the text. */
  readonly locate: (path: DocumentPath) => Position | undefined
}

export interface OnlyCheck {
  /** Whether a problem at this path may be none with the modules that are not loaded; left out when all are. */
  readonly mayBeOfModule?: (path: DocumentPath, document: unknown, registry: Registry, schema: object) => boolean
  /** What this host lacks is a warning, as is every value that is wrong because its variable is not set. */
  readonly checkHost?: CheckHost
}

/** What a document needs of its host and does not find there, such as the variables of its keys. */
export type CheckHost = (document: ConfigDocument, environment: Environment, registry: Registry) => readonly Problem[]

export interface ResolveOptions {
  readonly source: string
  readonly registry: Registry
  readonly environment: Environment
  /** Left out on hosts that have no packages. */
  readonly readHeads?: ReadHeads
  /** Reads files that the document names. Left out on hosts that read none. */
  readonly readFile?: ReadDocumentFile | undefined
  /** Explains what the schema refuses. Without it, every key that the schema lacks is unknown. */
  readonly explainIn?: (document: unknown, schema: object) => Explain
  /** Schemas of further sections. */
  readonly schema?: TProperties
  /** What others have found wrong with the document. */
  readonly problems?: readonly Problem[]
  /** Where given, what the host lacks is a problem like any other, and all of them are told before anything starts. */
  readonly checkHost?: CheckHost
  /** How a document is judged that is only checked here. Hosts that serve it leave this out, and their bundles with it. */
  readonly onlyCheck?: OnlyCheck
}

type ExplainIn = NonNullable<ResolveOptions["explainIn"]>

/**
 * Checks a document. Throws a `ConfigError` with every problem, each with path and place. Returns a promise, or rejects, when a
 * module's check does, and for a long document, on which it works in turns with others.
 */
export function resolveDocument(source: SourceDocument, options: ResolveOptions): MaybePromise<ResolvedDocument> {
  const resolved = doWork(source.isLong, resolveInSteps(source, options))
  return resolved instanceof Promise ? resolved.then((conclude) => conclude()) : resolved()
}

/** Returns a function that waits for the slow checks: a promise in its place would be awaited between the turns. */
function* resolveInSteps(source: SourceDocument, options: ResolveOptions): Work<() => MaybePromise<ResolvedDocument>> {
  const { registry, readHeads, readFile, explainIn = () => () => undefined } = options
  const { mayBeOfModule, checkHost } = options.onlyCheck ?? {}
  const aliased = applyAliases(source.value)
  yield
  const locate: ResolvedDocument["locate"] = (path) => source.locate(aliased.written(path))
  let shown: ReturnType<typeof showReferences> = (_, message) => message
  const withPlaces = (problems: readonly Problem[]): readonly Problem[] =>
    problems.map(({ path, message, ...rest }) =>
      withPlace({ ...rest, path, message: shown(path, aliased.spelled(path, message)) }, locate(path)),
    )
  const refuse = (problems: readonly Problem[]): void => {
    if (problems.length > 0) throw new ConfigError(options.source, inOrder(withPlaces(problems)))
  }

  refuse(checkShape(source.value, explainIn))
  const expanded = expandEnvironment(aliased.value, options.environment)
  shown = showReferences(expanded.replaced)
  yield
  const schema = schemaFor(registry, options.schema)
  const { value, problems } = yield* validateExpanded(schema, expanded, explainIn)
  const later: LaterProblems = []
  const found = [
    ...(options.problems ?? []),
    ...aliased.problems,
    ...redactedProblems(expanded.value),
    ...expanded.unclosed.map(({ name, path }) => invalid(path, `has "\${${name}" without its closing brace`)),
    ...problems,
    ...(problems.length === 0
      ? yield* checkDocument(value as ConfigDocument, registry, { readHeads, later, readFile })
      : yield* checkWhatIsThere(value, problems, { registry, later, readHeads, readFile })),
    ...whatCanBeRead(() => options.checkHost?.(value as ConfigDocument, options.environment, registry) ?? []),
  ]
  yield
  const unset = new Map(expanded.unset.map(({ name, path }) => [pathKey(path), name]))
  const conclude = (foundLater: readonly Problem[]): ResolvedDocument => {
    const all = [...found, ...foundLater]
    const unchecked = all.filter(
      ({ path, severity }) => severity !== "warning" && mayBeOfModule?.(path, value, registry, schema) === true,
    )
    const wrong = all.filter((problem) => problem.severity !== "warning" && !unchecked.includes(problem))
    const ofEnvironment = wrong.filter(({ path }) => unset.has(pathKey(path)))
    refuse(
      checkHost === undefined ? wrong.map(namingVariable) : wrong.filter((problem) => !ofEnvironment.includes(problem)),
    )
    const needed = new Set(ofEnvironment.map(({ path }) => pathKey(path)))
    return {
      locate,
      document: canonicalDocument(value as ConfigDocument, registry),
      unexpanded: canonicalDocument(aliased.value as ConfigDocument, registry),
      warnings: withPlaces([
        ...expanded.unset.map(({ name, path }) =>
          invalid(
            path,
            needed.has(pathKey(path))
              ? `environment variable ${name} is not set; ${refusedWithout}`
              : `environment variable ${name} is not set; its place stays empty`,
          ),
        ),
        ...(checkHost?.(value as ConfigDocument, options.environment, registry) ?? []).map((problem) =>
          problem.severity === "warning" ? problem : { ...problem, message: `${problem.message}; ${refusedWithout}` },
        ),
        ...inOrder(withPlaces(all.filter(({ severity }) => severity === "warning"))),
      ]),
      ...(unchecked.length > 0 && { unchecked: inOrder(withPlaces(unchecked)) }),
    }
  }
  /** An empty place says more with the name of the variable that left it so. */
  const namingVariable = (problem: Problem): Problem => {
    const name = unset.get(pathKey(problem.path))
    const why = `environment variable ${name} is not set`
    // What a recipe's view has told has it already.
    return name === undefined || problem.message.includes(why)
      ? problem
      : { ...problem, message: `${problem.message}; ${why}` }
  }
  return () => (later.length === 0 ? conclude([]) : Promise.all(later).then((lists) => conclude(lists.flat())))
}

const schemas = new WeakMap<TProperties, readonly [Registry, ReturnType<typeof documentSchema>]>()

/** The recipes of a document are checked one after the other with the same sections, and the schema is made once for them. */
function schemaFor(registry: Registry, further: TProperties | undefined): ReturnType<typeof documentSchema> {
  if (further === undefined) return documentSchema(registry)
  const [known, made] = schemas.get(further) ?? []
  if (made !== undefined && known === registry) return made
  const schema = documentSchema(registry, further)
  schemas.set(further, [registry, schema])
  return schema
}

/** Said of a variable where its document is only checked. */
const refusedWithout = "rtr serve refuses the document without it"

export function withPlace(problem: Problem, position: Position | undefined): Problem {
  return problem.position !== undefined || position === undefined ? problem : { ...problem, position }
}

const sections = ["version", "modules", "listeners", "providers", "routing", "global", "recipes", "entrypoints"]

/** A document without `routing` and `global` is of the format before v0.3. */
function checkShape(value: unknown, explainIn: ExplainIn): readonly Problem[] {
  if (value === null || value === undefined) return [invalid([], "is empty; start from the output of: rtr config init")]
  if (typeof value !== "object" || Array.isArray(value)) return [invalid([], "must be a map")]
  if ("routing" in value || "global" in value) return []
  const unexpected = Object.keys(value).filter((key) => !["version", "listeners", "providers", "modules"].includes(key))
  if (unexpected.length === 0) return []
  const explain = explainIn(value, {})
  const told = unexpected.flatMap((key) => {
    const moved = explain([key], { what: "key", node: {}, message: "" })
    const near = suggestion(key, sections)
    return moved ?? (near === "" ? [] : invalid([key], `is not a known key${near}`))
  })
  return [
    ...told,
    invalid(
      [],
      `has neither routing nor global, but ${unexpected.join(", ")}; a v0.3 document has version, listeners, providers, routing and global`,
    ),
  ]
}

/** Numbers and booleans may come from the environment as text; only such text is converted. No message shows it. */
function* validateExpanded(
  schema: ReturnType<typeof documentSchema>,
  { value, expandedPaths }: ReturnType<typeof expandEnvironment>,
  explainIn: ExplainIn,
): Work<{ value: unknown; problems: readonly Problem[] }> {
  const explainHiding = (document: unknown): Explain => {
    const explain = explainIn(document, schema)
    return (path, refusal) => {
      const { withoutValue } = refusal
      if (withoutValue === undefined || !expandedPaths.has(pathKey(path))) return explain(path, refusal)
      return explain(path, { ...refusal, message: withoutValue }) ?? invalid(path, withoutValue)
    }
  }
  const problems = yield* validateInSteps(schema, value, [], explainHiding(value))
  const convertible = problems.filter(({ path }) => expandedPaths.has(pathKey(path)))
  if (convertible.length === 0) return { value, problems }
  const converted = withValuesAt(
    value,
    convertible.map(({ path }) => [path, fromText(valueAt(value, path))]),
  )
  return { value: converted, problems: yield* validateInSteps(schema, converted, [], explainHiding(converted)) }
}

function fromText(value: unknown): unknown {
  if (typeof value !== "string") return value
  if (value === "true" || value === "false") return value === "true"
  return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value
}

/**
 * Cross-checks of a document whose schema already fails, so that one run shows as much as possible. They may trip over a wrong
 * shape. What the check of a module says of a value that the schema refused, or of a part of it, follows from that and is left out.
 */
function* checkWhatIsThere(
  value: unknown,
  refused: readonly Problem[],
  {
    registry,
    later,
    readHeads,
    readFile,
  }: Pick<ResolveOptions, "registry" | "readFile"> & {
    readonly later: LaterProblems
    readonly readHeads: ReadHeads | undefined
  },
): Work<readonly Problem[]> {
  const places = new Set(refused.map(({ path }) => pathKey(path)))
  const ofOthers = (problems: readonly Problem[]): readonly Problem[] =>
    problems.filter(
      ({ path }) =>
        !modulesCheck.test(path.join(".")) || !path.some((_, index) => places.has(pathKey(path.slice(0, index + 1)))),
    )
  const started: LaterProblems = []
  let found: readonly Problem[] = []
  try {
    found = yield* checkDocument(value as ConfigDocument, registry, { readHeads, later: started, readFile })
  } catch {
    // The check has tripped over a shape that the schema has refused already.
  }
  later.push(...started.map((problems) => problems.then(ofOthers, () => [])))
  return ofOthers(found)
}

/** Where modules check what is theirs. */
const modulesCheck = /^(routing\.signals|routing\.decisions\.\d+\.(plugins|algorithm)|global\.stores)\./

/** No problems where the check trips over a shape that the schema has refused already. */
function whatCanBeRead(check: () => readonly Problem[]): readonly Problem[] {
  try {
    return check()
  } catch {
    return []
  }
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const each = new Map(problems.map((problem) => [pathKey([...problem.path, problem.message]), problem]))
  return [...each.values()].toSorted(
    (a, b) =>
      (a.position?.line ?? 0) - (b.position?.line ?? 0) || (a.position?.column ?? 0) - (b.position?.column ?? 0),
  )
}
