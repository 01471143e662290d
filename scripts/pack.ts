// What `npm pack` ships: bundles of every public entry and command, their types, and the ONNX Runtime library.

import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { build } from "rolldown"

const root = join(import.meta.dirname, "..")
const dist = join(root, "dist")
const source = (path: string): string => join(root, "ts", path)

/** One for each kind; `_shared` holds code of several modules, and no module. */
const moduleFolders = readdirSync(source("plugins"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
  .map(({ name }) => name)

/** Bundle name to source: the public entries, every module, and the two commands. */
const entries: Readonly<Record<string, string>> = {
  rtr: source("kernel/index.ts"),
  node: source("node.ts"),
  deno: source("kernel/runtime/deno.ts"),
  edge: source("kernel/runtime/edge.ts"),
  testing: source("testing/index.ts"),
  "cli/rtr": source("cli/rtr.ts"),
  "cli/rtrun": source("cli/rtrun.ts"),
  ...Object.fromEntries(
    moduleFolders.flatMap((folder) =>
      readdirSync(source(`plugins/${folder}`)).map((file) => [
        `plugins/${folder}/${basename(file, ".ts")}`,
        source(`plugins/${folder}/${file}`),
      ]),
    ),
  ),
}

const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  dependencies: Readonly<Record<string, string>>
}
const packages = Object.keys(dependencies)

rmSync(dist, { recursive: true, force: true })
await build({
  input: entries,
  // With `node` the bundler adds imports of Node's modules to shared chunks, which edge hosts cannot load.
  platform: "neutral",
  external: (id) => id.startsWith("node:") || packages.some((name) => id === name || id.startsWith(`${name}/`)),
  resolve: { alias: { "rtr/node": source("node.ts"), rtr: source("kernel/index.ts") } },
  output: { dir: dist, format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
})
writeTypes()
copyRuntimeLibrary()

/** Declarations of the sources, and for each bundle a line that points to its own. */
function writeTypes(): void {
  const types = join(dist, "types")
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", join(root, "scripts/tsconfig.types.json")], {
    stdio: "inherit",
  })
  for (const [name, file] of Object.entries(entries)) {
    if (name.startsWith("cli/")) continue
    const path = join(dist, `${name}.d.ts`)
    const target = relative(dirname(path), join(types, relative(join(root, "ts"), file))).replace(/\.ts$/, ".js")
    writeFileSync(
      path,
      name.startsWith("plugins/") ? `export { default } from "./${target}"\n` : `export * from "./${target}"\n`,
    )
  }
}

/** The library travels inside the package: its own npm package downloads more at installation, which fails without a network. */
function copyRuntimeLibrary(): void {
  const names: Readonly<Record<string, string>> = {
    linux: "libonnxruntime.so.1",
    darwin: "libonnxruntime.dylib",
    win32: "onnxruntime.dll",
  }
  const name = names[process.platform] ?? "libonnxruntime.so.1"
  const folder = join(root, "node_modules/onnxruntime-node")
  copyFileSync(join(folder, "bin/napi-v6", process.platform, process.arch, name), join(root, "native", name))
  const licence = ["LICENSE", "LICENSE.txt"].map((file) => join(folder, file)).find(existsSync)
  if (licence !== undefined) copyFileSync(licence, join(root, "native/ONNXRUNTIME-LICENSE"))
}
