/** One sentence for a ceremony inside an iframe of another origin that is not expected. */
export function crossOriginHint(type: string): string {
  const feature = type === 'webauthn.create' ? 'publickey-credentials-create' : 'publickey-credentials-get';
  return `The page ran in an iframe of another origin; open it on its own, or, if the iframe is meant (allow="${feature}"), name the embedding page with --top-origin.`;
}
