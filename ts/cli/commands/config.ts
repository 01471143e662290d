// rtr config: makes, checks and prints configurations.

import { existsSync, statSync } from "node:fs"
import type { Command } from "commander"
import type { GuardUse, UnreadOutcome } from "rtr"
import { exposedKeysWarning } from "../exposed-keys.ts"
import { commandGroup, refuseCommands, refuseOptions } from "../program.ts"
import { printJson, printLine, printWarning } from "../print.ts"
import { replaceFile } from "../replace-file.ts"

export function addConfigCommands(program: Command): void {
  const config = commandGroup(program.command("config").description("make, check and print configurations"))

  config
    .command("init")
    .description("write a minimal configuration")
    .option("--output <file>", "file to write", "config.yaml")
    .option("--force", "replace an existing file", false)
    .action(init)

  refuseOptions(
    config
      .command("validate")
      .description("list everything that is wrong with a configuration")
      .option("--config <file>", "configuration", "config.yaml")
      .option("--crd <folder>", "take the routing from the Kubernetes files of this folder")
      .option("--load-modules", "run the code of the modules that it names, to check what only they know", false)
      .option("--allow-missing-plugins", "judge it as rtr serve does with this option", false)
      .option("--strict", "refuse a configuration that has warnings", false)
      .option("--json", "print the result as JSON", false)
      .action(validate),
    ["--endpoint <url>", "--timeout <seconds>", "--token-env <name>"],
  )

  config
    .command("router")
    .description("print the configuration in its normal form, without the keys that are written in it")
    .option("--config <file>", "configuration", "config.yaml")
    .option("--load-modules", "run the code of the modules that it names, for their part of the normal form", false)
    .option("--json", "print JSON instead of YAML", false)
    .action(router)

  refuseOptions(
    config
      .command("schema")
      .description("print the JSON Schema of configurations, for editors")
      .option("--config <file>", "add the modules that this configuration names; needs --load-modules")
      .option("--load-modules", "run the code of the modules of --config", false)
      .option("--full", "print the whole schema (the default)", true)
      .option("--section <keys>", "print one section, such as routing.decisions")
      .action(schema),
    ["--surface <kind:name>", "--expanded", "--endpoint <url>", "--timeout <seconds>", "--token-env <name>"],
  )
  config
    .command("migrate")
    .description("write an older configuration in the current spelling")
    .argument("[file]", "the older configuration")
    .option("--config <file>", "the same as the argument")
    .option("--output <file>", "file to write; <file>.migrated.yaml when left out")
    .option("--force", "replace an existing file", false)
    .option("--in-place", "write the file itself", false)
    .option("--check", "write nothing; exit with 1 where there is something to migrate", false)
    .action(migrate)
  refuseCommands(config, ["apply", "plan", "envoy", "get", "import", "rollback", "versions"])
}

/** A document that works once a backend listens on the port: the least that routes. */
const minimalDocument = `version: v0.3

# Clients call this address with any OpenAI client and model "MoM".
listeners:
  - name: http-8801
    address: 127.0.0.1
    port: 8801

providers:
  defaults:
    model: small # answers when no decision matches
  models:
    - name: small
      backend_refs:
        - endpoint: 127.0.0.1:11434 # any server that speaks chat completions
    - name: large
      provider_model_id: gpt-5
      backend_refs:
        - base_url: https://api.openai.com/v1
          provider: openai
          api_key: \${OPENAI_API_KEY:-}

routing:
  signals:
    domains:
      - name: computer science
        mmlu_categories: [computer science]
    keywords:
      - name: urgent
        operator: OR
        keywords: [urgent, production, outage]
  decisions:
    - name: hard-work
      description: Programming questions and emergencies go to the large model
      priority: 10
      rules:
        operator: OR
        conditions:
          - { type: domain, name: computer science }
          - { type: keyword, name: urgent }
      modelRefs:
        - model: large
`

async function init(options: { output: string; force: boolean }): Promise<void> {
  const { RtrError } = await import("rtr")
  if (existsSync(options.output) && !options.force)
    throw new RtrError(
      "invalid_request",
      `${options.output} exists already; use --force to replace it or --output to write elsewhere`,
    )
  await replaceFile(options.output, minimalDocument)
  printLine(checkLine(options.output))
}

/** npm and npx find the command where no path of a shell leads to it. */
function checkLine(written: string): string {
  const rtr = process.env["npm_command"] === undefined ? "rtr" : "npx rtr"
  return `Wrote ${written}. Check it with: ${rtr} config validate --config ${written}`
}

interface ValidateOptions {
  readonly config: string
  readonly crd?: string
  readonly json: boolean
  readonly loadModules: boolean
  readonly allowMissingPlugins: boolean
  readonly strict: boolean
}

async function validate(options: ValidateOptions): Promise<void> {
  const [
    { deploymentsOf, literalSecrets, loadConfig },
    { ConfigError, formatPath, formatProblem, guardUses, documentWarnings, isRtrError },
    { isHere, locateArtifact },
  ] = await Promise.all([import("rtr/node"), import("rtr"), import("../../models/packages/artifact.ts")])
  const { config, json, loadModules, allowMissingPlugins } = options
  try {
    // It is checked for the place where it is going to serve, which has the variables.
    const loaded = await loadConfig(config, {
      loadModules,
      elsewhere: true,
      crd: options.crd,
      ...(allowMissingPlugins && { missingParts: "allow" as const }),
    })
    const exposed = exposedKeysWarning(config, literalSecrets(loaded.unexpanded), loaded.locate)
    const warnings = [...loaded.warnings, ...documentWarnings(loaded), ...(exposed === undefined ? [] : [exposed])]
    if (options.strict && warnings.length > 0) throw new ConfigError(config, warnings)
    const modules = loadModules ? [] : (loaded.unexpanded.modules ?? [])
    const missingFolders = deploymentsOf(loaded).flatMap(({ name, artifact = "", writtenAt }) => {
      const folder = locateArtifact(artifact, config)
      if (artifact === "" || isHere(folder)) return []
      return [{ path: formatPath(writtenAt ?? ["global", "model_catalog", "deployments", name, "artifact"]), folder }]
    })
    const ofModules = (loaded.unchecked ?? []).map(({ path }) => formatPath(path))
    const unchecked = [...ofModules, ...missingFolders.map(({ path }) => path)]
    const missing = warnings.filter(({ code }) => code === "unsupported").map(({ path }) => formatPath(path))
    if (json) return printJson({ valid: true, problems: [], warnings, missing, modules_not_loaded: modules, unchecked })
    for (const warning of warnings) printWarning(formatProblem(warning, config))
    if (modules.length > 0)
      printNotLoaded(
        modules,
        ofModules.length === 0 ? "nothing in it needs them" : `not checked: ${ofModules.join(", ")}`,
        "With --load-modules that code runs and checks its keys.",
      )
    for (const { path, folder } of missingFolders)
      process.stderr.write(
        `Note: ${path}: there is no folder ${folder} on this machine; rtr serve needs it where it runs. What the model can answer was not checked\n`,
      )
    printLine(`✓ ${config} is valid${unchecked.length > 0 ? " as far as it was checked" : ""}`)
    if (missing.length > 0 && !allowMissingPlugins)
      printLine(`  rtr serve needs --allow-missing-plugins for it, because rtr does not have: ${missing.join(", ")}`)
    for (const use of guardUses(loaded)) printLine(`  ${describeGuard(use)}`)
  } catch (error) {
    if (!isRtrError(error) || !json) throw error
    // A file that cannot be read has no problems, and still an answer.
    const problems =
      error instanceof ConfigError ? error.problems : [{ path: [], message: error.message, code: "invalid" }]
    const { hint } = error
    printJson({ valid: false, problems, hint, warnings: [], missing: [], modules_not_loaded: [], unchecked: [] })
    process.exitCode = 1
  }
}

interface MigrateOptions {
  readonly config?: string
  readonly output?: string
  readonly force: boolean
  readonly inPlace: boolean
  readonly check: boolean
}

async function migrate(file: string | undefined, options: MigrateOptions, command: Command): Promise<void> {
  const path = file ?? options.config
  if (path === undefined || (file !== undefined && options.config !== undefined))
    command.error("error: name one file to migrate")
  if ([options.output !== undefined, options.inPlace, options.check].filter(Boolean).length > 1)
    command.error("error: --output, --in-place and --check exclude each other")
  const [{ migrateConfig }, { RtrError }] = await Promise.all([import("rtr/node"), import("rtr")])
  const { text, changes } = await migrateConfig(path)
  for (const change of changes) process.stderr.write(`${change}\n`)
  if (options.check) {
    printLine(changes.length === 0 ? `✓ ${path} has the current spelling` : `${path}: ${changes.length} to migrate`)
    process.exitCode = changes.length === 0 ? 0 : 1
    return
  }
  if (options.inPlace && changes.length === 0) return printLine(`✓ ${path} has the current spelling`)
  const output = options.inPlace ? path : (options.output ?? path.replace(/(\.ya?ml)?$/, ".migrated.yaml"))
  if (!options.inPlace && !options.force && existsSync(output) && statSync(output).isFile())
    throw new RtrError(
      "invalid_request",
      `${output} exists already; use --force to replace it or --output to write elsewhere`,
    )
  await replaceFile(output, text, undefined, statSync(path).mode & 0o777)
  printLine(checkLine(output))
}

function printNotLoaded(modules: readonly string[], effect: string, hint: string): void {
  const were = modules.length === 1 ? "was" : "were"
  process.stderr.write(
    `Note: ${modules.join(", ")} ${were} not loaded, so that no code of the document runs; ${effect}\nHint: ${hint}\n`,
  )
}

/** What becomes of a request that a guard did not read whole. */
const unreadTexts: Readonly<Record<UnreadOutcome, string>> = {
  found: "counts what it cannot read as found",
  not_found: "counts what it cannot read as not found (on_error: no_match)",
  decision_match: "matches for what it cannot read (on_unknown: match)",
  decision_no_match: "lets pass what it cannot read",
  decision_fail_request: "fails a request that it cannot read (on_unknown: fail_request)",
}

/** What a decision asks of a guard, in one line. */
function describeGuard({
  decision,
  recipe,
  guard,
  rule,
  through = [],
  unread,
  readsEverything,
  allowedUnread,
  maxScanTokens,
}: GuardUse): string {
  const most = maxScanTokens === undefined ? "" : `, at most ${maxScanTokens} tokens,`
  const reads = `${readsEverything ? "the whole request" : "the last user message"}${most}`
  const leaves = allowedUnread.size === 0 ? "" : `, but ${[...allowedUnread].join(", ")}`
  const otherwise = [...unread].map((outcome) => unreadTexts[outcome]).join(", or ")
  const way = through.length === 0 ? "" : `, through ${through.join(" and ")},`
  const where = recipe === undefined ? "" : ` of recipe "${recipe}"`
  return `decision "${decision}"${where}: ${guard} "${rule}"${way} reads ${reads}${leaves}; ${otherwise}`
}

async function router(options: { config: string; json: boolean; loadModules: boolean }): Promise<void> {
  const [{ loadConfig, redactSecrets }, { stringify }] = await Promise.all([import("rtr/node"), import("yaml")])
  const { config, json, loadModules } = options
  const { unexpanded } = await loadConfig(config, { loadModules, elsewhere: true })
  const { modules = [] } = unexpanded
  if (!loadModules && modules.length > 0)
    printNotLoaded(
      modules,
      "what they add to the normal form is missing",
      "With --load-modules that code runs and adds it.",
    )
  const document = redactSecrets(unexpanded)
  if (json) printJson(document)
  else printLine(stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd())
}

interface SchemaOptions {
  readonly config?: string
  readonly section?: string
  readonly loadModules: boolean
}

async function schema({ config, section, loadModules }: SchemaOptions, command: Command): Promise<void> {
  if (config !== undefined && !loadModules)
    command.error("error: --config adds modules to the schema by running their code; it needs --load-modules as well")
  if (config === undefined && loadModules) command.error("error: --load-modules needs --config")
  const [{ documentSchema, loadBuiltins, loadConfig }, { RtrError }] = await Promise.all([
    import("rtr/node"),
    import("rtr"),
  ])
  const registry =
    config === undefined ? await loadBuiltins() : (await loadConfig(config, { missingParts: "allow" })).registry
  const whole = documentSchema(registry) as SchemaNode & { readonly $defs?: object }
  if (section === undefined) {
    printJson({ $schema: "https://json-schema.org/draft/2020-12/schema", ...whole })
    return
  }
  let node: SchemaNode = whole
  for (const key of section.split(".")) {
    const inside = node.type === "array" ? node.items : node
    const next: SchemaNode | undefined = inside?.properties?.[key] ?? inside?.additionalProperties
    if (next === undefined || typeof next !== "object")
      throw new RtrError(
        "invalid_request",
        `There is no section "${section}"; "${key}" is not one of ${Object.keys(inside?.properties ?? {}).join(", ")}`,
      )
    node = next
  }
  printJson({ ...node, $defs: whole.$defs })
}

interface SchemaNode {
  readonly type?: string
  readonly items?: SchemaNode
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode
}
