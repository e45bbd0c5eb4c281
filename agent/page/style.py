"""The style sheet of the page: light and dark, from a phone's width on."""

STYLE = """\
:root {
  color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --paper: light-dark(#ffffff, #16191d); --ink: light-dark(#1f2933, #e4e7eb); --soft: light-dark(#52606d, #9aa5b1);
  --line: light-dark(#d3dae0, #323f4b); --before: light-dark(#c2410c, #fb923c); --after: light-dark(#1d6fb8, #60b5ff);
  --good: light-dark(#116329, #7ee787); --bad: light-dark(#a40e26, #ffa198);
  --added: light-dark(#e6ffec, #12301d); --removed: light-dark(#ffebe9, #3a1a1a);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1, h2, h3, p, li, dd, .verdict { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
section + section { border-top: 2px solid var(--line); margin-top: 3rem; }
a { color: var(--after); } nav b { color: var(--tone); }
.intro { white-space: pre-line; overflow-wrap: anywhere; }
.place, footer { color: var(--soft); margin: 0 0 .75rem; } footer { margin-top: 3rem; font-size: .85rem; }
.verdict { border-left: .3rem solid var(--tone); padding: .4rem .8rem; margin: .75rem 0; }
.verdict strong { color: var(--tone); }
.good { --tone: var(--good); } .bad { --tone: var(--bad); } .neutral { --tone: var(--soft); }
.gain { margin: .75rem 0; } .gain strong { font-size: 2rem; line-height: 1.2; color: var(--tone); margin-right: .5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .3rem .9rem .3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; white-space: nowrap; } .reason { min-width: 16rem; } .reason, dd { overflow-wrap: anywhere; }
.figures td { white-space: nowrap; }
pre { overflow-x: auto; margin: .5rem 0; padding: .75rem 0; border: 1px solid var(--line); border-radius: .4rem;
  font: .85rem/1.45 ui-monospace, monospace; tab-size: 4; }
pre.lines { padding: .75rem; }
pre i { display: inline-block; width: 2.8em; padding-right: .6em; text-align: right; font-style: normal;
  color: var(--soft); user-select: none; }
pre i::before { content: attr(data-n); }
ins { color: var(--good); background: var(--added); text-decoration: none; }
del { color: var(--bad); background: var(--removed); text-decoration: none; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; }
ul { padding-left: 1.2rem; margin: .5rem 0; }
@media (max-width: 40rem) { dl { display: block; } dd { margin-bottom: .5rem; } }
.picture { display: block; width: 100%; height: auto; }
.samples { max-width: 40rem; min-width: 20rem; } .growth { max-width: 46rem; min-width: 32rem; }
.picture text { font: 13px system-ui, sans-serif; fill: var(--ink); }
.picture .paper { fill: none; } .picture .axis { stroke: var(--soft); fill: none; }
.picture .grid { stroke: var(--line); } .picture .soft { fill: var(--soft); font-size: 12px; }
.samples text { font-size: 15px; } .samples .soft { font-size: 14px; }
.picture .bold { font-weight: 600; } .picture .median { stroke-width: 2; }
.picture .original, .picture .before { stroke: var(--before); }
.picture .rewrite, .picture .after { stroke: var(--after); }
.picture polyline { fill: none; } .picture circle { fill-opacity: .55; }
.picture circle.original, .picture rect.original, .picture circle.before { fill: var(--before); }
.picture circle.rewrite, .picture rect.rewrite, .picture circle.after { fill: var(--after); }
.picture text.original, .picture text.before { fill: var(--before); stroke: none; }
.picture text.rewrite, .picture text.after { fill: var(--after); stroke: none; }
"""
