// Finds fields of an outside module that have the wrong type, before the kernel stumbles over them without saying whose they are.

import type { AnyModule, ModuleKind, ModuleKinds } from "../types/module.ts"

/** What is wrong with the first such field; undefined where nothing is. What the module has put into it is not told. */
export function wrongField(module: AnyModule): string | undefined {
  for (const [name, form] of Object.entries<Form>({ ...ofEveryKind, ...fields[module.kind] })) {
    const value = (module as unknown as Readonly<Record<string, unknown>>)[name]
    if (value !== undefined && !forms[form](value)) return `${name} must be ${form}`
  }
  return undefined
}

const isFunction = (value: unknown): boolean => typeof value === "function"
const isText = (value: unknown): boolean => typeof value === "string"
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && isTexts(value["path"]) && isObject(value["schema"])

const forms = {
  "a function": isFunction,
  "a list or a function": (value) => isFunction(value) || isTexts(value),
  "a list of words": isTexts,
  "a list": Array.isArray,
  "a text": isText,
  "a number": (value) => typeof value === "number",
  "true or false": (value) => typeof value === "boolean",
  'the word "buffer"': (value) => value === "buffer",
  "an object": isObject,
  "a Set": (value) => value instanceof Set,
  "an object with path, a list of keys, and schema": isSection,
  "an object with path, a list of keys, schema, and the function rules": (value) =>
    isSection(value) && isFunction(value["rules"]),
} satisfies Readonly<Record<string, (value: unknown) => boolean>>

type Form = keyof typeof forms
type Optional<Fields> = { [Key in keyof Fields]-?: object extends Pick<Fields, Key> ? Key : never }[keyof Fields]
/** A field that may be left out has a row. Those that may not are checked by `moduleKinds`, for a function or any object. */
type FormsOf<Fields> = Readonly<
  Record<Exclude<Optional<Fields>, "runtimes">, Form> & Partial<Record<keyof Fields, Form>>
>

const ofEveryKind = { runtimes: "a list of words" } as const
const section = "an object with path, a list of keys, and schema"

const fields: { readonly [Kind in ModuleKind]: FormsOf<ModuleKinds[Kind]> } = {
  signal: {
    configKey: "a text",
    conditionType: "a text",
    needs: "a list of words",
    binding: "a text",
    defaultHead: "a text",
    ruleBindings: "an object",
    expectedLabels: "a function",
    second: "an object",
    embeddingBinding: "a text",
    asks: "a function",
    routing: "an object with path, a list of keys, schema, and the function rules",
    after: "a list or a function",
    madeOf: "a function",
    partitionProblem: "a function",
    readsReply: "a function",
    guard: "true or false",
    refuses: "true or false",
    onUnknown: "a function",
    factNames: "a function",
    settings: section,
    services: "a function",
    usualThreshold: "a function",
    debugHeader: "an object",
    implyRules: "a function",
    check: "a function",
    checkGlobal: "a function",
    checkDecision: "a function",
    modelScores: "a function",
  },
  selector: {
    isDefault: "true or false",
    options: "an object",
    needs: "a list of words",
    settings: section,
    check: "a function",
    callsModels: "true or false",
  },
  looper: {
    options: "an object",
    settings: section,
    modelNames: "an object",
    needs: "a list of words",
    check: "a function",
  },
  plugin: {
    hooks: "a list of words",
    stream: 'the word "buffer"',
    needs: "a list of words",
    order: "a number",
    answers: "true or false",
    debugHeader: "a text",
    judges: "a function",
    after: "a function",
    check: "a function",
  },
  provider: {
    dialect: "a text",
    isDefault: "true or false",
    baseUrl: "a text",
    keyVariable: "a text",
    aliasOf: "a text",
    useInstead: "a text",
    source: "a text",
    formats: "an object",
    reasoning: "a function",
  },
  dialect: {
    streamType: "a text",
    clientHeaders: "an object",
    idHeader: "a text",
    wireTerms: "a Set",
    references: "a Set",
    leftOut: "a function",
  },
  store: { isDefault: "true or false", shapes: "a list of words", check: "a function" },
  route: {
    listeners: "a list of words",
    operations: "a list",
    settings: section,
    open: "a function",
    keys: "an object",
    adjust: "a function",
  },
}
