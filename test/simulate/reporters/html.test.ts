import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../../src/simulate/reporters/html.js';
import { HOSTILE_REPORT, SAMPLE, sampleCase, sampleReport } from './sample-report.js';

/** Names of the elements that a page opens, script and style left out. */
function elementsOf(html: string): Set<string> {
  const markup = html.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');
  return new Set([...markup.matchAll(/<([a-z0-9]+)/g)].map(([, name = '']) => name));
}

describe('HTML', () => {
  test('needs nothing from anywhere', () => {
    const html = renderHtml(SAMPLE);
    expect(html).toMatch(/content="default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+'; /);
    expect(html).not.toMatch(/\b(?:src|href|action|style)=|url\(|@import/);
  });

  test('no text of a target is markup', () => {
    expect(elementsOf(renderHtml(HOSTILE_REPORT))).toEqual(elementsOf(renderHtml(SAMPLE).replace(/<section[\s\S]*?<\/section>/, '')));
    expect(renderHtml(HOSTILE_REPORT).match(/<script/g)).toHaveLength(1);
    expect(renderHtml(HOSTILE_REPORT).match(/ on\w+="/g)).toBeNull();
  });

  test('neither style nor script can end its element', () => {
    for (const [, , content = ''] of renderHtml(SAMPLE).matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)) expect(content).not.toContain('<');
  });

  test('says in one word how the run ended', () => {
    const verdict = (html: string) => /<span class="verdict \w+">(\w+)</.exec(html)?.[1];
    expect(verdict(renderHtml(SAMPLE))).toBe('failed');
    expect(verdict(renderHtml(sampleReport([sampleCase({})])))).toBe('passed');
    expect(verdict(renderHtml(sampleReport(SAMPLE.results.filter(({ known }) => known === true))))).toBe('passed');
    expect(verdict(renderHtml(sampleReport([])))).toBe('failed');
  });

  test('shows the findings, then every case with all about it, failures first', () => {
    const html = renderHtml(SAMPLE);
    const findings = html.match(/<li><details(?: open)?>[\s\S]*?<\/li>/g) ?? [];
    expect(findings.map((finding) => /<dt>cases<\/dt><dd>(.*?)<\/dd>/.exec(finding)?.[1])).toEqual([
      'login.origin-other-port',
      'shaky verbatim',
      'broken verbatim',
    ]);
    expect(findings[0]).toContain('The server refuses for the wrong reason: 1 request.');
    const items = html.match(/<li data[\s\S]*?<\/li>/g) ?? [];
    expect(items.map((item) => /data-ending="(\w+)"/.exec(item)?.[1])).toEqual([
      'failed',
      'flaky',
      'known',
      'passed',
      'not_applicable',
      'not_run',
      'passed',
    ]);
    expect(items[0]).toContain('<dt>see</dt><dd>CWE-346, NIST SP 800-63B-4 §3.2.5</dd>');
    expect(items[0]).toContain('<dt>advice</dt><dd>Any other program on the machine can use the passkey.');
    expect(items[0]).toContain('<dt>run alone</dt><dd><code>passkey simulate login.origin-other-port</code></dd>');
    expect(items[6]).toContain('<dt>remark</dt><dd>options with padded base64</dd>');
  });
});
