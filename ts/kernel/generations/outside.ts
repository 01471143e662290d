// Services outside answer model questions beside the workers. Loads where a module may name some.

import type { ConfigDocument } from "../config/document-schema.ts"
import type { NeededDeployment } from "../config/bindings.ts"
import type { Binding, Deployment } from "../config/sections/model-catalog.ts"
import { isRtrError, RtrError } from "../error.ts"
import type { Registry } from "../modules/registry.ts"
import type { reasonOf } from "../types/fact.ts"
import type {
  Inference,
  InferenceAnswer,
  InferenceOptions,
  InferenceTask,
  OpenService,
  Service,
  ServiceDeployment,
} from "../types/inference.ts"
import type { PrepareHost } from "./prepare.ts"

interface OpenHost extends PrepareHost {
  readonly closers: (() => Promise<void>)[]
  /** Given, because a file that others import as well would be a chunk of its own for edge hosts. */
  readonly reasonOf: typeof reasonOf
}

export interface Outside {
  /** The document with bindings to its services. */
  readonly document: ConfigDocument
  /** Opens the services. Questions for other deployments go to `own`, which is not closed here. */
  open(own: Inference | undefined, host: OpenHost): Promise<Inference | undefined>
}

/** What the document declares and binds itself stays as it is. */
export function bindServices(document: ConfigDocument, registry: Registry): Outside {
  const bound = registry.all("signal").flatMap(({ module }) => module.services?.(document) ?? [])
  if (bound.length === 0) return { document, open: async (own) => own }
  const services = new Map<string, Service>()
  // Where an artifact is written goes with it to those that start the deployment.
  const deployments: Record<string, Deployment & Pick<NeededDeployment, "writtenAt">> = {}
  const bindings: Record<string, Binding> = {}
  for (const { binding, service, deployment } of bound) {
    const name = service === undefined ? (deployment?.name ?? "") : serviceDeployment(service.name)
    if (service !== undefined) services.set(name, service)
    else if (deployment !== undefined) {
      const { name: _, ...entry } = deployment
      deployments[name] = entry
    }
    if (binding !== undefined) bindings[binding] = { deployment: name }
  }
  const { global = {} } = document
  const { model_catalog: catalog } = global
  const extended = {
    ...catalog,
    deployments: { ...deployments, ...catalog?.deployments },
    bindings: { ...bindings, ...catalog?.bindings },
  }
  return {
    document: { ...document, global: { ...global, model_catalog: extended } },
    open: (own, host) => (services.size === 0 ? Promise.resolve(own) : openServices(services, own, host)),
  }
}

const serviceDeployment = (name: string): ServiceDeployment => `outside:${name}`

async function openServices(
  services: ReadonlyMap<string, Service>,
  own: Inference | undefined,
  host: OpenHost,
): Promise<Inference> {
  const { resources, transport, environment, closers } = host
  const answering = new Map<string, Answering>()
  for (const [deployment, service] of services) {
    const lease = await resources.acquire(
      `service:${JSON.stringify([service.name, service.key])}`,
      async () => service.open({ transport, log: host.services.log, environment }),
      (open) => open.close?.(),
    )
    closers.push(() => lease.release())
    answering.set(deployment, createAnswering(service, lease.value, host))
  }
  return {
    async bundle(tasks, options = {}) {
      const answers: InferenceAnswer[] = Array.from({ length: tasks.length })
      const groups = Map.groupBy(tasks.keys(), (index) => answering.get(tasks[index]?.deployment ?? ""))
      await Promise.all(
        [...groups].map(async ([answer, indexes]) => {
          const asked = indexes.map((index) => tasks[index] as InferenceTask)
          const given = await (answer?.(asked, options) ?? own?.bundle(asked, options) ?? asked.map(noModel))
          indexes.forEach((index, position) => {
            answers[index] = given[position] ?? wrongCount
          })
        }),
      )
      return answers
    },
    status: () => own?.status() ?? [],
    close: async () => {},
  }
}

type Answering = (tasks: readonly InferenceTask[], options: InferenceOptions) => Promise<readonly InferenceAnswer[]>

/** More questions at a time are refused, so that a service that hangs does not collect requests without end. */
const maxWaiting = 128

/** Never rejects: what goes wrong is the answer. Nobody waits longer than the service may take, whatever it does. */
function createAnswering(
  { name, timeoutMs }: Service,
  open: OpenService,
  { reasonOf, services: { metrics } }: OpenHost,
): Answering {
  const labels = { deployment: name, surface: "service" }
  const duration = metrics.histogram("rtr_model_runtime_request_duration_seconds", labels)
  let waiting = 0
  return async (tasks, { deadlineMs = timeoutMs, signal }) => {
    const startedAt = performance.now()
    const leaving = new AbortController()
    const leave = (): void => leaving.abort()
    const ms = Math.max(1, Math.min(deadlineMs, timeoutMs))
    let timer: ReturnType<typeof setTimeout> | undefined
    let failure: unknown
    let answers: readonly InferenceAnswer[] = []
    waiting += 1
    try {
      if (waiting > maxWaiting)
        throw new RtrError("overloaded", `Cannot ask ${name}: ${maxWaiting} questions wait for it already`)
      if (signal?.aborted === true) leave()
      signal?.addEventListener("abort", leave, { once: true })
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () => reject(new RtrError("deadline_exceeded", `${name} did not answer within ${Math.round(ms)} ms`)),
          ms,
        )
      })
      answers = await Promise.race([open.answer(tasks, { signal: leaving.signal }), late])
    } catch (error) {
      failure = error
    } finally {
      waiting -= 1
      clearTimeout(timer)
      signal?.removeEventListener("abort", leave)
      leave()
    }
    if (failure !== undefined) {
      const error = isRtrError(failure)
        ? failure
        : new RtrError("internal_error", `Cannot read what ${name} answered`, { cause: failure })
      answers = tasks.map(() => ({ kind: "error", error }))
    }
    duration.observe((performance.now() - startedAt) / 1000)
    const reasons = answers.flatMap((answer) => (answer.kind === "error" ? [reasonOf(answer.error)] : []))
    metrics.counter("rtr_model_runtime_requests_total", { deployment: name, outcome: reasons[0] ?? "ok" }).add()
    for (const reason of reasons)
      metrics.counter("rtr_model_runtime_unknown_answers_total", { deployment: name, reason }).add()
    return answers
  }
}

const noModel = ({ deployment }: InferenceTask): InferenceAnswer => ({
  kind: "error",
  error: new RtrError("unavailable", `Cannot ask deployment "${deployment}": this kernel has no inference`),
})

const wrongCount: InferenceAnswer = {
  kind: "error",
  error: new RtrError("invalid_model_output", "The service gave fewer answers than it was asked questions"),
}
