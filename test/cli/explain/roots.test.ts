import { describe, expect, test } from 'vitest';
import type { ExplainDocument } from '../../../src/explain/document-schema.js';
import { DIFFERENCES } from '../../../src/relying-party/differences.js';
import { FOREIGN_ROOT } from '../../../src/simulate/cases/values.js';
import { explain, recorded } from './run-explain.js';

const files = { 'f.json': recorded('registration-synced'), 'root.pem': FOREIGN_ROOT };

describe('--roots, for a registration without attestation', () => {
  test('rejects it at step 24, as the server does', async () => {
    const { code, stdout } = await explain(['f.json', '--roots', 'root.pem', '--json'], files);
    const document: ExplainDocument = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      verdict: 'rejected',
      library: { verdict: 'accepted' },
      difference: DIFFERENCES.find(({ where }) => where === 'attestation-trust')?.why,
    });
    expect(document.steps.filter(({ status }) => status === 'fail')).toMatchObject([
      { number: 24, slug: 'attestation-trust', code: 'attestation_untrusted', received: 'no attestation (format "none")' },
    ]);
  });

  test('tells people how to get one', async () => {
    const { stdout } = await explain(['f.json', '--roots', 'root.pem'], files);
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain('no attestation (format "none")');
    expect(text).toContain('Ask for attestation "direct"');
    expect((await explain(['f.json'], files)).code).toBe(0);
  });
});
