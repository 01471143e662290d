// Where the hub and its cache are, and how patient to be: options first, then the environment, then the defaults.

import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readPlainUrl, RtrError } from "../../kernel/index.ts"

export interface HubSettings {
  /** Base address without a slash at its end; may have a path, as mirrors do. */
  readonly endpoint: string
  /** The access token. A function, so that printing the settings never prints it. */
  readonly token: () => string | undefined
  readonly cacheFolder: string
  /** Only cached files are used. */
  readonly offline: boolean
  /** Tries in a row without progress. */
  readonly attempts: number
  /** Milliseconds before the second try; it doubles up to `longestWaitMs`. */
  readonly firstWaitMs: number
  readonly longestWaitMs: number
  /** Milliseconds without a byte after which a connection counts as cut. */
  readonly stallMs: number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

export interface HubOptions {
  readonly cacheFolder?: string | undefined
  readonly offline?: boolean | undefined
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}

/** Reads the settings. Throws an `RtrError` for an endpoint or a token that cannot be used; neither is ever printed whole. */
export function readHubSettings(options: HubOptions = {}): HubSettings {
  const environment = options.environment ?? process.env
  const token = readToken(environment)
  return Object.freeze({
    endpoint: readEndpoint(environment["HUB_ENDPOINT"]),
    token: () => token,
    cacheFolder: resolve(options.cacheFolder ?? cacheFolderOf(environment)),
    offline: options.offline === true || isOn(environment["HUB_OFFLINE"]),
    attempts: 5,
    firstWaitMs: 1000,
    longestWaitMs: 30_000,
    stallMs: 30_000,
    wait: (milliseconds: number) => sleep(milliseconds),
  })
}

type Environment = Readonly<Record<string, string | undefined>>

const isOn = (value: string | undefined): boolean => value !== undefined && /^(1|true|yes|on)$/i.test(value)

function readEndpoint(value: string | undefined): string {
  const url = readPlainUrl(value?.trim() || "https://huggingface.co")
  if (url === undefined)
    throw new RtrError(
      "invalid_options",
      "Cannot use HUB_ENDPOINT: it must be an http or https address without user, query or fragment, such as https://hub.example.com",
    )
  return url.href.replace(/\/+$/, "")
}

/** The folder that the hub's own tools use, so that what they have downloaded is found. */
function cacheFolderOf(environment: Environment): string {
  const own = environment["RTRUN_CACHE_DIR"] || environment["HUB_CACHE"] || environment["HF_HUB_CACHE"]
  return own || join(toolFolder(environment), "hub")
}

const toolFolder = (environment: Environment): string =>
  environment["HF_HOME"] || join(environment["XDG_CACHE_HOME"] || join(homeOf(environment), ".cache"), "huggingface")

const homeOf = (environment: Environment): string => environment["HOME"] || homedir()

function readToken(environment: Environment): string | undefined {
  const given = environment["HUB_TOKEN"]?.trim()
  if (given) return checkToken(given, "HUB_TOKEN")
  const file = environment["HUB_TOKEN_PATH"] || environment["HF_TOKEN_PATH"] || join(toolFolder(environment), "token")
  if (!existsSync(file)) return undefined
  const stored = readTokenFile(file)
  return stored === "" ? undefined : checkToken(stored, `the token file ${file}`)
}

function readTokenFile(file: string): string {
  try {
    return readFileSync(file, "utf8").trim()
  } catch (cause) {
    throw new RtrError("invalid_options", `Cannot read the token file ${file}: ${(cause as Error).message}`, { cause })
  }
}

function checkToken(token: string, source: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new RtrError("invalid_options", `Cannot use ${source}: it must be one word of visible ASCII characters`)
}
