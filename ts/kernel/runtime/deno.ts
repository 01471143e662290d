// The entry `rtr/deno`: the kernel on Deno, with outside modules loaded from files and URLs.

import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { readDocument } from "../config/document.ts"
import { RtrError } from "../error.ts"
import { loadedInTime } from "../modules/within-time.ts"
import { moduleId } from "./bare-kernel.ts"
import { createKernel, type Kernel, type KernelOptions } from "./edge.ts"

export { createBareKernel, createKernel, type Kernel, type KernelOptions } from "./edge.ts"

/** The parts of Deno that are used here; its own types are not needed to check this file. */
interface DenoGlobal {
  readTextFile(path: string): Promise<string>
  readonly env: { toObject(): Record<string, string> }
  serve(
    options: { hostname: string; port: number; onListen?: () => void },
    handler: (request: Request) => Response | Promise<Response>,
  ): { shutdown(): Promise<void>; readonly addr: { readonly port: number } }
}

const deno = (): DenoGlobal => (globalThis as unknown as { Deno: DenoGlobal }).Deno

export type LoadOptions = Omit<KernelOptions, "config" | "source">

/** Makes a kernel from a configuration file. Modules that it names are imported relative to it. */
export async function loadKernel(path: string, options: LoadOptions = {}): Promise<Kernel> {
  const config = await deno().readTextFile(path)
  const named = (readDocument(config, path).value as { modules?: unknown } | null)?.modules
  const modules: Record<string, unknown> = { ...options.modules }
  const loaded = new Set<string>()
  for (const [index, name] of (Array.isArray(named) ? named : []).entries())
    if (typeof name === "string") {
      const id = moduleId(name)
      if (loaded.has(id))
        throw new RtrError("invalid_module", `Cannot load module ${name}: another one has the id "${id}"; rename it`, {
          path: ["modules", index],
        })
      loaded.add(id)
      modules[id] = await loadModule(name, index, dirname(path))
    }
  return createKernel({ environment: deno().env.toObject(), ...options, config, source: path, modules })
}

async function loadModule(name: string, index: number, folder: string): Promise<unknown> {
  const url = name.startsWith(".") ? pathToFileURL(join(folder, name)).href : name
  try {
    return await loadedInTime(import(url))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "it threw"
    throw new RtrError("invalid_module", `Cannot load module ${name}: ${reason}`, { path: ["modules", index], cause })
  }
}

export interface DenoServer {
  readonly port: number
  /** Lets running requests finish. */
  stop(): Promise<void>
}

/** Serves the inference surface on the first listener of the document. */
export function serveKernel(
  kernel: Kernel,
  address: { readonly hostname?: string; readonly port?: number } = {},
): DenoServer {
  const listener = kernel.plan.listeners[0]
  const server = deno().serve(
    {
      hostname: address.hostname ?? listener?.address ?? "127.0.0.1",
      port: address.port ?? listener?.port ?? 8801,
      onListen: () => {},
    },
    (request) => kernel.fetch(request),
  )
  return { port: server.addr.port, stop: () => server.shutdown() }
}
