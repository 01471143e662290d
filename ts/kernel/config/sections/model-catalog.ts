// `global.model_catalog`: the small models that signals ask, and which signal asks which.

import { Type, type Static } from "typebox"
import { type DocumentPath, isRtrError } from "../../error.ts"
import type { Registry } from "../../modules/registry.ts"
import { invalid, oneOf, type Problem, suggestion } from "../../schema/problem.ts"
import { literals, mapOf, name, section } from "../../schema/shapes.ts"
import { bindingsOf, boundHeads, defaultDeployment, questionsOf, selectorTarget } from "../bindings.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { type BoundHead, headProblem, type PackageHead, questionProblem, type ReadHeads } from "../package-heads.ts"

export type Deployment = Static<typeof deployment>
export type Binding = Static<typeof binding>

const deployment = section({
  provider: Type.Optional(literals(["model_runtime"])),
  artifact: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Built-in package name, or folder of a package: an absolute path, or one that begins with . and starts at the folder of the document",
    }),
  ),
  device: Type.Optional(
    Type.String({
      pattern: "^(auto|cpu|cuda(:[0-9]+)?)$",
      description: "auto, cpu, cuda or cuda:N",
      examples: ["auto", "cpu", "cuda", "cuda:0"],
    }),
  ),
  profile: Type.Optional(literals(["exact", "batching", "shared_context", "max_speed"])),
  input: Type.Optional(
    section({
      max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
      overflow: Type.Optional(literals(["truncate", "reject"])),
    }),
  ),
  process: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$",
      description: "Deployments that name the same process share it",
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      pattern: "^(https?|unix)://",
      description: "Worker that the operator runs; it is attached, not started",
    }),
  ),
  served_name: Type.Optional(name),
})

/** What a binding may say of its model, by the question that it answers. */
const contractOf: Readonly<Record<string, readonly string[]>> = {
  classify: ["label_distribution.v1", "label_scores.v1"],
  spans: ["token_spans.v1"],
  embed: ["embedding.v1"],
}
const contracts: readonly string[] = Object.values(contractOf).flat()

const binding = section({
  deployment: name,
  contract: Type.Optional(literals(contracts)),
  head: Type.Optional(name),
})

/** Of the document, and of a routing for its own signals. */
export const bindingsSchema = Type.Optional(mapOf(binding))

export const modelCatalogSchema = section({
  // Timers hold 31 bits and fire at once when given more.
  signal_timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
  deployments: Type.Optional(
    mapOf(deployment, {
      keys: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
      additionalProperties: false,
    }),
  ),
  bindings: bindingsSchema,
})

const defaultSignalTimeoutMs = 45_000

/** Deadline of the signals that ask a model. */
export function compileSignalTimeout(document: ConfigDocument): number {
  return document.global?.model_catalog?.signal_timeout_ms ?? defaultSignalTimeoutMs
}

const at: DocumentPath = ["global", "model_catalog"]
const globalBindings: DocumentPath = [...at, "bindings"]
const ownBindings: DocumentPath = ["routing", "model_bindings"]

export function checkCatalog(document: ConfigDocument, registry: Registry): readonly Problem[] {
  return [...checkDeployments(document), ...checkBindings(document, registry)]
}

function checkDeployments(document: ConfigDocument): readonly Problem[] {
  const problems: Problem[] = []
  for (const [id, entry] of Object.entries(document.global?.model_catalog?.deployments ?? {})) {
    const here = [...at, "deployments", id]
    if ((entry.artifact === undefined) === (entry.endpoint === undefined))
      problems.push(invalid(here, "must have either an artifact to start or an endpoint to attach to"))
    if (entry.endpoint !== undefined) {
      for (const key of ["process", "device", "profile"] as const) {
        if (entry[key] !== undefined)
          problems.push(invalid([...here, key], "cannot be set for a worker that is attached by its endpoint"))
      }
    }
  }
  return problems
}

function checkBindings(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const catalog = document.global?.model_catalog
  const deployments = [...Object.keys(catalog?.deployments ?? {}), defaultDeployment.name]
  const consumers = contractsOf(registry)
  const problems: Problem[] = []
  const ofAll = Object.entries(catalog?.bindings ?? {}).map((entry) => [globalBindings, ...entry] as const)
  const ofRouting = Object.entries(document.routing?.model_bindings ?? {}).map(
    (entry) => [ownBindings, ...entry] as const,
  )
  for (const [place, consumer, entry] of [...ofAll, ...ofRouting]) {
    const here = [...place, consumer]
    const wanted = consumers.get(consumer) ?? consumers.get(consumer.replace(/\..*/s, ".<rule>"))
    if (wanted === undefined)
      problems.push(
        invalid(
          here,
          `no signal uses this binding; there ${consumers.size === 1 ? "is" : "are"} ${oneOf([...consumers.keys()])}${suggestion(consumer, consumers.keys())}`,
        ),
      )
    else problems.push(...checkContract(entry, wanted, here))
    if (!deployments.includes(entry.deployment))
      problems.push(
        invalid(
          [...here, "deployment"],
          `"${entry.deployment}" is not in global.model_catalog.deployments${suggestion(entry.deployment, deployments)}`,
        ),
      )
  }
  return problems
}

/** What the signals that ask through a binding expect of its model, by the binding's name. */
function contractsOf(registry: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const expected = new Map<string, ReadonlySet<string>>()
  for (const registered of registry.all("signal")) {
    const { reading, vectors } = bindingsOf(registered)
    for (const question of questionsOf(registered))
      for (const bound of question === "embed" ? [vectors as string] : reading)
        for (const each of registered.module.ruleBindings === undefined ? [bound] : [bound, `${bound}.<rule>`])
          expected.set(each, new Set([...(expected.get(each) ?? []), ...(contractOf[question] ?? [])]))
  }
  return expected
}

function checkContract(
  { contract, head }: Binding,
  wanted: ReadonlySet<string>,
  path: DocumentPath,
): readonly Problem[] {
  // A contract of another name is the schema's to report.
  if (contract !== undefined && contracts.includes(contract) && !wanted.has(contract))
    return [
      invalid(
        [...path, "contract"],
        wanted.size === 0
          ? `cannot be set for this binding, got "${contract}"`
          : `must be ${oneOf([...wanted])} for this binding, got "${contract}"`,
      ),
    ]
  if (head !== undefined && wanted.size === 1 && wanted.has("embedding.v1"))
    return [invalid([...path, "head"], "belongs to a classifier binding")]
  return []
}

export interface Packages {
  /** By the name of the deployment, where they are known. */
  readonly heads: ReadonlyMap<string, readonly PackageHead[]>
  readonly problems: readonly Problem[]
}

/** Heads of the packages that the document's deployments name. */
export function readPackages(document: ConfigDocument, readHeads: ReadHeads): Packages {
  const heads = new Map<string, readonly PackageHead[]>()
  const problems: Problem[] = []
  const declared: Readonly<Record<string, Deployment>> = document.global?.model_catalog?.deployments ?? {}
  for (const [id, { artifact, endpoint }] of Object.entries({
    [defaultDeployment.name]: defaultDeployment as Deployment,
    ...declared,
  })) {
    if (typeof artifact !== "string" || endpoint !== undefined) continue
    try {
      const found = readHeads(artifact)
      if (found !== undefined) heads.set(id, found)
    } catch (error) {
      if (!isRtrError(error)) throw error
      problems.push(invalid([...at, "deployments", id, "artifact"], error.message))
    }
  }
  return { heads, problems }
}

/** A head that its model does not have would leave the signal without answers, and a guard without a guard. */
export function checkHeads(document: ConfigDocument, registry: Registry, known: Packages["heads"]): readonly Problem[] {
  const ofBindings = boundHeads(document, registry).flatMap((bound) => {
    const heads = known.get(bound.deployment)
    const problem = heads === undefined ? undefined : headProblem(bound, heads)
    return problem === undefined
      ? []
      : [invalid([...(bound.ofRouting ? ownBindings : globalBindings), bound.binding, keyOf(bound)], problem)]
  })
  return [...ofBindings, ...checkSelectors(document, registry, known)]
}

/** Selectors that ask typed questions of a package that answers none. */
function checkSelectors(document: ConfigDocument, registry: Registry, known: Packages["heads"]): readonly Problem[] {
  return (document.routing?.decisions ?? []).flatMap(({ algorithm }, index) => {
    if (algorithm === undefined) return []
    const { type } = algorithm
    const asks = registry.find("selector", type)?.module.needs?.includes("inference.decide") === true
    const asked = asks ? selectorTarget(algorithm, registry, document)?.deployment : undefined
    const heads = asked === undefined ? undefined : known.get(asked)
    const problem = asked === undefined || heads === undefined ? undefined : questionProblem(asked, heads)
    return problem === undefined
      ? []
      : [invalid(["routing", "decisions", index, "algorithm", type, "deployment"], problem)]
  })
}

/** Which key of a binding is wrong where its model has no answer. */
const keyOf = ({ answers }: BoundHead): string => (answers === "decisions" ? "deployment" : "head")
