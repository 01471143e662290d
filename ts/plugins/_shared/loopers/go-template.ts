// Templates of prompts as v0.3 documents write them: the part of Go's text/template that prompts use.

/** What a template may read: texts, numbers, and lists of objects. */
export type TemplateValue = string | number | readonly TemplateValue[] | { readonly [name: string]: TemplateValue }

/** Fills the template in. What the values hold is never read as a template. */
export type Template = (data: TemplateValue) => string

type Scope = {
  readonly dot: TemplateValue
  readonly root: TemplateValue
  readonly names: ReadonlyMap<string, TemplateValue>
}
type Node = (scope: Scope) => string
type Expression = (scope: Scope) => TemplateValue | undefined

interface Piece {
  readonly text: string
  readonly isAction: boolean
}

/**
 * Reads a template with `.Field`, `$name.Field`, `range` (also `range $i, $x :=`), `if`, `else`, `end`, `len`, `add`,
 * comments and trim marks. Throws an `Error` whose message says what of it is not supported.
 */
export function compileTemplate(source: string): Template {
  const pieces = splitActions(source)
  let at = 0

  const readBlock = (ends: readonly string[]): { readonly nodes: readonly Node[]; readonly end: string } => {
    const nodes: Node[] = []
    while (at < pieces.length) {
      const { text, isAction } = pieces[at++] as Piece
      if (!isAction) {
        nodes.push(() => text)
        continue
      }
      const [word = "", rest = ""] = /^(\w+)\b\s*(.*)$/s.exec(text)?.slice(1) ?? []
      if (ends.includes(text)) return { nodes, end: text }
      if (word === "if") nodes.push(readIf(rest))
      else if (word === "range") nodes.push(readRange(rest))
      else if (["else", "end"].includes(word)) throw new Error(`has {{${text}}} where no block is open`)
      else nodes.push(written(readExpression(text)))
    }
    if (ends.length > 0) throw new Error("has a block without {{end}}")
    return { nodes, end: "" }
  }

  const readBranches = (): readonly [readonly Node[], readonly Node[]] => {
    const first = readBlock(["else", "end"])
    return [first.nodes, first.end === "else" ? readBlock(["end"]).nodes : []]
  }

  const readIf = (condition: string): Node => {
    const test = readExpression(condition)
    const [then, otherwise] = readBranches()
    return (scope) => all(isTrue(test(scope)) ? then : otherwise, scope)
  }

  const readRange = (header: string): Node => {
    const [, index, item, list] = /^(?:(\$\w+)\s*,\s*(\$\w+)\s*:=\s*)?(.+)$/s.exec(header) ?? []
    const only = /^(\$\w+)\s*:=\s*(.+)$/s.exec(header)
    const values = readExpression(only?.[2] ?? list ?? "")
    const [body, otherwise] = readBranches()
    return (scope) => {
      const items = values(scope)
      if (!Array.isArray(items) || items.length === 0) return all(otherwise, scope)
      return (items as readonly TemplateValue[])
        .map((dot, position) => {
          const names = new Map(scope.names)
          if (index !== undefined) names.set(index, position)
          const name = item ?? only?.[1]
          if (name !== undefined) names.set(name, dot)
          return all(body, { ...scope, dot, names })
        })
        .join("")
    }
  }

  const { nodes } = readBlock([])
  return (data) => all(nodes, { dot: data, root: data, names: new Map() })
}

const all = (nodes: readonly Node[], scope: Scope): string => nodes.map((node) => node(scope)).join("")

/** Texts and actions in turn. A trim mark takes the white space beside its action. */
function splitActions(source: string): readonly Piece[] {
  const pieces: Piece[] = []
  let rest = source
  for (;;) {
    const start = rest.indexOf("{{")
    if (start < 0) break
    const end = rest.indexOf("}}", start)
    if (end < 0) throw new Error("has {{ without }}")
    let inside = rest.slice(start + 2, end)
    let before = rest.slice(0, start)
    rest = rest.slice(end + 2)
    if (/^-\s/.test(inside)) {
      before = before.trimEnd()
      inside = inside.slice(1)
    }
    if (/\s-$/.test(inside)) {
      rest = rest.trimStart()
      inside = inside.slice(0, -1)
    }
    if (before !== "") pieces.push({ text: before, isAction: false })
    const text = inside.trim()
    if (!/^\/\*.*\*\/$/s.test(text)) pieces.push({ text, isAction: true })
  }
  if (rest !== "") pieces.push({ text: rest, isAction: false })
  return pieces
}

const written =
  (expression: Expression): Node =>
  (scope) => {
    const value = expression(scope)
    return typeof value === "string" || typeof value === "number" ? String(value) : ""
  }

/** As Go has it, what is empty is false. */
const isTrue = (value: TemplateValue | undefined): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== "" && value !== 0

function readExpression(text: string): Expression {
  const [first = "", ...operands] = text.trim().split(/\s+/)
  if (first === "add" && operands.length === 2) {
    const [left, right] = operands.map(readOperand) as [Expression, Expression]
    return (scope) => Number(left(scope)) + Number(right(scope))
  }
  if (first === "len" && operands.length === 1) {
    const value = readOperand(operands[0] as string)
    return (scope) => {
      const held = value(scope)
      return Array.isArray(held) || typeof held === "string" ? held.length : 0
    }
  }
  if (operands.length > 0 || first === "") throw new Error(unsupported(text))
  return readOperand(first)
}

function readOperand(text: string): Expression {
  if (/^-?\d+$/.test(text)) return () => Number(text)
  const [, name, path = ""] = /^(\$\w*)?((?:\.\w+)*|\.)$/.exec(text) ?? [undefined, undefined, undefined]
  if (text === "" || (name === undefined && !/^\.(?:\w+(?:\.\w+)*)?$/.test(text))) throw new Error(unsupported(text))
  const steps = path.split(".").filter((step) => step !== "")
  return ({ dot, root, names }) => {
    const from = name === undefined ? dot : name === "$" ? root : names.get(name)
    return steps.reduce<TemplateValue | undefined>(
      (value, step) =>
        typeof value === "object" && !Array.isArray(value) && Object.hasOwn(value, step)
          ? (value as { readonly [name: string]: TemplateValue })[step]
          : undefined,
      from,
    )
  }
}

const unsupported = (text: string): string =>
  `has {{${text}}}, which is not supported; there are fields, range, if, else, end, len and add`
