// Shapes of embeddings requests and replies.

import { literals, type Static, type TObject, Type } from "../../../kernel/index.ts"

/** As many as OpenAI takes. */
const maxInputs = 2048

const list = <Item>(item: Item) => Type.Array(item as never, { minItems: 1, maxItems: maxInputs })

export const embeddingsBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: "\\S",
      description: "A configured model, or a deployment of `global.model_catalog`",
    }),
    input: Type.Unsafe<string | readonly (string | number | readonly number[])[]>(
      Type.Union(
        [
          Type.String(),
          list(Type.String()),
          Type.Array(Type.Integer(), { minItems: 1 }),
          list(Type.Array(Type.Integer(), { minItems: 1 })),
        ],
        { description: `A text, or up to ${maxInputs} texts. Token ids go to backends of models only` },
      ),
    ),
    encoding_format: Type.Optional(
      Type.Union([literals(["float", "base64"]), Type.Null()], {
        description: "Lists of numbers, or little-endian 32-bit floats in base64",
      }),
    ),
    dimensions: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: "Length of the vectors, one that the model has",
      }),
    ),
  },
  { description: "A request for vectors of texts. Further fields go to a model's backend as they are." },
)

export type EmbeddingsBody = Static<typeof embeddingsBody>

export const embeddingsReply: TObject = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        index: Type.Optional(Type.Integer()),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
      }),
    ),
    usage: Type.Optional(
      Type.Union([
        Type.Object({ prompt_tokens: Type.Optional(Type.Number()), total_tokens: Type.Optional(Type.Number()) }),
        Type.Null(),
      ]),
    ),
  },
  { description: "A vector for each input, in order. That of a model's backend is passed on as it came" },
)
