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
  /** What loads at start: the kernel with h3, TypeBox and the rest of what it imports. */
  readonly kernel: Bytes
  /** The part of it that is the kernel's own code. */
  readonly kernelOwn: Bytes
  /** With every module that loads on first use, and what those import. */
  readonly withModules: Bytes
}

/** Bundles `rtr`'s public entry, minified, without Node's own modules. */
export async function measureBundle(): Promise<BundleFigures> {
  const whole = await bundle(() => false)
  const own = await bundle((id) => !id.startsWith(".") && !id.startsWith("/"))
  return {
    kernel: bytesOf(staticClosure(whole)),
    kernelOwn: bytesOf(staticClosure(own)),
    withModules: bytesOf(whole),
  }
}

async function bundle(external: (id: string) => boolean): Promise<readonly OutputChunk[]> {
  const build = await rolldown({
    input: join(repository, "ts/kernel/index.ts"),
    platform: "neutral",
    external: (id) => id.startsWith("node:") || external(id),
    resolve: { mainFields: ["module", "main"] },
    logLevel: "silent",
  })
  const { output } = await build.generate({ format: "esm", minify: true })
  await build.close()
  return output.filter((file) => file.type === "chunk")
}

/** The entry and what it imports at once, without what it imports on first use. */
function staticClosure(chunks: readonly OutputChunk[]): readonly OutputChunk[] {
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
function bytesOf(chunks: readonly OutputChunk[]): Bytes {
  const sum = (read: (code: Buffer) => number): number =>
    chunks.reduce((total, { code }) => total + read(Buffer.from(code)), 0)
  return { minified: sum(({ length }) => length), gzip: sum((code) => gzipSync(code, { level: 9 }).length) }
}
