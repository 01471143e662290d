// Runs after every `npm install`: links the public entries to their sources, and the commands into node_modules/.bin.
// Plain JavaScript, because it must work on the Node that npm runs on.

import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** Files that packing puts beside the addon; a checkout uses the copies in node_modules. */
const packedLibraries = ["libonnxruntime.so.1", "libonnxruntime.dylib", "onnxruntime.dll", "ONNXRUNTIME-LICENSE"]

/** Public entries of package.json and their sources. */
const entries = {
  rtr: "ts/kernel/index.ts",
  node: "ts/node.ts",
  deno: "ts/kernel/runtime/deno.ts",
  edge: "ts/kernel/runtime/edge.ts",
  testing: "ts/testing/index.ts",
}

/** In a checkout `import "rtr"` runs the sources unbuilt: each entry is one line that points there. `npm pack` replaces them by bundles. */
function linkEntries() {
  rmSync(join(root, "dist"), { recursive: true, force: true })
  const link = (name, source) => {
    const path = join(root, "dist", name)
    mkdirSync(dirname(path), { recursive: true })
    const target = relative(dirname(path), join(root, source))
    const isModule = name.startsWith("plugins/")
    const text = isModule ? `export { default } from "${target}"\n` : `export * from "${target}"\n`
    writeFileSync(`${path}.js`, text)
    writeFileSync(`${path}.d.ts`, text)
  }
  for (const [name, source] of Object.entries(entries)) link(name, source)
  // `_shared` holds code of several modules, and no module.
  const folders = readdirSync(join(root, "ts/plugins"), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith("_"),
  )
  for (const { name: folder } of folders) {
    for (const file of readdirSync(join(root, "ts/plugins", folder)))
      link(`plugins/${folder}/${basename(file, ".ts")}`, `ts/plugins/${folder}/${file}`)
  }
}

/** npm links the bins of dependencies only; `npx rtr` in a checkout needs our own. */
function linkCommands() {
  const folder = join(root, "node_modules/.bin")
  mkdirSync(folder, { recursive: true })
  for (const name of ["rtr", "rtrun"]) {
    rmSync(join(folder, name), { force: true })
    symlinkSync(join("../../bin", `${name}.js`), join(folder, name))
  }
}

// npm runs this between `prepack` and packing too, where it would undo the bundles; `postpack` asks for it by name.
if (process.env.npm_command !== "pack" || process.argv.includes("--after-pack")) {
  linkEntries()
  linkCommands()
  for (const name of packedLibraries) rmSync(join(root, "native", name), { force: true })
}
