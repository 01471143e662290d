// Checks that names are unique and that what refers to a name finds it.

import { type DocumentPath, isRtrError } from "../error.ts"
import { type Registry, signalConditionType, signalConfigKey } from "../modules/registry.ts"
import { boundHeads, findHead, headProblem, type PackageHead } from "./bound-heads.ts"
import { bindingsOf, findBinding } from "./consumers.ts"
import { checkModality } from "./modality.ts"
import { invalid, oneOf, type Problem, suggestion } from "../schema/problem.ts"
import { checkRules, type DeclaredSignals } from "./rules.ts"
import type { ConfigDocument } from "./schema/document.ts"
import { type Binding, bindingContracts } from "./schema/global.ts"
import { defaultDeployment, starterDeployment } from "./starter.ts"

/**
 * Heads of the package that an artifact means; undefined where only a worker can tell. Throws an `RtrError` for an artifact
 * that means nothing.
 */
export type ReadHeads = (artifact: string) => readonly PackageHead[] | undefined

/** Values of headers may be secret, so the message does not quote them. */
const notSendable = "cannot be sent in a header: it has a line break, a character beyond ASCII, or a space at an end"
export const isHeaderValue = (value: string): boolean => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)
const isHeaderName = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(name)
/** The transport's own: another value would break the message. */
const ownHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "transfer-encoding",
  "upgrade",
])

/** Problems between parts of a document that fits its schema, and between it and the packages that `readHeads` knows. */
export function checkReferences(
  document: ConfigDocument,
  registry: Registry,
  readHeads: ReadHeads = () => undefined,
): readonly Problem[] {
  const packages = readPackages(document, readHeads)
  return [
    ...checkListeners(document),
    ...checkProviders(document),
    ...duplicates(
      (document.routing?.modelCards ?? []).map(({ name }) => name),
      (index) => ["routing", "modelCards", index, "name"],
    ),
    ...checkSignals(document, registry, packages.heads),
    ...checkDecisions(document, registry),
    ...checkModality(document),
    ...checkCatalog(document, registry),
    ...packages.problems,
    ...checkHeads(document, registry, packages.heads),
  ]
}

function checkListeners(document: ConfigDocument): readonly Problem[] {
  const listeners = document.listeners ?? []
  const addresses = listeners.map(({ address, port }) => (port === 0 ? undefined : `${address}:${port}`))
  return [
    ...duplicates(
      listeners.map(({ name }) => name),
      (index) => ["listeners", index, "name"],
    ),
    ...duplicates(addresses, (index) => ["listeners", index, "port"]),
  ]
}

function checkProviders(document: ConfigDocument): readonly Problem[] {
  const problems: Problem[] = []
  const models = document.providers?.models ?? []
  const defaults = document.providers?.defaults
  const families = Object.keys(defaults?.reasoning_families ?? {})
  problems.push(
    ...duplicates(
      models.map(({ name }) => name),
      (index) => ["providers", "models", index, "name"],
    ),
  )
  models.forEach((model, index) => {
    const at: DocumentPath = ["providers", "models", index]
    if (model.reasoning_family !== undefined && !families.includes(model.reasoning_family)) {
      problems.push(
        invalid(
          [...at, "reasoning_family"],
          `"${model.reasoning_family}" is not in providers.defaults.reasoning_families${suggestion(model.reasoning_family, families)}`,
        ),
      )
    }
    if ((model.backend_refs ?? []).length === 0)
      problems.push(invalid([...at, "backend_refs"], "is empty; a model needs a backend to be called"))
    problems.push(
      ...duplicates(
        (model.backend_refs ?? []).map(({ name }) => name),
        (ref) => [...at, "backend_refs", ref, "name"],
      ),
    )
    model.backend_refs?.forEach((ref, position) => {
      const refAt = [...at, "backend_refs", position]
      if (ref.endpoint === undefined && ref.base_url === undefined)
        problems.push(invalid(refAt, "must have an endpoint or a base_url"))
      if (ref.endpoint !== undefined && ref.base_url !== undefined)
        problems.push(invalid([...refAt, "base_url"], "stands beside endpoint; keep one"))
      if (ref.endpoint !== undefined && !isEndpoint(ref.endpoint))
        problems.push(invalid([...refAt, "endpoint"], "must be host or host:port"))
      if (ref.base_url !== undefined && !URL.canParse(ref.base_url))
        problems.push(invalid([...refAt, "base_url"], "is not a URL"))
      if (ref.api_key !== undefined && ref.api_key_env !== undefined)
        problems.push(invalid([...refAt, "api_key_env"], "stands beside api_key; keep one"))
      if (ref.api_key !== undefined && ref.api_key !== "" && !isHeaderValue(ref.api_key))
        problems.push(invalid([...refAt, "api_key"], notSendable))
      for (const [name, value] of Object.entries(ref.extra_headers ?? {})) {
        if (!isHeaderName(name) || ownHeaders.has(name.toLowerCase()))
          problems.push(invalid([...refAt, "extra_headers", name], "is not a header that a request may set"))
        else if (!isHeaderValue(value)) problems.push(invalid([...refAt, "extra_headers", name], notSendable))
      }
    })
  })
  Object.entries(defaults?.reasoning_families ?? {}).forEach(([name, family]) => {
    if (family.type === "top_level_reasoning_effort" && family.parameter !== "reasoning_effort") {
      problems.push(
        invalid(
          ["providers", "defaults", "reasoning_families", name, "parameter"],
          'must be "reasoning_effort" for type top_level_reasoning_effort',
        ),
      )
    }
  })
  const callable = callableModels(document)
  if (defaults?.model !== undefined && !callable.has(defaults.model)) {
    problems.push(
      invalid(
        ["providers", "defaults", "model"],
        `"${defaults.model}" is not in providers.models${suggestion(defaults.model, callable)}`,
      ),
    )
  }
  return problems
}

const isEndpoint = (endpoint: string): boolean =>
  /^(\[[0-9a-fA-F:]+\]|[^\s/:@?#[\]]+)(:\d{1,5})?$/.test(endpoint) && URL.canParse(`http://${endpoint}`)

function checkSignals(document: ConfigDocument, registry: Registry, known: Packages["heads"]): readonly Problem[] {
  return registry.all("signal").flatMap((registered) => {
    const { id, module } = registered
    const { reading } = bindingsOf(registered)
    const binding = reading === undefined ? undefined : findBinding(reading, document)
    const heads = binding === undefined ? [] : (known.get(binding.deployment) ?? [])
    const labels = binding === undefined ? undefined : findHead({ head: binding.head }, heads)?.labels
    const key = signalConfigKey(id, module)
    const rules = document.routing?.signals?.[key] ?? []
    const at: DocumentPath = ["routing", "signals", key]
    const problems: Problem[] = [
      ...duplicates(
        rules.map(({ name }) => name.trim()),
        (index) => [...at, index, "name"],
      ),
    ]
    module.check?.(rules as never, (path, message) => problems.push(invalid([...at, ...path], message)), { labels })
    return problems
  })
}

function checkDecisions(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const decisions = document.routing?.decisions ?? []
  const declared = declaredSignals(document, registry)
  const callable = callableModels(document)
  const problems: Problem[] = [
    ...duplicates(
      decisions.map(({ name }) => name),
      (index) => ["routing", "decisions", index, "name"],
    ),
  ]
  decisions.forEach((decision, index) => {
    const at: DocumentPath = ["routing", "decisions", index]
    problems.push(...checkRules(decision.rules ?? {}, [...at, "rules"], declared))
    const refs = decision.modelRefs ?? []
    const answersItself = (decision.plugins ?? []).some((plugin) => plugin.type === "fast_response")
    if (refs.length === 0 && !answersItself)
      problems.push(
        invalid(
          [...at, "modelRefs"],
          "is empty; a decision needs a model, or a fast_response plugin that answers without one",
        ),
      )
    refs.forEach((ref, position) => {
      const refAt = [...at, "modelRefs", position]
      if (callable.size > 0 && !callable.has(ref.model))
        problems.push(
          invalid([...refAt, "model"], `"${ref.model}" is not in providers.models${suggestion(ref.model, callable)}`),
        )
      const loras = lorasOf(document, ref.model)
      if (ref.lora_name !== undefined && !loras.includes(ref.lora_name)) {
        problems.push(
          invalid(
            [...refAt, "lora_name"],
            `"${ref.lora_name}" is not among the loras of model card "${ref.model}"${suggestion(ref.lora_name, loras)}`,
          ),
        )
      }
    })
    problems.push(
      ...duplicates(
        (decision.plugins ?? []).map(({ type }) => type),
        (plugin) => [...at, "plugins", plugin, "type"],
      ),
    )
    decision.plugins?.forEach((plugin, position) => {
      registry
        .find("plugin", plugin.type)
        ?.module.check?.(plugin.configuration as never, (path, message) =>
          problems.push(invalid([...at, "plugins", position, "configuration", ...path], message)),
        )
    })
  })
  return problems
}

function checkCatalog(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const catalog = document.global?.model_catalog
  const at: DocumentPath = ["global", "model_catalog"]
  const problems: Problem[] = []
  const deployments = [...Object.keys(catalog?.deployments ?? {}), defaultDeployment]
  for (const [name, deployment] of Object.entries(catalog?.deployments ?? {})) {
    const here = [...at, "deployments", name]
    if ((deployment.artifact === undefined) === (deployment.endpoint === undefined))
      problems.push(invalid(here, "must have either an artifact to start or an endpoint to attach to"))
    if (deployment.endpoint !== undefined) {
      for (const key of ["process", "device", "profile"] as const) {
        if (deployment[key] !== undefined)
          problems.push(invalid([...here, key], "cannot be set for a worker that is attached by its endpoint"))
      }
    }
  }
  const consumers = contractsOf(registry)
  for (const [consumer, binding] of Object.entries(catalog?.bindings ?? {})) {
    const here = [...at, "bindings", consumer]
    const contracts = consumers.get(consumer)
    if (contracts === undefined)
      problems.push(
        invalid(
          here,
          `no signal uses this binding; there ${consumers.size === 1 ? "is" : "are"} ${oneOf([...consumers.keys()])}${suggestion(consumer, consumers.keys())}`,
        ),
      )
    else problems.push(...checkContract(binding, contracts, here))
    if (!deployments.includes(binding.deployment))
      problems.push(
        invalid(
          [...here, "deployment"],
          `"${binding.deployment}" is not in global.model_catalog.deployments${suggestion(binding.deployment, deployments)}`,
        ),
      )
  }
  return problems
}

interface Packages {
  /** By the name of the deployment, where they are known. */
  readonly heads: ReadonlyMap<string, readonly PackageHead[]>
  readonly problems: readonly Problem[]
}

function readPackages(document: ConfigDocument, readHeads: ReadHeads): Packages {
  const heads = new Map<string, readonly PackageHead[]>()
  const problems: Problem[] = []
  const declared = document.global?.model_catalog?.deployments ?? {}
  for (const [name, { artifact, endpoint }] of Object.entries({
    [defaultDeployment]: starterDeployment,
    ...declared,
  })) {
    if (typeof artifact !== "string" || endpoint !== undefined) continue
    try {
      const found = readHeads(artifact)
      if (found !== undefined) heads.set(name, found)
    } catch (error) {
      if (!isRtrError(error)) throw error
      problems.push(invalid(["global", "model_catalog", "deployments", name, "artifact"], error.message))
    }
  }
  return { heads, problems }
}

/** A head that its model does not have would leave the signal without answers, and a guard without a guard. */
function checkHeads(document: ConfigDocument, registry: Registry, known: Packages["heads"]): readonly Problem[] {
  return boundHeads(document, registry).flatMap((bound) => {
    const heads = known.get(bound.deployment)
    const problem = heads === undefined ? undefined : headProblem(bound, heads)
    return problem === undefined
      ? []
      : [invalid(["global", "model_catalog", "bindings", bound.binding, "head"], problem)]
  })
}

/** What the signals that ask through a binding expect of its model, by the binding's name. */
function contractsOf(registry: Registry): ReadonlyMap<string, ReadonlySet<string>> {
  const contracts = new Map<string, Set<string>>()
  const add = (name: string | undefined, contract: string): void => {
    if (name !== undefined) contracts.set(name, (contracts.get(name) ?? new Set()).add(contract))
  }
  for (const registered of registry.all("signal")) {
    const { reading, vectors } = bindingsOf(registered)
    if (registered.module.needs?.includes("inference.classify")) add(reading, "label_distribution.v1")
    if (registered.module.needs?.includes("inference.spans")) add(reading, "token_spans.v1")
    add(vectors, "embedding.v1")
  }
  return contracts
}

function checkContract(
  { contract, head }: Binding,
  wanted: ReadonlySet<string>,
  path: DocumentPath,
): readonly Problem[] {
  // A contract of another name is the schema's to report.
  const served: readonly unknown[] = bindingContracts
  if (contract !== undefined && served.includes(contract) && !wanted.has(contract))
    return [invalid([...path, "contract"], `must be ${oneOf([...wanted])} for this binding, got "${contract}"`)]
  if (head !== undefined && wanted.size === 1 && wanted.has("embedding.v1"))
    return [invalid([...path, "head"], "belongs to a classifier binding")]
  return []
}

function declaredSignals(document: ConfigDocument, registry: Registry): DeclaredSignals {
  const declared = new Map<string, ReadonlySet<string>>()
  for (const { id, module } of registry.all("signal")) {
    const rules = document.routing?.signals?.[signalConfigKey(id, module)] ?? []
    // A signal that implies rules accepts any name while the document declares none.
    if (rules.length > 0 || module.implyRules === undefined)
      declared.set(signalConditionType(id, module), new Set(rules.map(({ name }) => name)))
  }
  return declared
}

/** Models that a request or a decision may name. A document without providers is routing only; its cards stand for models then. */
export function callableModels(document: ConfigDocument): ReadonlySet<string> {
  const models = document.providers?.models?.map(({ name }) => name)
  const cards = document.routing?.modelCards ?? []
  const names = models ?? cards.map(({ name }) => name)
  return new Set([...names, ...names.flatMap((name) => lorasOf(document, name))])
}

export function lorasOf(document: ConfigDocument, model: string): readonly string[] {
  return document.routing?.modelCards?.find(({ name }) => name === model)?.loras?.map(({ name }) => name) ?? []
}

function duplicates(
  values: readonly (string | undefined)[],
  pathOf: (index: number) => DocumentPath,
): readonly Problem[] {
  const first = new Map<string, number>()
  return values.flatMap((value, index) => {
    if (value === undefined) return []
    if (first.has(value)) return [invalid(pathOf(index), `"${value}" is used already at position ${first.get(value)}`)]
    first.set(value, index)
    return []
  })
}
