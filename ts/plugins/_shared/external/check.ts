// What the schema of external models cannot check.

import { type Report, suggestion } from "../../../kernel/index.ts"
import { type ExternalModel, externalModelsOf, externalName, findExternal, type ModelRole } from "./settings.ts"

/** How a part of the document asks an external model. */
export interface ExternalUse {
  /** The only model of the role when left out. */
  readonly name?: string | undefined
  readonly role: ModelRole
  /** It is asked as a chat model, which has to have a name on its server. */
  readonly isChat: boolean
}

/** Why a model cannot be asked like that; undefined where it can. Completes "this part …". */
export function useProblem(document: object, { name, role, isChat }: ExternalUse): string | undefined {
  const models = externalModelsOf(document)
  const ofRole = models.filter(({ model_role: each }) => each === role)
  if (name === undefined && ofRole.length > 1)
    return `asks the model of role ${role}, and global.model_catalog.external has ${ofRole.length}; keep one, or name it under backend.model`
  const model = findExternal(document, { name, role })
  const names = models.map(externalName)
  if (model === undefined)
    return name === undefined
      ? `needs a model of role ${role} in global.model_catalog.external`
      : `"${name}" is not in global.model_catalog.external${suggestion(name, names)}`
  if (model.model_role !== role)
    return `"${externalName(model)}" has the role ${model.model_role}, and is asked as ${role}`
  return isChat && (model.llm_model_name ?? "").trim() === ""
    ? `"${externalName(model)}" needs llm_model_name, the name that its server has for it`
    : undefined
}

/** The list itself, with the names of the models that something asks. Paths start at `global`. */
export function checkExternals(document: object, asked: ReadonlySet<ExternalModel | undefined>, report: Report): void {
  const models = externalModelsOf(document)
  const names = models.map(externalName)
  models.forEach((model, index) => {
    const name = externalName(model)
    const at = ["model_catalog", "external", index]
    const { address } = model.llm_endpoint
    if (names.indexOf(name) !== index)
      report([...at, "name"], `"${name}" is the name of two models; each needs its own`)
    else if (!asked.has(model))
      report(at, `has no effect: nothing asks the external model "${name}" of role ${model.model_role}`, "warning")
    if (/[/\s@?#]/.test(address))
      report(
        [...at, "llm_endpoint", "address"],
        "must be a host name or an IP address, without scheme, path and credentials",
      )
    if (model.llm_endpoint.use_chat_template === true && (model.llm_endpoint.prompt_template ?? "") === "")
      report([...at, "llm_endpoint", "use_chat_template"], "has no effect without prompt_template", "warning")
  })
}
