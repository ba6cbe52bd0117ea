import type { FastifyRequest } from 'fastify';

/** Header fields that proxies, load balancers, tunnels and CDNs add to requests. */
const FIELDS: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'true-client-ip',
  'client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'incap-client-ip',
  'do-connecting-ip',
  'x-sucuri-clientip',
  'x-proxyuser-ip',
  'x-originating-ip',
  'x-coming-from',
  'x-bluecoat-via',
  'x-rewrite-url',
  'x-scheme',
  'x-url-scheme',
  'x-ssl',
  'front-end-https',
  'x-varnish',
  'x-request-start',
  'x-cloud-trace-context',
  'x-amz-cf-id',
  'cdn-loop',
  'surrogate-capability',
]);

/** Name prefixes of further header fields that proxies add. */
const FAMILIES: readonly string[] = [
  'x-forward',
  'x-real-',
  'x-original-',
  'x-remote-',
  'x-proxy-',
  'x-envoy-',
  'x-azure-',
  'x-arr-',
  'x-amzn-',
  'x-appengine-',
  'x-vercel-',
  'x-nf-',
  'x-akamai-',
  'akamai-',
  'cf-',
  'cloudfront-',
  'fastly-',
  'fly-',
  'tailscale-',
  'ngrok-',
];

/**
 * Describes the evidence that a request came through a proxy, as the end of a sentence that begins with "it …". Undefined if there is no
 * evidence.
 */
export function signOfProxy({ raw: { headers, httpVersion } }: FastifyRequest): string | undefined {
  const field = Object.keys(headers).find(isProxyField);
  if (field !== undefined) {
    return `carries the header field ${field.slice(0, 100)}`;
  }
  // nginx speaks HTTP/1.0 to the server behind it unless proxy_http_version says otherwise. Here browsers speak HTTP/1.1 and nothing else.
  return httpVersion === '1.1' ? undefined : `speaks HTTP/${httpVersion}`;
}

function isProxyField(field: string): boolean {
  const name = field.toLowerCase().replaceAll('_', '-');
  return FIELDS.has(name) || FAMILIES.some((family) => name.startsWith(family));
}
