import { describe, expect, test } from 'vitest';
import { parseSource, type SourceAnswer } from '../../../src/simulate/target/source.js';

const page = `<!doctype html><html><body>
<form id="login" action="/auth?x=1&amp;y=2"><input name="csrf" value="q&quot;1"><b class="hint"> T &amp; <i>more</i> </b></form>
<script>const options = { "challenge" : 'abc', "note": "<form id='other'>" };</script>
</body></html>`;

const answer = (text: string): SourceAnswer => ({
  status: 302,
  text,
  json: { user: { id: 7 } },
  header: (name) => (name === 'x-next' ? '/there' : undefined),
  cookie: (name) => (name === 'sid' ? 's1' : undefined),
  url: 'http://localhost/page',
});

describe('a source', () => {
  test.each<[string, unknown]>([
    ['json', { user: { id: 7 } }],
    ['json user.id | string', '7'],
    ['html input[name="csrf"] @value', 'q"1'],
    ['html form b.hint', 'T & more'],
    ["html script | match /\"challenge\"\\s*:\\s*'([^']+)'/", 'abc'],
    ['html #other', undefined],
    ['html form @method', undefined],
    ['header X-Next', '/there'],
    ['cookie none', undefined],
    ['url | match /page$/', 'page'],
    ['text | match /id="(\\w+)"/', 'login'],
    ['json user.name | default nobody', 'nobody'],
  ])('%s', async (source, expected) => {
    expect(await parseSource(source).read(answer(page))).toEqual(expected);
  });

  test.each(['', 'body x', 'header', 'status 200', 'html', 'json a..b', 'toString'])('refuses %j', (source) => {
    expect(() => parseSource(source)).toThrow(expect.objectContaining({ code: 'configuration_invalid' }));
  });

  test('says which selector is none', async () => {
    await expect(parseSource('html form:::x').read(answer(page))).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringContaining('"form:::x"'),
    });
  });
});
