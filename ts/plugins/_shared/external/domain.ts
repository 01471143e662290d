// Who tells the subject of a text where the document names an external model or an MCP server for it.

import {
  type BoundService,
  literals,
  readPlainUrl,
  type Report,
  section,
  type Static,
  Type,
} from "../../../kernel/index.ts"
import { backend, type BackendUse, backendUse, modelOfUse } from "./backend.ts"
import { useProblem } from "./check.ts"
import { externalClassifier } from "./classifier.ts"
import { mcpService } from "./mcp.ts"
import { isLocal } from "./mcp-client.ts"
import { modulesOf } from "./uses.ts"

/** Keys of `modules.classifier.domain`. */
export const domainBackend = { backend }

/** `modules.classifier.mcp`. */
export const mcp = section({
  enabled: Type.Optional(Type.Boolean()),
  transport_type: Type.Optional(
    literals(["", "stdio", "streamable-http"], {
      description: "stdio: a process on this machine; by url or command when left out",
    }),
  ),
  command: Type.Optional(Type.String({ minLength: 1, description: "For stdio: the program" })),
  args: Type.Optional(Type.Array(Type.String())),
  env: Type.Optional(
    Type.Unsafe<Readonly<Record<string, string>>>({
      type: "object",
      additionalProperties: { type: "string" },
      description: "Variables of the program, which gets none of the router's but those that every program needs",
    }),
  ),
  url: Type.Optional(Type.String({ minLength: 1, description: "For streamable-http" })),
  tool_name: Type.Optional(
    Type.String({ minLength: 1, description: "classify_text, or one of like name, when left out" }),
  ),
  threshold: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "Confidence that a category needs; 0.5 when left out" }),
  ),
  timeout_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 3600, description: "Longest wait for an answer; 0 is as left out: 30" }),
  ),
})
export type McpClassifier = Static<typeof mcp>

/** The MCP classifier, where it is on. */
export function mcpOf(document: object): McpClassifier | undefined {
  const { mcp: settings } = modulesOf(document).classifier ?? {}
  return settings?.enabled === true ? settings : undefined
}

const domainUse = (document: object): BackendUse | undefined => backendUse(modulesOf(document).classifier?.domain ?? {})

export function domainServices(document: object): readonly BoundService[] {
  const server = mcpOf(document)
  if (server !== undefined) return [{ binding: "domain_classifier", service: mcpService(server) }]
  const use = domainUse(document)
  const model = use && modelOfUse(document, use, "classification")
  return model === undefined
    ? []
    : [{ binding: "domain_classifier", service: externalClassifier(model, { timeoutMs: use?.timeoutMs }) }]
}

/** Paths start at `global`. */
export function checkDomain(document: object, report: Report): void {
  checkMcp(document, report)
  const use = domainUse(document)
  if (use === undefined) return
  const at = ["model_catalog", "modules", "classifier", "domain", "backend"]
  if (mcpOf(document) !== undefined) report(at, "has no effect beside classifier.mcp, which answers", "warning")
  if (use.protocol !== "http_classify")
    report([...at, "protocol"], "must be http_classify: the subject needs a score for each label")
  const problem = useProblem(document, { name: use.name, role: "classification", isChat: false })
  if (problem !== undefined) report([...at, "model"], problem)
}

function checkMcp(document: object, report: Report): void {
  const server = mcpOf(document)
  if (server === undefined) return
  const at = ["model_catalog", "modules", "classifier", "mcp"]
  const [needed, other] = isLocal(server) ? (["command", "url"] as const) : (["url", "command"] as const)
  if (server[needed] === undefined)
    report([...at, needed], `is missing; transport_type ${isLocal(server) ? "stdio" : "streamable-http"} needs it`)
  if (server[other] !== undefined) report([...at, other], `has no effect beside ${needed}`, "warning")
  if (server.url !== undefined && readPlainUrl(server.url) === undefined)
    report([...at, "url"], "must be an http or https URL without credentials, query and spaces")
}
