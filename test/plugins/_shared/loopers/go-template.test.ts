import { expect, test } from "vitest"
import { compileTemplate } from "../../../../ts/plugins/_shared/loopers/go-template.ts"

const data = {
  OriginalContent: "How far is the moon?",
  ReferenceResponses: [
    { Content: "Far {{.OriginalContent}}", Reasoning: "I looked", Model: "a" },
    { Content: "Near", Reasoning: "", Model: "" },
  ],
}

test.each<[string, string]>([
  ["{{.OriginalContent}}!", "How far is the moon?!"],
  [
    "{{ range $i, $r := .ReferenceResponses }}{{add $i 1}}:{{$r.Content}};{{ end }}",
    "1:Far {{.OriginalContent}};2:Near;",
  ],
  [
    "{{range .ReferenceResponses}}{{.Content}}|{{$.OriginalContent}} {{end}}",
    "Far {{.OriginalContent}}|How far is the moon? Near|How far is the moon? ",
  ],
  ["{{range $r := .ReferenceResponses}}{{if $r.Model}} ({{$r.Model}}){{else}} -{{end}}{{end}}", " (a) -"],
  ["{{range .Nothing}}x{{else}}none{{end}}", "none"],
  ["{{len .ReferenceResponses}} {{/* a comment */}}answers", "2 answers"],
  ["a  {{- .OriginalContent -}}  b", "aHow far is the moon?b"],
  ["{{if .ReferenceResponses}}some{{end}}{{if .No}}no{{end}}", "some"],
  ["no actions", "no actions"],
])("%s", (template, expected) => {
  expect(compileTemplate(template)(data)).toBe(expected)
})

test.each<[string, string]>([
  ["{{with .A}}x{{end}}", "with .A"],
  ["{{.A | printf}}", ".A | printf"],
  ["{{range .A}}", "without {{end}}"],
  ["{{end}}", "where no block is open"],
  ["{{.A", "{{ without }}"],
  ["{{foo}}", "{{foo}}"],
  ["{{}}", "{{}}"],
  ["{{if eq .A 1}}x{{end}}", "eq .A 1"],
])("refuses %s", (template, said) => {
  expect(() => compileTemplate(template)).toThrow(said)
})
