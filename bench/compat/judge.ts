// What the router says to one document: its own loader, then its own activation with a backend and local models that are fakes.

import { ConfigError } from "../../ts/kernel/config/config-error.ts"
import { loadDocument } from "../../ts/kernel/generations/prepare.ts"
import { createRouter } from "../../ts/kernel/kernel.ts"
import { checkHost } from "../../ts/kernel/config/host-matters.ts"
import { internalListener } from "../../ts/kernel/config/sections/management-reach.ts"
import { sha256 } from "../../ts/kernel/runtime/bare-kernel.ts"
import { readDocumentFile } from "../../ts/kernel/runtime/document-files.ts"
import { loadBuiltins, loadRegistryFor } from "../../ts/kernel/runtime/node-modules.ts"
import type { Registry } from "../../ts/kernel/modules/registry.ts"
import { formatPath, type Problem } from "../../ts/kernel/schema/problem.ts"
import { readHeads } from "../../ts/models/packages/read-heads.ts"
import { createFakeInference } from "../../ts/testing/fake-inference.ts"
import { createAnsweringTransport } from "./backend.ts"
import type { CorpusDocument } from "./corpus.ts"

export interface Judgement {
  /** As `rtr config validate` judges. */
  readonly valid: boolean
  /** It is valid, and served only with `--allow-missing-plugins`. */
  readonly needsMissingParts: boolean
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** What a start and one question gave; undefined where none was tried. */
  readonly started: Started | undefined
}

export interface Started {
  readonly result: StartResult
  /** The status of the answer, or why there is none. */
  readonly outcome: string
}

/**
 * What became of a start and one question: a model answered; the router serves and the document has no model for the question,
 * because it has no backend or routes other questions; its state is on a server that is not there; or it failed.
 */
export type StartResult = "answered" | "no_model" | "no_server" | "failed"

export async function judge(document: CorpusDocument, start: boolean): Promise<Judgement> {
  const environment = dummyEnvironment(document.text)
  const { text, file: source } = document
  try {
    const loaded = await loadDocument(
      {
        environment: () => environment,
        loadRegistry: loadRegistryFor,
        readHeads,
        readFile: readDocumentFile,
        missingParts: "tell",
        onlyCheck: { checkHost },
      },
      { text, source },
    )
    return {
      valid: true,
      needsMissingParts: loaded.warnings.some(({ message }) => message.includes("--allow-missing-plugins")),
      problems: [],
      warnings: loaded.warnings.map(describe),
      started: start ? await startAndAsk(document, environment) : undefined,
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      valid: false,
      needsMissingParts: false,
      problems: error.problems.map(describe),
      warnings: [],
      started: start ? { result: "failed", outcome: "refused" } : undefined,
    }
  }
}

function describe({ path, message }: Problem): string {
  return `${formatPath(path)}: ${message}`
}

/**
 * A value for every variable that a document may read, so that none is missing. What it is called decides its shape: nothing is
 * ever sent with it.
 */
function dummyEnvironment(text: string): Record<string, string> {
  const names = [
    ...[...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name]) => name ?? ""),
    ...[...text.matchAll(/env["']?:\s*["']?([A-Za-z_]\w*)/g)].map(([, name]) => name ?? ""),
  ]
  return Object.fromEntries([...names, internalListener].map((name) => [name, dummyFor(name)]))
}

function dummyFor(name: string): string {
  if (name === internalListener) return "true"
  if (/PORT/.test(name)) return "8000"
  if (/URL|ENDPOINT|BASE/.test(name)) return "http://127.0.0.1:1"
  return /HOST|ADDRESS/.test(name) ? "127.0.0.1" : "dummy"
}

let builtins: Promise<Registry> | undefined

async function startAndAsk(
  { text, file }: CorpusDocument,
  environment: Readonly<Record<string, string>>,
): Promise<Started> {
  builtins ??= loadBuiltins()
  const router = createRouter({
    builtins: await builtins,
    loadRegistry: loadRegistryFor,
    transport: createAnsweringTransport(),
    environment: () => environment,
    hash: sha256,
    readHeads,
    readFile: readDocumentFile,
    checkHost,
    missingParts: "allow",
    inference: createFakeInference({ labels: ["safe", "unsafe"] }),
  })
  try {
    const outcome = await router.activate({ text, source: file, trigger: "start" })
    if (outcome.result === "rejected") return failed(outcome.error)
    router.setPhase("ready")
    const [model = "auto"] = router.plan()?.autoNames ?? []
    const response = await router.inference.fetch(question(text, model))
    return answered(response.status, await response.text())
  } catch (error) {
    return failed(error)
  } finally {
    await router.close()
  }
}

function failed(error: unknown): Started {
  const outcome = error instanceof Error ? error.message : String(error)
  return { result: outcome.startsWith("Cannot use the Redis server") ? "no_server" : "failed", outcome }
}

/** Refusals by which the router says that the document has no model for a question. */
const withoutModel: readonly (readonly [status: number, message: RegExp])[] = [
  [501, /^Cannot call model ".*": it is only described/],
  [400, /^No decision matched the request, and there is no default model/],
  [400, /^Decision ".*" has no model/],
]

function answered(status: number, reply: string): Started {
  if (status === 200) return { result: "answered", outcome: "200" }
  const message = messageOf(reply)
  const isExpected = withoutModel.some(([expected, pattern]) => expected === status && pattern.test(message))
  return { result: isExpected ? "no_model" : "failed", outcome: `${status} ${message.slice(0, 160)}` }
}

function messageOf(reply: string): string {
  try {
    return (JSON.parse(reply) as { readonly error: { readonly message: string } }).error.message
  } catch {
    return reply
  }
}

function question(text: string, model: string): Request {
  const key = /api_keys:\s*\[?\s*-?\s*["']?([\w-]+)/.exec(text)?.[1] ?? "dummy"
  return new Request("http://localhost/v1/chat/completions", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
      "x-authz-user-id": "user",
      "x-authz-user-groups": "users",
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "What is 2 + 2?" }] }),
  })
}
