// Licences: which one a package has, and whether somebody has to accept it first.

import { isRtrError, RtrError } from "../../kernel/index.ts"
import { readDescription } from "./package-file.ts"

/** Licences that allow any use and ask for no consent. Every other named licence has to be accepted. */
const free: ReadonlySet<string> = new Set([
  "0bsd",
  "apache-2.0",
  "bsd",
  "bsd-2-clause",
  "bsd-3-clause",
  "bsl-1.0",
  "cc-by-2.0",
  "cc-by-3.0",
  "cc-by-4.0",
  "cc0-1.0",
  "cdla-permissive-1.0",
  "cdla-permissive-2.0",
  "isc",
  "mit",
  "mit-0",
  "ms-pl",
  "ncsa",
  "odc-by",
  "pddl",
  "unlicense",
  "wtfpl",
  "zlib",
])

/**
 * The licence that a package names: in `rtrun.json`, or in the head of its model card. Undefined when it names none.
 * Throws an `RtrError` for one of these files that is a link out of the package, no regular file, or far too long.
 */
export function readLicence(folder: string): string | undefined {
  return fromSettings(read(folder, "rtrun.json")) ?? fromCard(read(folder, "README.md"))
}

/** Throws an `RtrError` with the option to give when a licence needs acceptance and has not got it. */
export function requireAcceptedLicence(model: string, licence: string | undefined, accepted: readonly string[]): void {
  if (licence === undefined) return
  const same = (id: string): boolean => id.toLowerCase() === licence.toLowerCase()
  // An expression such as "MIT OR Apache-2.0" is free if each part is.
  if (licence.split(/ (?:OR|AND) /i).every((id) => free.has(id.toLowerCase())) || accepted.some(same)) return
  throw new RtrError(
    "invalid_options",
    `Cannot load ${model}: its licence "${licence}" has to be accepted; read it and give --accept-licence ${quote(licence)}`,
  )
}

const quote = (licence: string): string => (/^[\w.+-]+$/.test(licence) ? licence : JSON.stringify(licence))

function read(folder: string, name: string): string {
  try {
    return readDescription(folder, name)?.toString() ?? ""
  } catch (error) {
    // What the file system refuses has a cause; the engine says what is wrong with such files.
    if (isRtrError(error) && error.cause === undefined) throw error
    return ""
  }
}

function fromSettings(text: string): string | undefined {
  try {
    const { licence } = JSON.parse(text) as { licence?: unknown }
    return typeof licence === "string" && licence !== "" ? licence : undefined
  } catch {
    return undefined
  }
}

/** `license_name` says which, where `license` only says "other". */
function fromCard(text: string): string | undefined {
  const [, head = ""] = /^---\r?\n(.*?)\r?\n---/s.exec(text) ?? []
  const valueOf = (key: string): string | undefined =>
    new RegExp(`^${key}:[ \\t]*(?:\\[[ \\t]*|\\r?\\n[ \\t]*-[ \\t]+)?["']?([^"'\\s#\\],]+)`, "m").exec(head)?.[1]
  const licence = valueOf("license")
  return licence?.toLowerCase() === "other" ? (valueOf("license_name") ?? licence) : licence
}
