// GET /api/v1 and GET /openapi.json: what operations this router has, for people, agents and generators.

import {
  defineRoute,
  literals,
  ManagementError,
  mapOf,
  openApiDocument,
  operation,
  operationId,
  type OperationInfo,
  type OperationReply,
  type Plan,
  type Static,
  Type,
} from "../../kernel/index.ts"

const kept = {
  method: "GET",
  permission: "docs.read",
  sensitivity: "public",
  capability: "system",
  plane: "infrastructure",
  audiences: ["agent", "operator"],
  stability: "stable",
  errors: "management",
} as const

const filters = {
  capability: Type.Optional(Type.String({ description: "Capability group, such as routing" })),
  audience: Type.Optional(literals(["agent", "operator", "client", "internal"])),
  plane: Type.Optional(literals(["infrastructure", "management", "diagnostic", "data"])),
  visibility: Type.Optional(literals(["primary", "advanced"])),
}
type Filters = { readonly [Name in keyof typeof filters]?: string | undefined }

const discoveryQuery = Type.Object({
  view: Type.Optional(literals(["index", "operations"], { description: "operations lists every one of them" })),
  ...filters,
})

const openApiQuery = Type.Object({
  path: Type.Optional(
    Type.String({ description: "One path as the document writes it; not together with the filters" }),
  ),
  method: Type.Optional(Type.String({ description: "One method of the path" })),
  ...filters,
})

const discovery = Type.Object({
  service: Type.String(),
  version: Type.Literal("v1"),
  description: Type.String(),
  capabilities: Type.Array(
    Type.Object({
      name: Type.String(),
      description: Type.String(),
      operation_count: Type.Integer(),
      primary_operations: Type.Integer(),
      discovery: Type.String(),
      openapi: Type.String(),
    }),
  ),
  endpoints: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String(),
        method: Type.String(),
        description: Type.String(),
        permission: Type.String(),
        sensitivity: Type.String(),
        operation_id: Type.String(),
        capability: Type.String(),
        plane: Type.String(),
        audiences: Type.Array(Type.String()),
        stability: Type.String(),
        visibility: Type.String(),
      }),
    ),
  ),
  links: mapOf(Type.String()),
})

export default defineRoute({
  about: "Discovery of the operations, and their OpenAPI document",
  listeners: ["management"],
  operations: [
    operation({
      ...kept,
      id: "api.discovery",
      path: "/api/v1",
      about: "Capability groups and their operations",
      query: discoveryQuery,
      queryCodes: { view: "INVALID_API_VIEW", "*": "INVALID_API_FILTER" },
      replies: { 200: { about: "Groups with at least one matching operation", schema: discovery } },
      needs: ["operations"],
      setup:
        ({ operations }) =>
        ({ query }) => ({ body: discover(operations(), query) }),
    }),
    operation({
      ...kept,
      id: "api.openapi",
      path: "/openapi.json",
      about: "OpenAPI document of all operations, of one path, or of a group",
      query: openApiQuery,
      queryCodes: { "*": "INVALID_OPENAPI_FILTER" },
      replies: { 200: { about: "OpenAPI 3.0", schema: mapOf(Type.Unknown()) } },
      errorStatuses: [404],
      needs: ["operations", "plan"],
      setup:
        ({ operations, plan }) =>
        ({ query }) =>
          document(operations(), query, plan()),
    }),
  ],
})

function discover(operations: readonly OperationInfo[], query: Static<typeof discoveryQuery>): object {
  const { view, ...wanted } = query
  checkCapability(operations, wanted, "INVALID_API_FILTER")
  const found = operations.filter((each) => matches(each, wanted))
  const isListed = view === "operations" || Object.values(wanted).some((value) => value !== undefined)
  return {
    service: "rtr",
    version: "v1",
    description: "A semantic router for chat-model traffic",
    capabilities: [...Map.groupBy(found, ({ capability }) => capability)].map(([name, members]) => ({
      name,
      description: descriptions[name],
      operation_count: members.length,
      primary_operations: members.filter((each) => visibilityOf(each) === "primary").length,
      discovery: `/api/v1?capability=${name}`,
      openapi: `/openapi.json?capability=${name}`,
    })),
    ...(isListed && { endpoints: found.map(describe) }),
    links: linksTo(operations),
  }
}

function describe(each: OperationInfo): object {
  return {
    path: each.path,
    method: each.method,
    description: each.about,
    permission: each.permission,
    sensitivity: each.sensitivity,
    operation_id: operationId(each),
    capability: each.capability,
    plane: each.plane,
    audiences: each.audiences,
    stability: each.stability,
    visibility: visibilityOf(each),
  }
}

/** Only links whose path is served. */
function linksTo(operations: readonly OperationInfo[]): Readonly<Record<string, string>> {
  const links: Readonly<Record<string, string>> = {
    capability: "/api/v1?capability={capability}",
    operations: "/api/v1?view=operations",
    openapi_spec: "/openapi.json",
    openapi_filtered: "/openapi.json?capability={capability}",
    openapi_operation: "/openapi.json?path={path}&method={method}",
    swagger_ui: "/docs",
    config_schema: "/api/v1/config/schema",
    models: "/v1/models",
    health: "/health",
    ready: "/ready",
  }
  const served = new Set(operations.map(({ path }) => path))
  return Object.fromEntries(Object.entries(links).filter(([, link]) => served.has(link.split("?", 1)[0] ?? link)))
}

async function document(
  operations: readonly OperationInfo[],
  query: Static<typeof openApiQuery>,
  plan: Plan | undefined,
): Promise<OperationReply> {
  const { path, method, ...wanted } = query
  const isFiltered = Object.values(wanted).some((value) => value !== undefined)
  if (path !== undefined && isFiltered) throw invalidFilter('"path" cannot be combined with the other filters')
  if (path === undefined && method !== undefined) throw invalidFilter('"method" needs "path"')
  checkCapability(operations, wanted, "INVALID_OPENAPI_FILTER")
  const found =
    path === undefined ? operations.filter((each) => matches(each, wanted)) : findPath(operations, path, method)
  return { body: await openApiDocument(found, plan?.dialects) }
}

function findPath(
  operations: readonly OperationInfo[],
  path: string,
  method: string | undefined,
): readonly OperationInfo[] {
  const onPath = operations.filter((each) => each.path === path)
  if (onPath.length === 0) throw new ManagementError(404, "OPENAPI_PATH_NOT_FOUND", `There is no path "${path}"`)
  if (method === undefined) return onPath
  const found = onPath.filter((each) => each.method === method.toUpperCase())
  if (found.length === 0)
    throw new ManagementError(
      404,
      "OPENAPI_OPERATION_NOT_FOUND",
      `There is no ${method.toUpperCase()} on "${path}"; it has ${onPath.map((each) => each.method).join(", ")}`,
    )
  return found
}

const invalidFilter = (message: string): ManagementError =>
  new ManagementError(400, "INVALID_OPENAPI_FILTER", `Cannot filter the OpenAPI document: ${message}`)

/** The schema does not list the groups, because outside modules bring operations too. */
function checkCapability(operations: readonly OperationInfo[], { capability }: Filters, code: string): void {
  const known = [...new Set(operations.map((each) => each.capability))]
  if (capability !== undefined && !known.some((name) => name === capability))
    throw new ManagementError(400, code, `There is no capability "${capability}"; there are ${known.join(", ")}`)
}

function matches(each: OperationInfo, { capability, audience, plane, visibility }: Filters): boolean {
  return (
    (capability === undefined || each.capability === capability) &&
    (audience === undefined || each.audiences.some((name) => name === audience)) &&
    (plane === undefined || each.plane === plane) &&
    (visibility === undefined || visibilityOf(each) === visibility)
  )
}

const visibilityOf = ({ visibility = "primary" }: OperationInfo): string => visibility

const descriptions: Readonly<Record<OperationInfo["capability"], string>> = {
  system: "Health, status and discovery",
  routing: "What the router would do with a request",
  diagnostics: "Single models and signals",
  inventory: "Models and deployments",
  observability: "Metrics, outcomes, replays and audit",
  config: "The configuration and its versions",
  storage: "Knowledge bases, memories, files and caches",
  plugins: "Plugins of decisions",
  inference: "Chat requests",
}
