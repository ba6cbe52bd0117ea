import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveServeSettings } from '../../../src/cli/config/resolve.js';
import { policyOf } from '../../../src/cli/serve/policy.js';
import { FOREIGN_ROOT } from '../../../src/simulate/cases/values.js';
import { fakeIo } from '../fake-io.js';
import { tempFolder } from '../temp-folder.js';

async function policyWith(config: object) {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'root.pem'), FOREIGN_ROOT);
  await writeFile(join(cwd, 'passkey.config.json'), JSON.stringify(config));
  return policyOf(await resolveServeSettings(fakeIo({ cwd }).io, {}));
}

describe('attestation roots', () => {
  const attestationRoots = ['root.pem'];

  test.each([
    ['attestation direct', { attestation: 'direct' }],
    ['attestation enterprise', { attestation: 'enterprise' }],
    ['the FIDO endpoints, whose requests name the conveyance', { fidoApi: true }],
  ])('go with %s', async (_, config) => {
    expect((await policyWith({ attestationRoots, ...config })).attestationRoots).toEqual([FOREIGN_ROOT.trim()]);
  });

  test.each([
    ['none by default', {}, /got none/],
    ['none', { attestation: 'none' }, /got none/],
    ['indirect', { attestation: 'indirect' }, /got indirect/],
  ])('do not go with attestation %s', async (_, config, message) => {
    await expect(policyWith({ attestationRoots, ...config })).rejects.toMatchObject({
      code: 'configuration_invalid',
      message: expect.stringMatching(message),
    });
    expect((await policyWith({ attestationRoots: [], ...config })).attestationRoots).toEqual([]);
  });
});
