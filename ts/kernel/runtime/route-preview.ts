// Previews by a document alone: its models are loaded, but no port is opened and no backend is called.

import { type Environment, expandEnvironment } from "../config/environment.ts"
import { keyVariables } from "../config/host-matters.ts"
import type { ReadHeadsBeside } from "../config/package-heads.ts"
import type { ConfigDocument } from "../config/document-schema.ts"
import { RtrError } from "../error.ts"
import { createRouter } from "../kernel.ts"
import { sha256 } from "./bare-kernel.ts"
import { type LoadedConfig, loadConfig, readConfigFile } from "./load-config.ts"
import { loadBuiltins, loadRegistryFor } from "./node-modules.ts"
import type { RouterWorkers } from "./start-router.ts"

export interface RoutePreviewOptions {
  /** The configuration file. */
  readonly path: string
  readonly workers: Pick<RouterWorkers, "open">
  readonly readHeads?: ReadHeadsBeside
  readonly environment?: Environment
}

export interface RoutePreview {
  /** Takes and returns the bodies of `POST /api/v1/routing/preview`, with the trace. Rejects with an `RtrError`. */
  preview(body: object): Promise<object>
  close(): Promise<void>
}

/** Rejects with a `ConfigError` for a document that cannot be used. Variables that are not set are no matter here. */
export async function createRoutePreview(options: RoutePreviewOptions): Promise<RoutePreview> {
  const { path, workers, readHeads, environment: own = process.env } = options
  const loaded = await loadConfig(path, {
    environment: own,
    elsewhere: true,
    ...(readHeads !== undefined && { readHeads }),
  })
  const environment = { ...own, ...standIns(loaded, own) }
  const router = createRouter({
    // Where prompts go does not depend on what is missing around the calls.
    missingParts: "allow",
    builtins: await loadBuiltins(),
    loadRegistry: loadRegistryFor,
    transport: {
      async request() {
        throw new RtrError("upstream_unavailable", "Cannot call a backend: routes are only previewed")
      },
      async close() {},
    },
    environment: () => environment,
    hash: sha256,
    ...(readHeads !== undefined && { readHeads }),
    openInference: (deployments, source) => workers.open(deployments, source),
  })
  const outcome = await router.activate({
    text: readConfigFile(path),
    source: path,
    trigger: "start",
    value: forTests(loaded.unexpanded),
  })
  if (outcome.result === "rejected") {
    await router.close()
    throw outcome.error
  }
  return {
    async preview(body) {
      const response = await router.management.fetch(
        new Request("http://localhost/api/v1/routing/preview?trace=true", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      )
      const reply = (await response.json()) as { readonly error?: { readonly message?: string } }
      if (reply.error !== undefined)
        throw new RtrError("invalid_request", reply.error.message ?? `the preview failed with ${response.status}`)
      return reply
    },
    close: () => router.close(),
  }
}

/** Values for variables that are not set here, so that what refers to them keeps its shape: nothing is ever sent with them. */
function standIns(
  { unexpanded: document, registry }: Pick<LoadedConfig, "unexpanded" | "registry">,
  environment: Environment,
): Record<string, string> {
  const { unset } = expandEnvironment(document, environment)
  return Object.fromEntries([
    ...keyVariables(document, registry).flatMap(([name]) => (environment[name] === undefined ? [[name, "unset"]] : [])),
    ...unset.map(({ name, path }) => [name, /url/.test(String(path.at(-1))) ? "http://127.0.0.1:1" : "1"]),
  ])
}

/** How long the signals of a prompt may take. What a test says must not depend on how busy the machine is that runs it. */
const patientSeconds = 120

/** Nobody connects, so nobody has to show a token; and nobody waits, so that no signal is given up early. */
function forTests({ global, ...rest }: ConfigDocument): object {
  const { management_api: _, ...services } = global?.services ?? {}
  return {
    ...rest,
    global: {
      ...global,
      services: {
        ...services,
        api: {
          ...services.api,
          routing_preview: { ...services.api?.routing_preview, request_timeout_seconds: 2 * patientSeconds },
        },
      },
      model_catalog: { ...global?.model_catalog, signal_timeout_ms: patientSeconds * 1000 },
    },
  }
}
