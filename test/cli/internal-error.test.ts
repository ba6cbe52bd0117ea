import { describe, expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { findReportAddress, version } from '../../src/cli/package.js';
import { fakeIo } from './fake-io.js';

describe('an internal error', () => {
  test('prints version, Node.js and platform for the report', async () => {
    const { io, written } = fakeIo();
    const broken = {
      ...io,
      get env(): never {
        throw new TypeError('out of order');
      },
    };
    expect(await run(['list'], broken)).toBe(1);
    expect(written.stderr).toContain('passkey: unexpected error; please report it, with this:\n');
    expect(written.stderr).toContain(`passkey ${version()}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}\n`);
    expect(written.stderr).toContain('TypeError: out of order');
  });

  test.each([
    [{ bugs: { url: 'https://reports.test/issues' } }, 'https://reports.test/issues'],
    [{ bugs: 'https://reports.test' }, 'https://reports.test'],
    [{ bugs: { email: 'faults@reports.test' } }, 'faults@reports.test'],
    [{ bugs: '' }, undefined],
    [{ bugs: {} }, undefined],
    [{}, undefined],
  ])('%j names where to report it', (manifest, address) => {
    expect(findReportAddress(() => manifest)).toBe(address);
  });

  test('without a package.json there is no address', () => {
    const read = () => {
      throw new Error('ENOENT');
    };
    expect(findReportAddress(read)).toBeUndefined();
  });
});
