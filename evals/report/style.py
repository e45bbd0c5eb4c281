"""What a report's pages need beyond the style sheet of the agent's page."""

from __future__ import annotations

STYLE = """\
main { max-width: 76rem; overflow-wrap: anywhere; } .scores { overflow-wrap: normal; }
.soft, .soft li, summary { color: var(--soft); } .soft { font-size: .9rem; }
.missing { color: var(--soft); }
section section { border-top: 0; margin-top: 1.5rem; }
.scores { font-size: .9rem; } .scores td { white-space: nowrap; }
.scores td:first-child { white-space: normal; min-width: 9rem; overflow-wrap: anywhere; }
.interval, .paper { display: block; font-size: .85em; color: var(--soft); }
table .paper { font-style: italic; color: var(--before); }
details { margin: .5rem 0; } summary { cursor: pointer; } summary code { color: var(--ink); }
figure { margin: 1rem 0; } .readout { min-height: 1.5em; margin: .25rem 0; overflow-wrap: anywhere; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: .5rem; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; overflow-wrap: anywhere; }
.legend label { display: inline-block; max-width: 100%; }
.picture.key { display: inline-block; width: 2.2rem; height: .75rem; vertical-align: middle; }
.picture.curve { min-width: 18rem; max-width: 36rem; } .picture.ranks { min-width: 20rem; max-width: 40rem; }
.picture .off { display: none; }
.picture [class^="c"] polyline, .picture.key path { fill: none; stroke: var(--run); stroke-width: 2; }
.picture [class^="c"] .band { fill: var(--run); fill-opacity: .13; stroke: none; }
.picture [class^="c"] circle { fill: var(--run); fill-opacity: 1; stroke: none; }
.picture .papers { fill: var(--paper); stroke: var(--run); stroke-width: 1.5; }
.d1 polyline, .picture.key.d1 path { stroke-dasharray: 8 4; }
.d2 polyline, .picture.key.d2 path { stroke-dasharray: 2 3; }
.c0 { --run: light-dark(#0b5fa5, #6cb6ff); } .c1 { --run: light-dark(#c2410c, #ff9d5c); }
.c2 { --run: light-dark(#116329, #6ee08a); } .c3 { --run: light-dark(#8a2b8f, #e29bea); }
.c4 { --run: light-dark(#8a6100, #e8c04a); } .c5 { --run: light-dark(#a40e26, #ff9b92); }
.c6 { --run: light-dark(#00707a, #5fd4dc); } .c7 { --run: light-dark(#4b5563, #b6bec8); }
.reference { fill: var(--soft); } .picture line.c0, .picture line.bar { stroke: var(--after); stroke-width: 1.5; }
"""
