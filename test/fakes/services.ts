// What modules may ask for, over fakes.

import { createFakeInference } from "rtr/testing"
import type { Environment } from "../../ts/kernel/config/environment.ts"
import { type CompiledPlan, compilePlan } from "../../ts/kernel/config/compile.ts"
import type { ConfigDocument } from "../../ts/kernel/config/document-schema.ts"
import type { Services } from "../../ts/kernel/modules/capabilities.ts"
import type { Registry } from "../../ts/kernel/modules/registry.ts"
import { registry as builtin } from "./registry.ts"

const refuse = (what: string) => (): never => {
  throw new Error(`This fake has no ${what}`)
}

/** Services whose inference is a fake and whose vectors are made up; everything else throws when it is used. */
export function createServices(changes: Partial<Services> = {}): Services {
  return {
    inference: createFakeInference(),
    embedAll: async (_, texts) =>
      texts.map((text) => Float32Array.of(Math.cos(String(text).length), Math.sin(String(text).length))),
    models: { ask: refuse("models") },
    http: { json: refuse("http") },
    kv: refuse("key-value store"),
    records: refuse("record store"),
    vectors: refuse("vector store"),
    metrics: {} as never,
    log: () => {},
    clock: () => 0,
    random: () => 0,
    run: refuse("routing"),
    preview: refuse("routing"),
    other: refuse("routing"),
    readChat: refuse("dialects"),
    plan: () => undefined,
    modelList: () => [],
    status: refuse("status"),
    operations: () => [],
    metricsText: async () => undefined,
    ...changes,
  }
}

/** Compiles a resolved document with the built-in modules. */
export function compileWith(
  document: ConfigDocument,
  options: {
    readonly registry?: Registry
    readonly environment?: Environment
    readonly services?: Partial<Services>
  } = {},
): Promise<CompiledPlan> {
  const { registry = builtin, environment = {}, services = {} } = options
  return compilePlan({
    document,
    hash: "h",
    registry,
    environment,
    services: createServices(services),
    figures: () => ({ inFlight: 0, firstByteMs: [], perTokenMs: [] }),
  })
}
