// A hub on this machine: repositories from memory, small files from the hub itself, large ones from a second origin, and faults.

import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { type HubSettings, readHubSettings } from "../../ts/models/hub/settings.ts"

export interface FakeRepository {
  readonly commit: string
  /** Branches and tags; `main` is always one. */
  readonly revisions?: readonly string[]
  readonly files: Readonly<Record<string, string | Buffer>>
  /** Listed, but not there. */
  readonly ghosts?: readonly string[]
  /** Only requests with this token see it. */
  readonly token?: string
}

export interface SeenRequest {
  /** The hub itself, or the server of large files. */
  readonly server: "hub" | "content"
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
}

/** Answers a request wrongly and returns true, or returns false to let the hub answer. */
export type Fault = (request: SeenRequest, response: ServerResponse) => boolean

export interface FakeHub {
  readonly endpoint: string
  readonly contentOrigin: string
  readonly requests: SeenRequest[]
  readonly faults: Fault[]
}

/** Files of this size and more come from the second origin, with a SHA-256. */
export const largeBytes = 10_000

export const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex")

export const gitSha1 = (content: string | Buffer): string =>
  createHash("sha1")
    .update(`blob ${Buffer.byteLength(content)}\0`)
    .update(content)
    .digest("hex")

/** Serves repositories until the test ends. */
export async function startFakeHub(repositories: Readonly<Record<string, FakeRepository>>): Promise<FakeHub> {
  const requests: SeenRequest[] = []
  const faults: Fault[] = []
  const serve = async (name: SeenRequest["server"], answer: Answer): Promise<string> => {
    const server = createServer((request, response) => {
      const seen = { server: name, method: request.method ?? "", path: request.url ?? "", headers: request.headers }
      requests.push(seen)
      if (!faults.some((fault) => fault(seen, response))) answer(seen, response)
    })
    return listen(server)
  }
  const contents = new Map<string, Buffer>()
  const contentOrigin = await serve("content", (request, response) => {
    const content = contents.get(new URL(request.path, "http://content").pathname.slice(1))
    if (content === undefined) return refuse(response, 404)
    return sendFile(request, response, content, { etag: `"content-${content.length}"` })
  })
  const endpoint = await serve("hub", (request, response) => {
    const path = decodeURIComponent(new URL(request.path, "http://hub").pathname)
    const [, api, name = "", rest = ""] =
      /^(\/api\/models)?\/([^/]+\/[^/]+)\/(?:revision|resolve)\/(.+)$/.exec(path) ?? []
    const repository = repositories[name]
    const isOpen = repository?.token === undefined || request.headers.authorization === `Bearer ${repository.token}`
    if (repository === undefined || !isOpen)
      return refuse(response, request.headers.authorization === undefined ? 401 : 404, "RepoNotFound")
    return api === undefined
      ? sendResolved(repository, rest, { request, response, contents, contentOrigin })
      : sendListing(repository, rest, response)
  })
  return { endpoint, contentOrigin, requests, faults }
}

type Answer = (request: SeenRequest, response: ServerResponse) => void

async function listen(server: Server): Promise<string> {
  server.on("connection", (socket) => socket.on("error", () => {}))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function refuse(response: ServerResponse, status: number, code?: string): void {
  response.writeHead(status, code === undefined ? {} : { "x-error-code": code }).end("not this one")
}

function sendListing(repository: FakeRepository, revision: string, response: ServerResponse): void {
  const known = ["main", ...(repository.revisions ?? [])]
  const isKnown = known.includes(revision) || (revision.length >= 7 && repository.commit.startsWith(revision))
  if (!isKnown) return refuse(response, 404, "RevisionNotFound")
  const siblings = [...Object.keys(repository.files), ...(repository.ghosts ?? [])].map((rfilename) => ({ rfilename }))
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify({ sha: repository.commit, siblings }))
}

function sendResolved(
  repository: FakeRepository,
  rest: string,
  at: { request: SeenRequest; response: ServerResponse; contents: Map<string, Buffer>; contentOrigin: string },
): void {
  const [commit = "", ...names] = rest.split("/")
  const file = repository.files[names.join("/")]
  if (commit !== repository.commit) return refuse(at.response, 404, "RevisionNotFound")
  if (file === undefined) return refuse(at.response, 404, "EntryNotFound")
  const content = Buffer.from(file)
  const common = { "x-repo-commit": commit }
  if (content.length < largeBytes)
    return sendFile(at.request, at.response, content, { ...common, etag: `"${gitSha1(content)}"` })
  const digest = sha256(content)
  at.contents.set(digest, content)
  at.response.writeHead(302, {
    ...common,
    etag: '"of-the-redirect"',
    "x-linked-etag": `"${digest}"`,
    "x-linked-size": String(content.length),
    location: `${at.contentOrigin}/${digest}?Signature=of-this-address`,
  })
  at.response.end()
}

function sendFile(
  { method, headers }: SeenRequest,
  response: ServerResponse,
  content: Buffer,
  extra: Readonly<Record<string, string>>,
): void {
  const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? "") ?? []
  const tag = headers["if-range"]
  const start = from !== undefined && (tag === undefined || tag === extra["etag"]) ? Number(from) : 0
  const isPart = start > 0
  const body = content.subarray(start)
  response.writeHead(isPart ? 206 : 200, {
    "content-type": "application/octet-stream",
    ...extra,
    "content-length": String(body.length),
    ...(isPart && { "content-range": `bytes ${start}-${content.length - 1}/${content.length}` }),
  })
  response.end(method === "HEAD" ? undefined : body)
}

/** A fault that comes a number of times, for requests that fit. */
export function times(count: number, fits: (request: SeenRequest) => boolean, answer: Answer): Fault {
  let left = count
  return (request, response) => {
    if (left === 0 || !fits(request)) return false
    left -= 1
    answer(request, response)
    return true
  }
}

export const isContent = ({ server, method }: SeenRequest): boolean => server === "content" && method === "GET"

/** Sends the beginning of a body and cuts the connection. */
export const cutAfter =
  (content: Buffer, bytes: number): Answer =>
  (_, response) => {
    response.writeHead(200, { "content-length": String(content.length), etag: `"content-${content.length}"` })
    response.write(content.subarray(0, bytes), () => setTimeout(() => response.destroy(), 20))
  }

/** An empty cache folder that is gone after the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rtr-hub-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface TestSettings extends HubSettings {
  /** Milliseconds of every wait between two tries. */
  readonly waits: number[]
}

/** Settings for a fake hub that wait for nothing. */
export function settingsFor(
  hub: Pick<FakeHub, "endpoint">,
  more: Partial<HubSettings> & { readonly environment?: Readonly<Record<string, string>> } = {},
): TestSettings {
  const { environment, ...rest } = more
  const waits: number[] = []
  const settings = readHubSettings({
    cacheFolder: emptyFolder(),
    environment: { HOME: emptyFolder(), HUB_ENDPOINT: hub.endpoint, ...environment },
  })
  return {
    ...settings,
    stallMs: 2000,
    wait: async (milliseconds) => void waits.push(milliseconds),
    ...rest,
    waits,
  }
}
