import { createServer as createPlainServer, request as forward, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { contextPrimitive, utf8String } from '../../../src/webauthn/der-writer.js';
import { toPem } from '../../relying-party/certificate.js';
import { EXTENSIONS, ecKeyPair, type KeyPair, type Name, OID, writeCertificate } from '../../webauthn/certificate-writer.js';

const nameOf = (text: string): Name => [[OID.cn, utf8String(text)]];

const nameHosts = (hosts: readonly string[]) =>
  EXTENSIONS.subjectAltName(false, ...hosts.map((host) => contextPrimitive(2, encodeUtf8(host))));

interface Issued {
  readonly name: string;
  readonly issuer: string;
  readonly keys: KeyPair;
  readonly signedBy: KeyPair;
  /** DNS names; undefined: a CA. */
  readonly hosts?: readonly string[];
  readonly to?: number;
}

function issue({ name, issuer, keys, signedBy, hosts, to = Date.UTC(2049, 0, 1) }: Issued): string {
  const der = writeCertificate({
    serialNumber: BigInt(name.length),
    issuer: nameOf(issuer),
    subject: nameOf(name),
    notBefore: Date.UTC(2020, 0, 1),
    notAfter: to,
    publicKey: keys.publicKey,
    signingKey: signedBy.privateKey,
    extensions: [EXTENSIONS.basicConstraints(hosts === undefined), ...(hosts === undefined ? [] : [nameHosts(hosts)])],
  });
  return toPem(der);
}

const [rootKeys, middleKeys, keys] = [ecKeyPair(), ecKeyPair(), ecKeyPair()];
/** The root to trust. */
export const ROOT = issue({ name: 'root', issuer: 'root', keys: rootKeys, signedBy: rootKeys });
const MIDDLE = issue({ name: 'middle', issuer: 'root', keys: middleKeys, signedBy: rootKeys });
const issueLeaf = (more: Partial<Issued>) =>
  issue({ name: 'leaf', issuer: 'middle', keys, signedBy: middleKeys, hosts: ['shop.example', 'shop.test'], ...more });

/** Chains in PEM that a server can send. */
export const CHAINS = {
  whole: issueLeaf({}) + MIDDLE,
  leafOnly: issueLeaf({}),
  expired: issueLeaf({ to: Date.UTC(2021, 0, 1) }) + MIDDLE,
  otherName: issueLeaf({ hosts: ['other.example'] }) + MIDDLE,
};

export interface Served {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: unknown;
}

export const FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':');
export const ANDROID = 'android:apk-key-hash:q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s';
export const RELATIONS = ['delegate_permission/common.handle_all_urls', 'delegate_permission/common.get_login_creds'];
export const link = (relation = RELATIONS, fingerprint = FINGERPRINT) => ({
  relation,
  target: { namespace: 'android_app', package_name: 'com.example.shop', sha256_cert_fingerprints: [fingerprint] },
});

/** A site without a fault, by path. */
export const GOOD: Readonly<Record<string, Served>> = {
  '/': {
    headers: {
      'content-type': 'text/html',
      'content-security-policy': "default-src 'self'",
      'permissions-policy': 'publickey-credentials-get=(self "https://frame.example"), camera=()',
      'set-cookie': ['__Host-session=1; Path=/; Secure; HttpOnly; SameSite=Lax'],
      'strict-transport-security': 'max-age=31536000',
    },
    body: '<p>shop</p>',
  },
  '/.well-known/webauthn': { body: { origins: ['https://shop.example', 'https://shop.test'] } },
  '/.well-known/passkey-endpoints': { body: { enroll: 'https://shop.example/enroll', manage: 'https://shop.example/manage' } },
  '/.well-known/apple-app-site-association': { body: { webcredentials: { apps: ['ABCDE12345.com.example.shop'] } } },
  '/.well-known/assetlinks.json': { body: [link()] },
};

/**
 * Serves a site on this machine, with these pages in place of the good ones; the server at `behind` answers all other paths.
 *
 * @param chain empty: over http
 */
export async function openSite(served: Readonly<Record<string, Served>> = {}, chain: string = CHAINS.whole, behind = '') {
  const asked: string[] = [];
  const key = keys.privateKey.export({ format: 'pem', type: 'pkcs8' });
  const answer: RequestListener = (request, response) => {
    const { url: path = '', headers: sent, method } = request;
    asked.push(path);
    if (behind !== '' && served[path] === undefined && GOOD[path] === undefined && method !== 'OPTIONS') {
      const { port } = new URL(behind);
      const passed = forward({ port, path, method, headers: sent }, (got) => {
        got.pipe(response.writeHead(got.statusCode ?? 500, got.headers));
      });
      return void request.pipe(passed);
    }
    const { status, headers, body } = served[path] ?? GOOD[path] ?? { status: 404 };
    const cors = path === '/' && sent.origin !== undefined ? served['cors']?.headers : undefined;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status ?? 200, { 'content-type': 'application/json', ...headers, ...cors }).end(text);
  };
  const server = chain === '' ? createPlainServer(answer) : createServer({ cert: chain, key }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}
