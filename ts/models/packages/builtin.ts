// The built-in models, from models/builtin.json: packages that come with the product, and pinned repositories of a hub.

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isRtrError, RtrError } from "../../kernel/index.ts"
import { findUp } from "../../kernel/runtime/node.ts"
import type { RecordedFiles } from "../hub/fetch-model.ts"
import { isCommit, isInnerPath, isRepository } from "../hub/repository.ts"
import { readDescription, readJsonDescription } from "./package-file.ts"

export interface BuiltinModel {
  readonly name: string
  readonly family: string
  readonly licence: string
  /** Longest input in tokens; undefined when only the repository says it. */
  readonly maxTokens: number | undefined
  readonly heads: readonly string[]
  /** The commit of a repository; the SHA-256 of the manifest of a package that comes with the product. */
  readonly revision: string
  /** Every file with its size and SHA-256. */
  readonly files: RecordedFiles
  /** Where the files are: a folder of this machine, or a repository of the hub. */
  readonly folder?: string
  readonly repository?: string
}

/**
 * Reads the list. An embedded package stands in it with its folder alone: all else is read from its own files, so that
 * nothing is said twice. Throws an `RtrError` that names the entry that is wrong.
 */
export function readBuiltinModels(file: string | undefined = findUp("models/builtin.json")): readonly BuiltinModel[] {
  if (file === undefined)
    throw new RtrError("unavailable", "Cannot find models/builtin.json, which comes with the package; install it again")
  const refuse = (problem: string): never => {
    throw new RtrError("invalid_package", `Cannot use ${file}: ${problem}`)
  }
  const list = readJson(file, refuse) as { schema?: unknown; models?: unknown } | null
  if (list?.schema !== 1) refuse("schema must be 1")
  if (!Array.isArray(list?.models)) return refuse("models must be a list")
  const models = list.models.map((entry: unknown, index) => {
    try {
      return readEntry(entry, dirname(file))
    } catch (cause) {
      return refuse(`models[${index}]: ${(cause as Error).message}`)
    }
  })
  for (const [index, { name }] of models.entries())
    if (models.findIndex((other) => other.name === name) !== index)
      refuse(`models[${index}].name "${name}" is used twice`)
  return models
}

/** Folder of an embedded package, or undefined when there is none of that name. */
export function findBuiltinPackage(name: string): string | undefined {
  return embeddedModels().find((model) => model.name === name)?.folder
}

/** Names of the packages that come with the product. */
export const builtinPackageNames = (): readonly string[] => embeddedModels().map(({ name }) => name)

let embedded: readonly BuiltinModel[] | undefined

function embeddedModels(): readonly BuiltinModel[] {
  embedded ??= readBuiltinModels().filter(({ folder }) => folder !== undefined)
  return embedded
}

interface Entry {
  readonly name?: unknown
  readonly folder?: unknown
  readonly repository?: unknown
  readonly revision?: unknown
  readonly family?: unknown
  readonly licence?: unknown
  readonly max_tokens?: unknown
  readonly heads?: unknown
  readonly files?: unknown
}

const repositoryKeys = ["name", "repository", "revision", "family", "licence", "max_tokens", "heads", "files"]

function readEntry(value: unknown, root: string): BuiltinModel {
  if (typeof value !== "object" || value === null) throw new Error("must be a map")
  const entry = value as Entry
  const allowed = entry.folder === undefined ? repositoryKeys : ["name", "folder"]
  for (const key of Object.keys(entry)) if (!allowed.includes(key)) throw new Error(`${key} is not a known key here`)
  const name = text(entry.name, "name")
  return entry.folder === undefined
    ? fromRepository(entry, name)
    : fromFolder(join(root, text(entry.folder, "folder")), name)
}

function fromFolder(folder: string, name: string): BuiltinModel {
  const manifest = readDescription(folder, "manifest.json") ?? fail(`there is no ${join(folder, "manifest.json")}`)
  const settings = readJsonDescription(folder, "rtrun.json") as {
    family: string
    licence: string
    max_tokens: number
    heads?: readonly { name: string }[]
  }
  return {
    name,
    folder,
    family: settings.family,
    licence: settings.licence,
    maxTokens: settings.max_tokens,
    heads: (settings.heads ?? []).map((head) => head.name),
    revision: createHash("sha256").update(manifest).digest("hex"),
    files: (JSON.parse(manifest.toString()) as { files: RecordedFiles }).files,
  }
}

function fromRepository(entry: Entry, name: string): BuiltinModel {
  const repository = text(entry.repository, "repository")
  if (!isRepository(repository)) fail("repository must be organisation/name")
  const revision = text(entry.revision, "revision")
  if (!isCommit(revision)) fail("revision must be a commit of 40 hexadecimal digits")
  const { max_tokens: maxTokens, heads = [] } = entry
  if (maxTokens !== undefined && typeof maxTokens !== "number") fail("max_tokens must be a number")
  if (!Array.isArray(heads)) fail("heads must be a list")
  return {
    name,
    repository,
    revision,
    family: text(entry.family, "family"),
    licence: text(entry.licence, "licence"),
    maxTokens: maxTokens as number | undefined,
    heads: (heads as readonly unknown[]).map((head) => text(head, "heads[]")),
    files: readFiles(entry.files),
  }
}

function readFiles(value: unknown): RecordedFiles {
  const files = Object.entries((value ?? {}) as Readonly<Record<string, { bytes?: unknown; sha256?: unknown } | null>>)
  if (files.length === 0) fail("files must record every file")
  for (const [path, recorded] of files) {
    if (!isInnerPath(path)) fail(`files has the path ${JSON.stringify(path)}, which leads out of the package`)
    if (!Number.isSafeInteger(recorded?.bytes)) fail(`files["${path}"].bytes must be a whole number`)
    if (!/^[0-9a-f]{64}$/.test(String(recorded?.sha256))) fail(`files["${path}"].sha256 must be 64 hexadecimal digits`)
  }
  return value as RecordedFiles
}

function text(value: unknown, key: string): string {
  return typeof value === "string" && value !== "" ? value : fail(`${key} must be a non-empty string`)
}

function fail(problem: string): never {
  throw new Error(problem)
}

function readJson(file: string, refuse: (problem: string) => never): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch (cause) {
    if (isRtrError(cause)) throw cause
    return refuse((cause as Error).message)
  }
}
