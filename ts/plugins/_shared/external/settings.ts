// `global.model_catalog.external`: models on servers of others, which signals ask over HTTP.

import { literals, section, type Static, Type } from "../../../kernel/index.ts"

const bytes = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 30, description }))

export const externalModels = Type.Array(
  section({
    name: Type.Optional(Type.String({ minLength: 1, pattern: "\\S", description: "The model's role when left out" })),
    llm_provider: Type.Optional(
      Type.String({ description: "For people; servers of chat models speak the API of OpenAI" }),
    ),
    model_role: literals([
      "guardrail",
      "classification",
      "scoring",
      "preference",
      "memory_rewrite",
      "memory_extraction",
    ]),
    llm_endpoint: section({
      address: Type.String({ minLength: 1, description: "Host name or IP address, without scheme and path" }),
      port: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 65535, description: "80, or 443 for https, when left out" }),
      ),
      protocol: Type.Optional(literals(["", "http", "https"], { description: "http when left out" })),
      name: Type.Optional(Type.String({ description: "For people" })),
      use_chat_template: Type.Optional(Type.Boolean({ description: "Writes the text into prompt_template" })),
      prompt_template: Type.Optional(Type.String({ description: "Prompt of a guard; %s stands for the text" })),
    }),
    llm_model_name: Type.Optional(Type.String({ minLength: 1, description: "What the server calls the model" })),
    llm_timeout_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3600,
        description: "Longest wait for an answer; 0 is as left out: 5 for classifiers, 30 for the others",
      }),
    ),
    parser_type: Type.Optional(
      literals(["", "auto", "qwen3guard", "json", "simple"], {
        description: "How the words of a guard are read; auto when left out",
      }),
    ),
    threshold: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: "Risk from which a guard's rules match, for those without their own",
      }),
    ),
    access_key: Type.Optional(Type.String({ description: "Sent as bearer token" })),
    max_tokens: Type.Optional(
      Type.Integer({ minimum: 0, description: "Longest answer of a chat model; 0 is as left out" }),
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: "0 when left out" })),
    max_request_bytes: bytes("A longer text is not sent, and the signal is unknown; 1 MiB when left out"),
    max_response_bytes: bytes("A longer answer is none; 1 MiB when left out"),
  }),
)

export type ExternalModel = Static<typeof externalModels>[number]
export type ModelRole = ExternalModel["model_role"]

interface Catalogued {
  readonly global?: { readonly model_catalog?: { readonly external?: readonly ExternalModel[] } }
}

export const externalModelsOf = (document: object): readonly ExternalModel[] =>
  (document as Catalogued).global?.model_catalog?.external ?? []

export const externalName = ({ name, model_role: role }: ExternalModel): string => name ?? role

/** The model of that name, or the only one of a role where no name is given. */
export function findExternal(
  document: object,
  by: { readonly name?: string | undefined; readonly role: ModelRole },
): ExternalModel | undefined {
  const models = externalModelsOf(document)
  return by.name === undefined
    ? models.find(({ model_role: role }) => role === by.role)
    : models.find((model) => externalName(model) === by.name)
}

/** `http://host:port`; an IPv6 address gets its brackets. */
export function originOf({ llm_endpoint: { address, port, protocol } }: ExternalModel): string {
  const host = address.includes(":") && !address.startsWith("[") ? `[${address}]` : address
  return `${protocol || "http"}://${host}${port === undefined ? "" : `:${port}`}`
}

/** Longest wait for an answer, in milliseconds. */
export const timeoutOf = ({ llm_timeout_seconds: seconds }: ExternalModel, usualSeconds: number): number =>
  (seconds || usualSeconds) * 1000

/** All that answers depend on; the key is none of it, and stays secret. */
export const keyOf = (model: ExternalModel, ...further: readonly unknown[]): string =>
  JSON.stringify([model, ...further], (key, value: unknown) => (key === "access_key" ? undefined : value))
