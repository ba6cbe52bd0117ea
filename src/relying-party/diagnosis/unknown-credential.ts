/** What a page can do about a passkey that the device still offers and the server has not: the Signal API of WebAuthn L3 §5.1.10. */
export function unknownCredentialHint(rpId: string, credentialId: string): string {
  return `The device still offers a passkey that is not registered here (removed, or of another store); if it belongs to no other store either, have the page remove it with PublicKeyCredential.signalUnknownCredential({ rpId: ${JSON.stringify(rpId)}, credentialId: ${JSON.stringify(credentialId)} }).`;
}
