import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { contextPrimitive, utf8String } from '../../../src/webauthn/der-writer.js';
import { toPem } from '../../relying-party/certificate.js';
import { EXTENSIONS, ecKeyPair, OID, writeCertificate } from '../../webauthn/certificate-writer.js';

/** Certificate and key of a server on localhost, in PEM. */
export function makeIdentity() {
  const keys = ecKeyPair();
  const name = [[OID.cn, utf8String('localhost')]] as const;
  const der = writeCertificate({
    serialNumber: 7n,
    issuer: name,
    subject: name,
    notBefore: Date.UTC(2020, 0, 1),
    notAfter: Date.UTC(2049, 0, 1),
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [EXTENSIONS.basicConstraints(true), EXTENSIONS.subjectAltName(false, contextPrimitive(2, encodeUtf8('localhost')))],
  });
  return { cert: toPem(der), key: keys.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
}
