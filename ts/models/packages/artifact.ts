// What the artifact of a deployment means: a built-in package, or a folder, whose path starts at that of the document.

import { statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { findBuiltinPackage } from "./builtin.ts"

/**
 * The name of a built-in package, or the absolute path of a folder, whether it is there or not. `source` is the path of the
 * document; without one relative paths start at the working directory.
 */
export function locateArtifact(artifact: string, source = ""): string {
  return findBuiltinPackage(artifact) === undefined ? resolve(dirname(source), artifact) : artifact
}

/** Whether what `locateArtifact` has returned is on this machine. */
export const isHere = (located: string): boolean => findBuiltinPackage(located) !== undefined || isFolder(located)

export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
