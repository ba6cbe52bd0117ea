import { MetadataService, SettingsService } from '@simplewebauthn/server';
import { afterEach, beforeEach } from 'vitest';
import { loadLibrary } from '../../../src/relying-party/simplewebauthn.js';
import { CERTIFIED_FORMATS } from '../../../src/webauthn/enumerations.js';

/**
 * @simplewebauthn/server keeps its trust for the whole process, which all tests share. So it gets roots for each test of a file, and
 * trusts as before when the test has ended.
 */

/** @param certificates - in DER: of Android keys the library compares PEM as text, in its own writing of it */
export function setLibraryRoots(certificates: readonly Uint8Array[]): void {
  for (const identifier of CERTIFIED_FORMATS) {
    SettingsService.setRootCertificates({ identifier, certificates: certificates.map((der) => Uint8Array.from(der)) });
  }
}

/** For a file whose tests change what the library trusts. */
export function withLibraryTrust(root?: Uint8Array): void {
  beforeEach(async () => {
    // Our relying party takes all roots away when it first loads the library.
    await loadLibrary();
    if (root !== undefined) setLibraryRoots([root]);
  });
  afterEach(async () => {
    setLibraryRoots([]);
    await MetadataService.initialize({ mdsServers: [], statements: [], verificationMode: 'permissive' });
  });
}
