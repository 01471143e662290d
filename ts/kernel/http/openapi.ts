// The OpenAPI document of a list of operations.

import { type TSchema, Type } from "typebox"
import type { DialectModule, DialectSchemas } from "../types/dialect.ts"
import type { OperationInfo, ReplySpec } from "../types/route.ts"
import { operationId } from "./operation-id.ts"
import { type OpenApiSchema, type SchemaComponents, toOpenApiSchema } from "./openapi-schema.ts"

export interface OpenApiDocument {
  readonly openapi: "3.0.3"
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly schemas: Readonly<Record<string, OpenApiSchema>>
    /** What a listener answers to a path or a method that it does not serve. */
    readonly responses: Readonly<Record<string, OpenApiResponse>>
  }
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly OpenApiSchema[]
  readonly requestBody?: OpenApiSchema
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

export interface OpenApiResponse {
  readonly description: string
  readonly content?: Readonly<Record<string, OpenApiContent>>
}

export interface OpenApiContent {
  readonly schema: OpenApiSchema
  /** Data of one event of a stream. */
  readonly "x-rtr-event"?: OpenApiSchema
}

/** What the document says of a dialect. */
interface Wire extends DialectSchemas {
  readonly streamType: string
}

/** Dialects give the formats of the operations that name one; a dialect that is missing leaves them open. */
export async function openApiDocument(
  operations: readonly OperationInfo[],
  dialects: ReadonlyMap<string, DialectModule> = new Map(),
): Promise<OpenApiDocument> {
  const schemas: SchemaComponents = {}
  const wires = new Map<string | undefined, Wire>()
  for (const [id, dialect] of dialects) wires.set(id, { ...(await dialect.schemas()), streamType: dialect.streamType })
  // A client whose headers name its dialect gets every error in that dialect.
  const shown = [...dialects].flatMap(([id, { clientHeaders }]) => (clientHeaders === undefined ? [] : [id]))
  if (shown.length > 0)
    schemas["InferenceError"] = {
      anyOf: [
        toOpenApiSchema(inferenceErrorSchema, schemas),
        ...shown.map((id) => reference(errorNameOf(id), wires.get(id)?.error ?? Type.Object({}), schemas)),
      ],
    }
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  for (const operation of operations) {
    const methods = (paths[operation.path] ??= {})
    methods[operation.method.toLowerCase()] = describeOperation(operation, wires.get(wireOf(operation)), schemas)
  }
  return {
    openapi: "3.0.3",
    info: { title: "rtr", version: "v1", description: "A semantic router for chat-model traffic" },
    servers: [{ url: "/" }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "api-key", description: "Inference listeners only" },
        xApiKey: { type: "apiKey", in: "header", name: "x-api-key", description: "The same, as other clients send it" },
      },
      schemas,
      responses: describeRefusals(operations, schemas),
    },
  }
}

/** The dialect that an operation's errors are in. */
const wireOf = ({ dialect, form }: OperationInfo): string | undefined => dialect ?? form?.errorsOf

/** Paths that are not there have no place under `paths`, so their answers are named after the listener's error format. */
function describeRefusals(
  operations: readonly OperationInfo[],
  schemas: SchemaComponents,
): OpenApiDocument["components"]["responses"] {
  const served = new Set(operations.flatMap(({ listeners = [] }) => listeners))
  const refusal = (errors: OperationInfo["errors"]): OpenApiResponse => ({
    description: "401 for a stranger, 404 for an unknown path, 405 for a method that the path does not have",
    content: { "application/json": { schema: plainErrorReference(errors, schemas) } },
  })
  return {
    ...(served.has("inference") && { InferenceRefusal: refusal("inference") }),
    ...((served.has("management") || served.has("metrics")) && { ManagementRefusal: refusal("management") }),
  }
}

function describeOperation(
  operation: OperationInfo,
  wire: Wire | undefined,
  schemas: SchemaComponents,
): OpenApiOperation {
  const body = operation.dialect === undefined ? operation.body : (wire?.request ?? Type.Object({}))
  const parameters = [
    ...describeParameters(operation, "path", schemas),
    ...describeParameters(operation, "query", schemas),
  ]
  return {
    operationId: operationId(operation),
    summary: operation.about,
    tags: [operation.capability],
    security: describeSecurity(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: { "application/json": { schema: toOpenApiSchema(body, schemas) } } },
    }),
    responses: describeResponses(operation, wire, schemas),
    ...extensions(operation),
  }
}

function extensions(operation: OperationInfo): object {
  return {
    "x-rtr-operation": operation.id,
    "x-rtr-permission": operation.permission,
    "x-rtr-sensitivity": operation.sensitivity,
    "x-rtr-capability": operation.capability,
    "x-rtr-plane": operation.plane,
    "x-rtr-audiences": operation.audiences,
    "x-rtr-stability": operation.stability,
    "x-rtr-visibility": operation.visibility ?? "primary",
    ...(operation.listeners !== undefined && { "x-rtr-listeners": operation.listeners }),
  }
}

function describeSecurity({ open = [], listeners = [] }: OperationInfo): OpenApiOperation["security"] {
  const keys: OpenApiOperation["security"] = listeners.includes("inference")
    ? [{ bearer: [] }, { apiKey: [] }, { xApiKey: [] }]
    : [{ bearer: [] }]
  if (open.length === 0) return keys
  return listeners.every((listener) => open.includes(listener)) ? [] : [{}, ...keys]
}

function describeParameters(
  operation: OperationInfo,
  where: "path" | "query",
  schemas: SchemaComponents,
): OpenApiSchema[] {
  const schema = where === "path" ? operation.params : operation.query
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const { description, ...rest } = toOpenApiSchema(property, schemas)
    return {
      name,
      in: where,
      required: where === "path" || schema?.required?.includes(name) === true,
      ...(description !== undefined && { description }),
      schema: rest,
    }
  })
}

function describeResponses(
  operation: OperationInfo,
  wire: Wire | undefined,
  schemas: SchemaComponents,
): OpenApiOperation["responses"] {
  const responses: Record<string, OpenApiResponse> = {}
  for (const [status, reply] of Object.entries(operation.replies))
    responses[status] =
      operation.dialect === undefined || reply.schema !== undefined
        ? withStream(describeReply(reply, schemas), operation, wire, schemas)
        : describeChatReply(reply, wire, schemas)
  const error = errorReference(operation, wire, schemas)
  for (const status of errorStatusesOf(operation)) {
    const reply = responses[status]
    responses[status] =
      reply === undefined
        ? { description: describeStatus(status), content: { "application/json": { schema: error } } }
        : withError(reply, error)
  }
  return responses
}

function describeReply({ about, schema, type, otherType }: ReplySpec, schemas: SchemaComponents): OpenApiResponse {
  if (schema === undefined && type === undefined) return { description: about }
  const content = { schema: schema === undefined ? { type: "string" } : toOpenApiSchema(schema, schemas) }
  return {
    description: about,
    content: {
      [mediaType(type ?? "application/json")]: content,
      ...(otherType !== undefined && { [mediaType(otherType)]: { schema: { type: "string" } } }),
    },
  }
}

/** A reply of an operation with a form may be streamed. */
function withStream(
  response: OpenApiResponse,
  { form }: OperationInfo,
  wire: Wire | undefined,
  schemas: SchemaComponents,
): OpenApiResponse {
  if (form?.event === undefined) return response
  const error = toOpenApiSchema(wire?.error ?? Type.Object({}), schemas)
  const stream = streamContent(toOpenApiSchema(form.event, schemas), error)
  return { ...response, content: { ...response.content, [mediaType(form.streamType)]: stream } }
}

const streamSchema: OpenApiSchema = { type: "string", description: "Events, when the request asks for a stream" }

const streamContent = (event: OpenApiSchema, error: OpenApiSchema): OpenApiContent => ({
  schema: streamSchema,
  "x-rtr-event": { anyOf: [event, error] },
})

function describeChatReply({ about }: ReplySpec, wire: Wire | undefined, schemas: SchemaComponents): OpenApiResponse {
  const whole = { schema: toOpenApiSchema(wire?.reply ?? Type.Object({}), schemas) }
  const stream =
    wire?.event === undefined
      ? { schema: streamSchema }
      : streamContent(toOpenApiSchema(wire.event, schemas), toOpenApiSchema(wire.error, schemas))
  return {
    description: about,
    content: { "application/json": whole, [mediaType(wire?.streamType ?? "text/event-stream")]: stream },
  }
}

const mediaType = (type: string): string => type.split(";", 1)[0]?.trim() ?? type

/** A status may come with a reply or with an error, as 503 of a preview that could not be decided. */
function withError(reply: OpenApiResponse, error: OpenApiSchema): OpenApiResponse {
  const schema = reply.content?.["application/json"]?.schema
  const both = schema === undefined ? error : { anyOf: [schema, error] }
  return { ...reply, content: { ...reply.content, "application/json": { schema: both } } }
}

/** Statuses of the errors that an operation may answer. An upstream may answer any, so those of a chat operation are ranges. */
export function errorStatusesOf(operation: OperationInfo): readonly string[] {
  if (wireOf(operation) !== undefined) return ["4XX", "5XX"]
  const { params, query, body, open = [], listeners = [], errorStatuses = [] } = operation
  const statuses = new Set<number>([...errorStatuses, 500])
  if (params !== undefined || query !== undefined || body !== undefined) statuses.add(400)
  if (body !== undefined) for (const status of [408, 413, 415, 429, 499, 503]) statuses.add(status)
  const isOpen = listeners.length > 0 && listeners.every((listener) => open.includes(listener))
  if (!isOpen) statuses.add(401)
  if (!isOpen && listeners.some((listener) => listener !== "inference")) statuses.add(403)
  if (listeners.length > 0) statuses.add(421)
  return [...statuses].toSorted((one, other) => one - other).map(String)
}

function errorReference(operation: OperationInfo, wire: Wire | undefined, schemas: SchemaComponents): OpenApiSchema {
  if (operation.errors === "management" || wire === undefined) return plainErrorReference(operation.errors, schemas)
  return reference(errorNameOf(wireOf(operation)), wire.error, schemas)
}

const errorNameOf = (dialect: string | undefined): string => `${dialect}_error`

function plainErrorReference(errors: OperationInfo["errors"], schemas: SchemaComponents): OpenApiSchema {
  return errors === "management"
    ? reference("ManagementError", managementErrorSchema, schemas)
    : reference("InferenceError", inferenceErrorSchema, schemas)
}

function reference(name: string, schema: TSchema, schemas: SchemaComponents): OpenApiSchema {
  schemas[name] ??= toOpenApiSchema(schema, schemas)
  return { $ref: `#/components/schemas/${name}` }
}

const managementErrorSchema = Type.Object({
  error: Type.Object({
    code: Type.String({ description: "Stable code in capitals" }),
    message: Type.String(),
    timestamp: Type.String({ format: "date-time" }),
    request_id: Type.String(),
  }),
})

const inferenceErrorSchema = Type.Object({
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    param: Type.Null(),
    details: Type.Object({ request_id: Type.String() }),
  }),
})

const descriptions: Readonly<Record<string, string>> = {
  "400": "The request does not fit",
  "401": "A key or token is missing or invalid",
  "403": "The role lacks the permission",
  "404": "Not found",
  "413": "The body is too large",
  "415": "The body is not JSON",
  "421": "The request names another host than this one",
  "429": "Too many requests at the moment",
  "499": "The client left",
  "500": "Something went wrong inside the router",
  "503": "Not available at the moment",
  "504": "It took too long",
  "4XX": "The request was refused, here or by the model's backend",
  "5XX": "The router or the model's backend failed",
}

const describeStatus = (status: string): string => descriptions[status] ?? `Status ${status}`
