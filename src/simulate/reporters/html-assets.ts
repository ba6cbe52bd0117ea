/**
 * Style and script of the HTML report, inserted unchanged. They must not contain a less-than sign, because that could end their element.
 */

export const STYLE = `
:root {
  --text: #1b1f24; --quiet: #57606a; --page: #ffffff; --panel: #f6f8fa; --line: #d0d7de; --link: #0550ae;
  --good: #116329; --bad: #a40e26; --odd: #7d4e00; --good-panel: #dafbe1; --bad-panel: #ffebe9; --odd-panel: #fff8c5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --quiet: #9ea7b3; --page: #0d1117; --panel: #161b22; --line: #30363d; --link: #79c0ff;
    --good: #56d364; --bad: #ff938a; --odd: #e3b341; --good-panel: #12261e; --bad-panel: #2d1517; --odd-panel: #272115;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 72rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
code { font: 0.875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.125rem; }
header p { margin: 0.25rem 0 0.75rem; }
.verdict { margin-left: 0.25rem; padding: 0.125rem 0.625rem; border-radius: 1rem; font-size: 1rem; vertical-align: 0.125rem; }
.verdict.passed { background: var(--good-panel); color: var(--good); }
.verdict.failed { background: var(--bad-panel); color: var(--bad); }
.facts { display: flex; flex-wrap: wrap; gap: 0.25rem 2rem; margin: 0; font-size: 0.875rem; }
.facts div { display: flex; gap: 0.5rem; }
.facts dt { color: var(--quiet); }
.facts dd { margin: 0; }
form { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1.5rem;
  margin-top: 1rem; padding: 0.625rem 0; background: var(--page); border-bottom: 1px solid var(--line); }
form[hidden] { display: none; }
fieldset { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0; padding: 0; border: 0; min-width: 0; }
legend { float: left; padding: 0; margin-right: 0.5rem; color: var(--quiet); }
form label { display: inline-flex; align-items: center; gap: 0.375rem; }
form input[type=checkbox] { width: 1rem; height: 1rem; margin: 0; accent-color: var(--link); }
.find { flex: 1 1 14rem; color: var(--quiet); }
.find input { flex: 1; min-width: 0; padding: 0.3125rem 0.5rem; border: 1px solid var(--quiet); border-radius: 0.375rem;
  background: var(--page); color: var(--text); font: inherit; }
.find input::placeholder { color: var(--quiet); opacity: 1; }
#shown { margin: 0; color: var(--quiet); font-size: 0.875rem; }
.cases, .findings { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 0.5rem; overflow: hidden; }
.cases:empty { display: none; }
li + li { border-top: 1px solid var(--line); }
li[hidden] { display: none; }
summary { display: grid; grid-template-columns: 0.75rem 8.75rem minmax(12rem, 22rem) 1fr; gap: 0.125rem 0.75rem; align-items: baseline;
  padding: 0.375rem 0.75rem; cursor: pointer; }
summary::before { content: "▸"; color: var(--quiet); }
details[open] > summary::before { content: "▾"; }
summary:hover { background: var(--panel); }
summary:focus-visible, input:focus-visible { outline: 2px solid var(--link); outline-offset: -2px; }
.ending { white-space: nowrap; font-size: 0.875rem; }
.passed { color: var(--good); }
.failed, .flaky { color: var(--bad); }
.known, .tolerated, .not_judged, .not_applicable { color: var(--odd); }
.not_run { color: var(--quiet); }
form label.passed, form label.failed, form label.flaky, form label.known, form label.tolerated, form label.not_judged, form label.not_applicable, form label.not_run { color: var(--text); }
.short { color: var(--quiet); font-size: 0.875rem; }
details[open] > summary { background: var(--panel); }
details > dl { display: grid; grid-template-columns: 8.75rem 1fr; gap: 0.25rem 0.75rem; margin: 0;
  padding: 0.75rem 0.75rem 0.75rem 2.25rem; }
details dt { grid-column: 1; color: var(--quiet); font-size: 0.875rem; }
details dd { grid-column: 2; margin: 0; white-space: pre-wrap; }
dd.good { color: var(--good); }
dd.bad { color: var(--bad); }
.baseline p { margin: 0.25rem 0; }
@media (max-width: 48rem) {
  summary { grid-template-columns: 0.75rem 1fr; }
  summary code, .short { grid-column: 2; }
  details > dl { grid-template-columns: 1fr; gap: 0; }
  details dd, details dt { grid-column: 1; }
  details dd { margin-bottom: 0.5rem; }
  form { position: static; }
}
@media print {
  :root { --text: #000; --quiet: #444; --page: #fff; --panel: #fff; --line: #999; --good: #0a4d1c; --bad: #8a0a1e; --odd: #5c3a00;
    --good-panel: #fff; --bad-panel: #fff; --odd-panel: #fff; }
  body { max-width: none; padding: 0; font-size: 0.75rem; }
  form, #none { display: none !important; }
  .cases { overflow: visible; }
  li { break-inside: avoid; }
  .verdict { padding: 0; }
}
`;

export const SCRIPT = `
'use strict';
const filters = document.getElementById('filters');
const find = document.getElementById('find');
const shown = document.getElementById('shown');
const none = document.getElementById('none');
const boxes = [...filters.querySelectorAll('input[type=checkbox]')];
const cases = [...document.querySelectorAll('.cases li')].map((item) => ({ item, text: item.textContent.toLowerCase() }));
function apply() {
  const endings = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const words = find.value.toLowerCase().split(' ').filter(Boolean);
  let count = 0;
  for (const { item, text } of cases) {
    const fits = endings.has(item.dataset.ending) && words.every((word) => text.includes(word));
    item.hidden = !fits;
    count += Number(fits);
  }
  shown.textContent = count + ' of ' + cases.length + (cases.length === 1 ? ' case' : ' cases');
  none.hidden = count > 0 || cases.length === 0;
}
filters.addEventListener('input', apply);
filters.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && event.target !== find && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    find.focus();
  }
});
filters.hidden = cases.length === 0;
apply();
`;
