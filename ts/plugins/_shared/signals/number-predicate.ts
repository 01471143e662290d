// The `predicate` of a rule whose signal measures a number.

import { section, Type } from "../../../kernel/index.ts"

const bound = Type.Optional(Type.Number())

export const numberPredicate = section({ gt: bound, gte: bound, lt: bound, lte: bound })
