/** One sentence for a ceremony inside an iframe of another origin that is not expected. */
export function crossOriginHint(type: string): string {
  const feature = type === 'webauthn.create' ? 'publickey-credentials-create' : 'publickey-credentials-get';
  return `The page ran in an iframe of another origin, which is not expected; open it on its own, or, if the iframe is meant, let the embedding page write <iframe allow="${feature}"> and name its origin with --top-origin.`;
}
