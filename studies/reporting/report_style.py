"""The look of a report: a page of a paper, in the fonts that the reader's computer has."""

STYLE = """\
:root {
  --paper: #ffffff; --ink: #1d1f21; --soft: #5c6166; --rule: #d5d8db; --accent: #0b5c94; --box: #f2f6f9;
}
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181a; --ink: #e4e4e1; --soft: #a2a7ab; --rule: #3b3f43; --accent: #7cbcec; --box: #1f2428; }
}
* { box-sizing: border-box; }
html { background: var(--paper); }
body {
  max-width: 54rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 "STIX Two Text", Charter, "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif;
}
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0.2rem 0 1rem; font-weight: 600; text-wrap: balance; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 0.8rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--rule); }
p, ul { margin: 0.6rem 0; }
ul { padding-left: 1.2rem; }
li { margin: 0.35rem 0; }
sub, sup { line-height: 0; font-size: 0.72em; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.85em; }
code { overflow-wrap: anywhere; }
pre { background: var(--box); padding: 0.8rem 1rem; border-radius: 4px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.kind { color: var(--soft); margin: 0; }
nav { font-size: 0.9rem; color: var(--soft); }
#conclude { background: var(--box); border-left: 4px solid var(--accent); padding: 0.9rem 1.4rem 0.7rem;
  margin-top: 1.6rem; }
#conclude h2 { margin: 0; border: 0; }
figure { margin: 1.8rem 0 2.4rem; }
/* Figures are drawn for white paper, so they keep it on a dark screen. */
figure img { display: block; max-width: 100%; height: auto; margin: 0 auto 0.7rem; background: #ffffff;
  padding: 0.6rem; border: 1px solid var(--rule); border-radius: 4px; }
figcaption { font-size: 0.94rem; line-height: 1.45; }
.files { color: var(--soft); white-space: nowrap; font-size: 0.85em; }
.wide { overflow-x: auto; margin-top: 0.6rem; }
.tall { max-height: 40rem; overflow-y: auto; border-bottom: 1px dashed var(--soft); }
.hint { color: var(--soft); font-size: 0.85rem; margin: 0.3rem 0 0; }
table { border-collapse: collapse; font-size: 0.88rem; line-height: 1.35;
  font-variant-numeric: tabular-nums lining-nums; }
.wide > table { border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink); }
.wide th { text-align: right; vertical-align: bottom; font-weight: 600; padding: 0.35rem 0.7rem; position: sticky;
  top: 0; background: var(--paper); box-shadow: inset 0 -1px 0 var(--ink); }
.wide td { text-align: right; padding: 0.16rem 0.7rem; white-space: nowrap; }
.wide th:first-child, .wide td:first-child { text-align: left; padding-left: 0.2rem; }
.wide tbody tr:hover { background: var(--box); }
.wide tbody tr:first-child td { padding-top: 0.35rem; }
.wide tbody tr:last-child td { padding-bottom: 0.35rem; }
details { margin: 0.8rem 0; }
summary { cursor: pointer; color: var(--accent); }
.facts { width: 100%; margin: 0.2rem 0; font-size: 0.82rem; }
.facts th { text-align: left; vertical-align: top; font-weight: 600; padding: 0.15rem 0.8rem 0.15rem 0; width: 1%;
  white-space: nowrap; }
.facts td { padding: 0.15rem 0; overflow-wrap: anywhere; }
.facts tr { border-top: 1px solid var(--rule); }
.facts div + div { border-top: 2px solid var(--rule); margin-top: 0.5rem; }
.facts .facts { margin: 0; font-size: 1em; }
.facts .facts tr:first-child { border-top: 0; }
@media print {
  :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --accent: #000000; --box: #ffffff; }
  @page { margin: 18mm 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav, .hint, summary { display: none; }
  h2 { break-after: avoid; }
  figure img { border: 0; padding: 0; max-height: 215mm; max-width: 100%; object-fit: contain; }
  figure:has(img), #conclude { break-inside: avoid; }
  .wide, .tall { overflow: visible; max-height: none; border-bottom: 0; }
  .wide th { position: static; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; }
}
"""
