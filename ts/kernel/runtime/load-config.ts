// Reads a configuration file and checks it with the modules it names.

import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { type NeededDeployment, neededDeployments } from "../config/deployments.ts"
import { readDocument } from "../config/document.ts"
import type { Environment } from "../config/environment.ts"
import { resolveDocument, type ResolvedDocument } from "../config/resolve.ts"
import { ConfigError } from "../config/config-error.ts"
import { RtrError } from "../error.ts"
import type { Registry } from "../modules/registry.ts"
import { sha256 } from "./edge.ts"
import { loadRegistry } from "./node-modules.ts"
import { readHeads } from "./packages/read-heads.ts"

/** A configuration file, checked. */
export interface LoadedConfig extends ResolvedDocument {
  readonly path: string
  readonly hash: string
  readonly registry: Registry
}

/** Reads and checks a file. Rejects with a `ConfigError` that lists every problem, or an `RtrError` when it cannot be read. */
export async function loadConfig(path: string, environment: Environment = process.env): Promise<LoadedConfig> {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (cause) {
    const missing = (cause as { code?: unknown }).code === "ENOENT"
    throw new RtrError(
      "invalid_config",
      missing
        ? `There is no file ${path}; make one with: rtr config init --output ${path}`
        : `Cannot read ${path}: ${(cause as Error).message}`,
      { cause },
    )
  }
  const document = readDocument(text, path)
  const registry = await loadRegistry(document.value, dirname(resolve(path)), (problems) => {
    throw new ConfigError(
      path,
      problems.map((problem) => {
        const position = document.locate(problem.path)
        return position === undefined ? problem : { ...problem, position }
      }),
    )
  })
  return {
    ...resolveDocument(document, { source: path, registry, environment, readHeads }),
    path,
    hash: await sha256(text),
    registry,
  }
}

/** Deployments that a loaded configuration needs. */
export function deploymentsOf(config: LoadedConfig): readonly NeededDeployment[] {
  return neededDeployments(config.document, config.registry)
}
