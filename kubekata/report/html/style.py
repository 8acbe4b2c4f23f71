"""The style of the report: light and dark, on paper, with the keyboard."""

CSS = """
:root {
  color-scheme: light dark;
  --page: #fbfaf8; --card: #ffffff; --text: #1d2126; --quiet: #59616b; --rule: #d9dce1;
  --good: #1a7f4b; --bad: #b3261e; --accent: #1f5fbf;
  --series-0: var(--text);
  --series-1: #1f5fbf; --series-2: #c2570c; --series-3: #1a7f4b; --series-4: #7a3fb0;
  --series-5: #a1770b; --series-6: #b3261e; --series-7: #0f7c83; --series-8: #6b7280;
}
@media (prefers-color-scheme: dark) { :root {
  --page: #15181c; --card: #1d2126; --text: #e8eaed; --quiet: #a3abb5; --rule: #3a414a;
  --good: #5fd39a; --bad: #ff8a80; --accent: #8ab4f8;
  --series-1: #8ab4f8; --series-2: #ffab70; --series-3: #5fd39a; --series-4: #cfa8ff;
  --series-5: #f0cf65; --series-6: #ff8a80; --series-7: #6fd7de; --series-8: #b6bdc6;
} }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main, header, footer { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.35rem; margin: 2.75rem 0 .75rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin: 0 0 .35rem; }
p { margin: .35rem 0; } .quiet { color: var(--quiet); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--card); }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; padding: 0; margin: .75rem 0 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1.5rem 0 0; }
.figures div { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .7rem .9rem; }
.figures dt { color: var(--quiet); font-size: .85rem; }
.figures dd { margin: 0; font-size: 1.6rem; font-weight: 650; }
figure { margin: 1rem 0; padding: .75rem; background: var(--card);
  border: 1px solid var(--rule); border-radius: .6rem; }
figure .chart { overflow-x: auto; } figure svg { display: block; width: 100%; min-width: 36rem; height: auto; }
figcaption { font-weight: 600; margin-bottom: .25rem; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; margin: .25rem 0; padding: 0;
  font-size: .9rem; }
.swatch { display: inline-block; width: 1.6rem; margin-right: .45rem; vertical-align: middle;
  border-top: 3px solid var(--colour); }
.swatch.plain { width: .8rem; border-top-width: .8rem; border-radius: 2px; } .swatch.thick { border-top-width: 4px; }
.swatch.thin { border-top-width: 2px; }
.swatch.dashed { border-top-style: dashed; } .swatch.dotted { border-top-style: dotted; }
details { margin: .5rem 0 0; } summary { cursor: pointer; color: var(--accent); width: fit-content; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; margin-top: .5rem; }
caption { text-align: left; color: var(--quiet); padding-bottom: .25rem; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; }
article { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: 1rem;
  break-inside: avoid; }
article ul { list-style: none; margin: .6rem 0; padding: 0; } article .score { font-size: 1.5rem; font-weight: 650; }
footer { padding: 2rem 1.25rem 3rem; color: var(--quiet); font-size: .9rem; }
svg .series .reactive { fill-opacity: .9 !important; stroke-opacity: 1 !important; }
svg .series .line.reactive { stroke-width: inherit !important; }
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --text: #000; --quiet: #444; --rule: #bbb;
    --good: #0b6b3a; --bad: #9c1c14; --accent: #000;
    --series-1: #1f5fbf; --series-2: #c2570c; --series-3: #1a7f4b; --series-4: #7a3fb0;
    --series-5: #a1770b; --series-6: #b3261e; --series-7: #0f7c83; --series-8: #6b7280; }
  body { font-size: 10.5pt; } nav, .skip, summary { display: none; }
  figure, tr { break-inside: avoid; } h2, h3 { break-after: avoid; } figure svg { min-width: 0; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
