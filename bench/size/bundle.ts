// Bytes of the kernel as an edge host would ship it.

import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { type OutputChunk, rolldown } from "rolldown"
import { repository } from "../_shared/options.ts"

export interface Bytes {
  readonly minified: number
  readonly gzip: number
}

export interface BundleFigures {
  /** A worker with the chat route, one dialect, one provider, the rule signals and all that they load at start. */
  readonly edge: Bytes
  /** What `import "rtr"` loads: the whole public interface of the kernel, with h3, TypeBox and the rest of what it imports. */
  readonly kernel: Bytes
  /** The part of it that is the kernel's own code. */
  readonly kernelOwn: Bytes
  /** With every module that loads on first use, and what those import. */
  readonly withModules: Bytes
}

/** Bundles an edge worker and `rtr`'s public entry, minified, without Node's own modules. */
export async function measureBundle(): Promise<BundleFigures> {
  const entry = join(repository, "ts/kernel/index.ts")
  const whole = await bundleForEdge(entry)
  const own = await bundleForEdge(entry, (id) => !id.startsWith(".") && !id.startsWith("/"))
  return {
    edge: bytesOf(staticClosure(await bundleForEdge(edgeWorker))),
    kernel: bytesOf(staticClosure(whole)),
    kernelOwn: bytesOf(staticClosure(own)),
    withModules: bytesOf(whole),
  }
}

/** The worker whose size has a budget. */
export const edgeWorker: string = join(import.meta.dirname, "edge/worker.ts")

/** Bundles the sources of an entry for hosts with web interfaces only. `rtr` and its entries are those of this checkout. */
export async function bundleForEdge(
  input: string,
  external: (id: string) => boolean = () => false,
): Promise<readonly OutputChunk[]> {
  const build = await rolldown({
    input,
    platform: "neutral",
    external: (id) => id.startsWith("node:") || external(id),
    resolve: { mainFields: ["module", "main"] },
    plugins: [{ name: "sources of this checkout", resolveId: sourceOf }],
    logLevel: "silent",
  })
  const { output } = await build.generate({ format: "esm", minify: true })
  await build.close()
  return output.filter((file) => file.type === "chunk")
}

/** The file in `ts` of a public entry of the package. */
function sourceOf(id: string): string | undefined {
  const match = /^rtr(?:\/(.+))?$/.exec(id)
  if (match === null) return undefined
  const entry = match[1] ?? ""
  if (entry.startsWith("plugins/")) return join(repository, "ts", `${entry}.ts`)
  return join(repository, entry === "" ? "ts/kernel/index.ts" : `ts/kernel/runtime/${entry}.ts`)
}

/** The entry and what it imports at once, without what it imports on first use. */
export function staticClosure(chunks: readonly OutputChunk[]): readonly OutputChunk[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set<OutputChunk>()
  const add = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || found.has(chunk)) return
    found.add(chunk)
    for (const name of chunk.imports) add(byName.get(name))
  }
  add(chunks.find(({ isEntry }) => isEntry))
  return [...found]
}

/** Files are compressed one by one, as a server would send them. */
export function bytesOf(chunks: readonly OutputChunk[]): Bytes {
  const sum = (read: (code: Buffer) => number): number =>
    chunks.reduce((total, { code }) => total + read(Buffer.from(code)), 0)
  return { minified: sum(({ length }) => length), gzip: sum((code) => gzipSync(code, { level: 9 }).length) }
}
