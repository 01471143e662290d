import { describe, expect, test } from "vitest"
import { creditsIn } from "../../../../ts/plugins/_shared/personal-data/credits.ts"

/** What stands between brackets is the finding. */
const isCredited = (kind: string, marked: string): boolean => {
  const start = marked.indexOf("⟦")
  const end = marked.indexOf("⟧") - 1
  const text = marked.replaceAll(/[⟦⟧]/g, "")
  return creditsIn(text)({ kind, start, end, probability: 1 })
}

describe("are credits of software", () => {
  test.each([
    ["EMAIL_ADDRESS", '{"name": "web", "author": "Ann Lee <⟦ann@lee.dev⟧>", "license": "MIT"}'],
    ["PERSON", '{"license": "MIT", "author": {"name": "⟦Ann Lee⟧"}}'],
    ["PERSON", '{"contributors": [{"name": "Bob", "url": "x"}, {"name": "⟦Ann Lee⟧"}], "repository": "x"}'],
    ["USERNAME", '{"contributors": [{"githubUsername": "⟦annlee⟧"}], "license": "MIT"}'],
    ["EMAIL_ADDRESS", '[package]\nname = "x"\nauthors = [\n  "Bob <b@c.io>",\n  "Ann Lee <⟦ann@lee.dev⟧>",\n]'],
    ["EMAIL_ADDRESS", 'setup(name="x", author="Ann Lee", author_email="⟦ann@lee.dev⟧")'],
    ["EMAIL_ADDRESS", "MIT License\n\nCopyright (c) 2024 Ann Lee <⟦ann@lee.dev⟧>"],
    ["PERSON", "# © 2024 ⟦Ann Lee⟧"],
    ["EMAIL_ADDRESS", " * @author Ann Lee <⟦ann@lee.dev⟧>"],
    ["EMAIL_ADDRESS", "// Written by Ann Lee <⟦ann@lee.dev⟧>"],
    ["EMAIL_ADDRESS", '{"output": "[package]\\nname = \\"x\\"\\nauthors = [\\"Ann Lee <⟦ann@lee.dev⟧>\\"]"}'],
    ["PERSON", 'authors = ["⟦Ann Lee⟧ <ann@lee.dev>"]'],
    ["EMAIL_ADDRESS", "Metadata-Version: 2.4\nName: x\nAuthor-email: Ann Lee <⟦ann@lee.dev⟧>"],
    ["PERSON", '" Vim syntax file\n" Maintainer:\t⟦Ann Lee⟧ <ann@lee.dev>'],
    ["EMAIL_ADDRESS", "Copyright: 2017-2019, 2021 Ann van der Lee <⟦ann@lee.dev⟧>"],
    ["EMAIL_ADDRESS", "Copyright (c) 2016 annlee <⟦ann@lee.dev⟧>, Bob Day <bob@day.dev>"],
    ["EMAIL_ADDRESS", "Copyright (c) 2016 annlee <ann@lee.dev>, J. R. Day and contributors <⟦bob@day.dev⟧>"],
    ["EMAIL_ADDRESS", "(c) 2020 Lee, Inc. All rights reserved. <⟦ann@lee.dev⟧>"],
    ["EMAIL_ADDRESS", "/*\n * Written by: Ann Lee <⟦ann@lee.dev⟧>\n */"],
    ["EMAIL_ADDRESS", "# This script was originally written by Ann Lee <⟦ann@lee.dev⟧>"],
    ["EMAIL_ADDRESS", "# IMAP support contributed by Ann Lee <⟦ann@lee.dev⟧>"],
    ["USERNAME", "- More of it. [⟦@annlee⟧](https://github.com/annlee)"],
    ["EMAIL_ADDRESS", '{"name": "x", "license": "MIT", "bugs": {"email": "⟦ann@lee.dev⟧"}}'],
    ["EMAIL_ADDRESS", '{"license": "MIT", "bugs": {"url": "https://x.io", "email": "⟦ann@lee.dev⟧"}}'],
    ["EMAIL_ADDRESS", '{"license": "MIT", "support": {"email": "⟦ann@lee.dev⟧"}}'],
    ["PERSON", "Written by [⟦Ann Lee⟧](https://github.com/annlee), and others"],
    ["PERSON", "- ⟦Ann Lee⟧ <https://github.com/annlee>"],
    ["PERSON", "[⟦Ann Lee⟧ (@annlee)](https://github.com/annlee)"],
    ["EMAIL_ADDRESS", "* [annlee](https://github.com/annlee) - **Ann Lee** <<⟦ann@lee.dev⟧>>"],
    ["PERSON", "## Authors\n\n - Bob Day\n - ⟦Ann Lee⟧"],
    ["EMAIL_ADDRESS", "# x\n\n### Contributors\n\nAnn Lee <⟦ann@lee.dev⟧>"],
    ["PERSON", "=head1 NAME\n\nx\n\n=head1 AUTHOR\n\nThis module by ⟦Ann Lee⟧"],
    ["PERSON", '__author__ = "⟦Ann Lee⟧ <ann@lee.dev>"'],
    ["PERSON", ":author: ⟦Ann Lee⟧ (initial port)"],
    ["PERSON", "// Definitions by: ⟦Ann Lee⟧ http://twitter.com/ann"],
    ["EMAIL_ADDRESS", "/*! ws. MIT License. Ann Otto Lee <⟦ann@lee.dev⟧> */"],
    ["PERSON", "This uses [⟦Chomp⟧](https://chompbuild.com) for building"],
  ])("%s in %j", (kind, text) => expect(isCredited(kind, text)).toBe(true))
})

describe("are none", () => {
  test.each([
    ["PHONE_NUMBER", "# Copyright 2024 Ann Lee, ⟦+49 30 901820⟧"],
    ["EMAIL_ADDRESS", "commit 1f2e\nAuthor: Ann Lee <⟦ann@lee.dev⟧>\n\n    Fix it"],
    ["EMAIL_ADDRESS", '{"issue": 7, "author": {"name": "Ann Lee", "email": "⟦ann@lee.dev⟧"}}'],
    ["EMAIL_ADDRESS", '{"author": "Bob", "license": "MIT", "customer": "⟦ann@lee.dev⟧"}'],
    ["EMAIL_ADDRESS", '{"authors": ["Bob"], "license": "MIT", "customers": ["⟦ann@lee.dev⟧"]}'],
    ["EMAIL_ADDRESS", "(a) 2 pens, (b) ink, (c) 3 sheets for ⟦ann@lee.dev⟧"],
    ["EMAIL_ADDRESS", "Copyright 2024 Bob\nmail ⟦ann@lee.dev⟧"],
    ["EMAIL_ADDRESS", "Author-email: Ann Lee <⟦ann@lee.dev⟧>"],
    ["PERSON", "The letter was written by ⟦Ann Lee⟧"],
    ["EMAIL_ADDRESS", "Copyright 2022 letter. Tenant Ann Lee ⟦ann@lee.dev⟧ complains"],
    ["EMAIL_ADDRESS", "(c) 2021 report: Ann Lee, ⟦ann@lee.dev⟧"],
    ["EMAIL_ADDRESS", "© 2024 Acme. Send it to ⟦ann@lee.dev⟧"],
    ["EMAIL_ADDRESS", "(a) 2021 Bob\n(b) 2022 Eve\n(c) 2023 Ann Lee, ⟦ann@lee.dev⟧"],
    ["EMAIL_ADDRESS", "# ticket created by ⟦ann@lee.dev⟧ yesterday"],
    ["EMAIL_ADDRESS", "* Complaint, written by: ⟦ann@lee.dev⟧"],
    ["EMAIL_ADDRESS", "* Created by: ⟦ann@lee.dev⟧\n* State: open"],
    ["EMAIL_ADDRESS", "# Written by Bob for the customer ⟦ann@lee.dev⟧"],
    ["EMAIL_ADDRESS", "# Authors: Bob\tApplicant: ⟦ann@lee.dev⟧"],
    ["USERNAME", "the account [⟦annlee⟧] is locked"],
    ["EMAIL_ADDRESS", '{"issue": 7, "bugs": {"email": "⟦ann@lee.dev⟧"}}'],
    ["EMAIL_ADDRESS", '{"license": "MIT", "customer": {"email": "⟦ann@lee.dev⟧"}}'],
    ["PERSON", "[⟦Ann Lee⟧](https://crm.acme.io/customers/42)"],
    ["PERSON", "## Customers\n\n - ⟦Ann Lee⟧"],
    ["PERSON", "## Authors\n\nBob\n\n## Customers\n\n - ⟦Ann Lee⟧"],
    ["PERSON", "# Our contributors are late\n⟦Ann Lee⟧"],
  ])("%s in %j", (kind, text) => expect(isCredited(kind, text)).toBe(false))
})

test("are near the key that lists them, so that a long text is searched in time", () => {
  const text = `{"license": "MIT", "authors": [${'"Ann <a@b.io>", '.repeat(20_000)}]}`
  const isOne = creditsIn(text)
  const isAt = (start: number): boolean => isOne({ kind: "EMAIL_ADDRESS", start, end: start + 6, probability: 1 })
  const places = Array.from(text.matchAll(/a@b\.io/g), ({ index }) => index)
  expect([places.length, isAt(places[0] ?? 0), isAt(places.at(-1) ?? 0)]).toEqual([20_000, true, false])
  expect(places.filter(isAt).length).toBe(places.filter((place) => place <= text.indexOf("authors") + 4000).length)
})
