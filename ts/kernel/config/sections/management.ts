// `global.services.management_api` and `global.services.api`: the management listener, who may use it, and its preview.

import { Type, type Static } from "typebox"
import { RtrError } from "../../error.ts"
import { invalid, oneOf, type Problem, suggestion } from "../../schema/problem.ts"
import { formOf, literals, mapOf, name, port, section } from "../../schema/shapes.ts"
import type { ManagementToken, PlannedManagement } from "../../types/plan.ts"
import { permissions } from "../../types/route.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { type Environment, readVariable, shownVariable } from "../environment.ts"
import { isHeaderValue } from "../header-text.ts"
import { duplicates } from "../duplicates.ts"
import { variableName } from "./backends.ts"
import { checkAddress, listenersOf } from "./listeners.ts"

const auth = section({
  mode: Type.Optional(literals(["disabled", "bearer"])),
  tokens: Type.Optional(Type.Array(section({ env: variableName, role: name }))),
  roles: Type.Optional(
    mapOf(Type.Array(Type.String()), {
      description: "Permissions by role, * for every one; replaces the roles viewer, operator and admin",
    }),
  ),
})

export const managementSchema = section({
  bind_address: Type.Optional(
    Type.String({
      pattern: "^(localhost|[\\d.]+|[\\da-fA-F:.]*:[\\da-fA-F:.]*)$",
      description: "IP address, or localhost. Others than the loopback need auth or remote_exposure",
      [formOf]: "an IP address or localhost",
    }),
  ),
  remote_exposure: Type.Optional(
    Type.Boolean({ description: "Other machines may reach the management API, without auth too" }),
  ),
  port: Type.Optional(port),
  auth: Type.Optional(auth),
})

export const apiSchema = section({
  routing_preview: Type.Optional(
    section({
      request_timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
      max_concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
})

type Roles = Readonly<Record<string, readonly string[]>>
type Auth = Static<typeof auth>

const everything = "*"
const viewer = [
  "health.read",
  "ready.read",
  "docs.read",
  "metrics.read",
  "classify.invoke",
  "config.read",
  "replay.read",
  "data.read",
  "cache.read",
  "compression.read",
]
const operator = [
  ...viewer,
  "config.write",
  "learning.ingest",
  "replay.detail",
  "data.write",
  "cache.invalidate",
  "compression.preview",
  "audit.read",
]

/** Roles of a document that declares none. */
const defaultRoles: Roles = { viewer, operator, admin: [everything] }

const rolesOf = ({ roles = {} }: Auth): Roles => (Object.keys(roles).length === 0 ? defaultRoles : roles)

/** Permissions that a role may have; a listener's keys stand for the one of inference. */
const grantable: readonly string[] = permissions.filter((permission) => permission !== "inference.invoke")

const authPath = ["global", "services", "management_api", "auth"] as const

export function checkManagement(document: ConfigDocument): readonly Problem[] {
  const management = document.global?.services?.management_api
  const { auth: written = {} } = management ?? {}
  const { mode, tokens = [] } = written
  const roles = Object.keys(rolesOf(written))
  return [
    ...checkAddress(addressOf(document), ["global", "services", "management_api", "bind_address"]),
    ...checkPort(document),
    ...Object.entries(written.roles ?? {}).flatMap(([role, granted]) =>
      granted.flatMap((permission, index) =>
        permission === everything || grantable.includes(permission)
          ? []
          : [
              invalid(
                [...authPath, "roles", role, index],
                `"${permission}" is not a permission${suggestion(permission, grantable)}; there are ${grantable.join(", ")} and *`,
              ),
            ],
      ),
    ),
    ...tokens.flatMap(({ role }, index) =>
      roles.includes(role)
        ? []
        : [
            invalid(
              [...authPath, "tokens", index, "role"],
              `"${role}" is not a role; there is ${oneOf(roles)}${suggestion(role, roles)}`,
            ),
          ],
    ),
    ...duplicates(
      tokens.map(({ env }) => env),
      (index) => [...authPath, "tokens", index, "env"],
    ),
    ...(mode === "bearer" && tokens.length === 0
      ? [
          invalid(
            [...authPath, "tokens"],
            "is empty; mode bearer needs a token, or nobody could use the management API",
          ),
        ]
      : []),
  ]
}

export const defaultAddress = "127.0.0.1"
export const defaultPort = 8080

const addressOf = ({ global }: ConfigDocument): string =>
  global?.services?.management_api?.bind_address ?? defaultAddress

/**
 * A port that a listener has as well, on the same address or on all of them. Port 0 is any free one. The default port is not
 * checked: documents of routers whose management API runs elsewhere have a listener there.
 */
function checkPort(document: ConfigDocument): readonly Problem[] {
  const own = document.global?.services?.management_api?.port
  if (own === undefined || own === 0) return []
  const isEvery = (address: string): boolean => address === "0.0.0.0" || address === "::"
  const address = addressOf(document)
  const listener = listenersOf(document).find(
    (each) => each.port === own && (each.address === address || isEvery(each.address) || isEvery(address)),
  )
  if (listener === undefined) return []
  const path = ["global", "services", "management_api", "port"]
  return [invalid(path, `${own} is the port of listener "${listener.name}"; each needs one of its own`)]
}

/** Throws `invalid_config` for a token whose variable is not set. */
export function compileManagement(document: ConfigDocument, environment: Environment): PlannedManagement {
  const management = document.global?.services?.management_api
  const preview = document.global?.services?.api?.routing_preview
  return {
    address: management?.bind_address ?? defaultAddress,
    port: management?.port ?? defaultPort,
    previewTimeoutMs: (preview?.request_timeout_seconds ?? 120) * 1000,
    previewConcurrency: preview?.max_concurrency ?? 16,
    tokens: management?.auth?.mode === "bearer" ? compileTokens(management.auth, environment) : undefined,
  }
}

function compileTokens(written: Auth, environment: Environment): readonly ManagementToken[] {
  const roles = rolesOf(written)
  const seen = new Map<string, string>()
  return (written.tokens ?? []).map(({ env, role }, index) => {
    const refuse = (reason: string): never => {
      throw new RtrError("invalid_config", `Cannot protect the management API: ${shownVariable(env)} ${reason}`, {
        path: [...authPath, "tokens", index, "env"],
      })
    }
    // Files that secrets are read from often end with a line break.
    const token = (readVariable(environment, env) ?? "").trim()
    if (token === "") refuse("is not set")
    if (!isHeaderValue(token)) refuse("has a value that no client can send in a header")
    const other = seen.get(token)
    if (other !== undefined) refuse(`has the same value as ${other}; each token needs its own`)
    seen.set(token, env)
    const granted = roles[role] ?? []
    const all = granted.includes(everything)
    return { token, principal: { role, permissions: all ? undefined : new Set(granted), name: env } }
  })
}
