/** The result of `PublicKeyCredential.getClientCapabilities()` (WebAuthn L3 §5.1.7). Empty where the browser has no way to ask. */
export async function readCapabilities(): Promise<Readonly<Record<string, boolean>>> {
  if (!('PublicKeyCredential' in window)) {
    return {};
  }
  const told: Record<string, boolean> =
    typeof PublicKeyCredential.getClientCapabilities === 'function' ? { ...(await PublicKeyCredential.getClientCapabilities()) } : {};
  if (Object.keys(told).length === 0) {
    told['userVerifyingPlatformAuthenticator'] = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable();
  }
  return told;
}
