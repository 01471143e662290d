import { storeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import sqlite from "../../../ts/plugins/stores/sqlite.ts"

describe("contract", () => {
  for (const { name, run } of storeContract(sqlite, {options:{path:":memory:"}})) test(name, run)
})
