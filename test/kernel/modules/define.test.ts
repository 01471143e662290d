import { Type } from "typebox"
import { expect, test } from "vitest"
import {
  definePlugin,
  defineProvider,
  defineRoute,
  defineSelector,
  defineSignal,
  defineStore,
} from "../../../ts/kernel/modules/define.ts"

test("each maker adds its kind and nothing else", () => {
  const setup = (): never => {
    throw new Error("not run")
  }
  const about = "does something"
  const rule = Type.Object({})
  const options = Type.Object({})
  expect([
    defineSignal({ about, rule, setup }),
    defineSelector({ about, setup }),
    definePlugin({ about, options, setup }),
    defineProvider({ about, dialect: "chat_completions", setup }),
    defineRoute({ about, listeners: ["inference"], needs: [], operations: [], setup }),
    defineStore({ about, shapes: ["kv"], options, setup }),
  ]).toEqual([
    { kind: "signal", about, rule, setup },
    { kind: "selector", about, setup },
    { kind: "plugin", about, options, setup },
    { kind: "provider", about, dialect: "chat_completions", setup },
    { kind: "route", about, listeners: ["inference"], needs: [], operations: [], setup },
    { kind: "store", about, shapes: ["kv"], options, setup },
  ])
})
