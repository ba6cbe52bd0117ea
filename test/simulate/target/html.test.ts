import { describe, expect, test } from 'vitest';
import { listAttributes, listScripts, selectHtml } from '../../../src/simulate/target/html.js';

const PAGE = `<!doctype html>
<!-- <meta name="csrf" content="in-a-comment"> -->
<script>const text = '<meta name="csrf" content="in-a-script">';</script>
<script type="application/json">{"a":1}</script>
<script type="application/json">{"a":2}</script>
<script id="late" type="application/json">{"a":3}</script>
<META NAME="csrf" CONTENT="one &amp; two">
<input name="field">
<input name="field" value="second-of-its-name">
<input name='quo"te' value=bare>
<a href="/first">x</a><a href="/second">y</a>
<div data-key="in-data" @click="go()"></div>
<form id="login" action="/login"><input id="7th" type="hidden" value="no-plain-id"></form>`;

describe('the attributes of a page', () => {
  test('are those of its elements that could carry a value, each with a selector that finds it first', () => {
    expect(listAttributes(PAGE).map(({ selector, attribute, value, name }) => [selector, attribute, value, name])).toEqual([
      ['meta[name="csrf"]', 'content', 'one & two', 'csrf'],
      ['input[name="quo\\"te"]', 'value', 'bare', 'quo"te'],
      ['a[href]', 'href', '/first', 'href'],
      ['div[data-key]', 'data-key', 'in-data', 'key'],
      ['form#login', 'action', '/login', 'action'],
    ]);
  });

  test('are found again by what is listed', () => {
    for (const { selector, attribute, value } of listAttributes(PAGE)) expect(selectHtml(PAGE, selector, attribute)).toBe(value);
  });

  test('are read however deep the page is', () => {
    const page = `${'<div>'.repeat(2_000)}<meta name="deep" content="here">`;
    expect(listAttributes(page).map(({ value }) => value)).toEqual(['here']);
  });
});

describe('the scripts of a page', () => {
  test('have a selector where one by ID or type finds them first', () => {
    expect(listScripts(PAGE)).toEqual([
      { selector: undefined, text: expect.stringContaining('in-a-script') },
      { selector: 'script[type="application/json"]', text: '{"a":1}' },
      { selector: undefined, text: '{"a":2}' },
      { selector: 'script#late', text: '{"a":3}' },
    ]);
    expect(selectHtml(PAGE, 'script#late', undefined)).toBe('{"a":3}');
  });
});
