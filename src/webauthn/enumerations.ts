/**
 * Enumerations of W3C WebAuthn L3, one table each. The types are derived from the tables. The standard declares members with these values
 * as plain strings, so that a reader can ignore unknown values: see {@link knownValue}.
 */

/** Types of credentials: PublicKeyCredentialType (§5.8.2). */
export const CREDENTIAL_TYPES = ['public-key'] as const;
export type PublicKeyCredentialType = (typeof CREDENTIAL_TYPES)[number];

/** The two WebAuthn ceremonies (§4). */
export const CEREMONIES = ['registration', 'authentication'] as const;
export type CeremonyKind = (typeof CEREMONIES)[number];

/** Links to the sections of the standard that define its procedures. Most steps have no anchor of their own. */
export const SECTION_ANCHORS = {
  '7.1': 'https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential',
  '7.2': 'https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion',
} as const;

/** Levels of a requirement: ResidentKeyRequirement (§5.4.6) and UserVerificationRequirement (§5.8.6). */
export const REQUIREMENT_LEVELS = ['required', 'preferred', 'discouraged'] as const;
export type RequirementLevel = (typeof REQUIREMENT_LEVELS)[number];

/** Attestation that the relying party requests: AttestationConveyancePreference (§5.4.7). */
export const ATTESTATION_CONVEYANCES = ['none', 'indirect', 'direct', 'enterprise'] as const;
export type AttestationConveyancePreference = (typeof ATTESTATION_CONVEYANCES)[number];

/** Attachments of authenticators: AuthenticatorAttachment (§5.4.5). */
export const ATTACHMENTS = ['platform', 'cross-platform'] as const;
export type AuthenticatorAttachment = (typeof ATTACHMENTS)[number];

/** Transports between client and authenticator: AuthenticatorTransport (§5.8.4). */
export const TRANSPORTS = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'] as const;
export type AuthenticatorTransport = (typeof TRANSPORTS)[number];

/** Transport names from before WebAuthn Level 3, which old clients still send, each with its present name. */
export const FORMER_TRANSPORTS: ReadonlyMap<string, AuthenticatorTransport> = new Map([['cable', 'hybrid']]);

/**
 * Hints about the authenticator to use: PublicKeyCredentialHint (§5.8.7). Each maps to the attachment to request from clients that do not
 * know hints.
 */
export const HINTS = { 'security-key': 'cross-platform', 'client-device': 'platform', hybrid: 'cross-platform' } as const satisfies Record<
  string,
  AuthenticatorAttachment
>;
export type PublicKeyCredentialHint = keyof typeof HINTS;

/** Ways to involve the user: CredentialMediationRequirement (Credential Management Level 1, §2.3.2). */
export const MEDIATIONS = ['silent', 'optional', 'conditional', 'required'] as const;
export type CredentialMediation = (typeof MEDIATIONS)[number];

/**
 * Ways to show the dialog: CredentialUiModeRequirement (https://github.com/w3c/webauthn/pull/2291, Chromium 149). `immediate` fails at once
 * if no
 * credential is available.
 */
export const UI_MODES = ['active', 'immediate', 'passive'] as const;
export type UiMode = (typeof UI_MODES)[number];

interface FormatEntry {
  readonly section: string;
  /**
   * Tells whether statements of the format contain certificates. `optional`: not in self attestation. `parts`: depends on the parts of a
   * compound statement.
   */
  readonly certificates: 'never' | 'optional' | 'always' | 'parts';
  readonly madeBy: string;
}

/** Attestation statement formats that §8 defines, by their identifiers (RFC 8809). */
export const ATTESTATION_FORMATS = {
  none: { section: '§8.7', certificates: 'never', madeBy: 'no statement' },
  packed: { section: '§8.2', certificates: 'optional', madeBy: 'made by most authenticators' },
  tpm: { section: '§8.3', certificates: 'always', madeBy: 'made by a TPM, such as that of Windows Hello' },
  'android-key': { section: '§8.4', certificates: 'always', madeBy: 'made by Android’s key store' },
  'android-safetynet': { section: '§8.5', certificates: 'always', madeBy: 'made by older Android devices: a response of SafetyNet' },
  'fido-u2f': { section: '§8.6', certificates: 'always', madeBy: 'made by a U2F security key' },
  apple: { section: '§8.8', certificates: 'always', madeBy: 'made by an Apple device, anonymous' },
  compound: { section: '§8.9', certificates: 'parts', madeBy: 'several statements' },
} as const satisfies Record<string, FormatEntry>;
export type AttestationFormatId = keyof typeof ATTESTATION_FORMATS;

/** Formats whose statements contain certificates directly, not only in the parts of a compound statement. */
export type CertifiedFormatId = Exclude<AttestationFormatId, 'none' | 'compound'>;
export const ATTESTATION_FORMAT_IDS = /* @__PURE__ */ listNames(ATTESTATION_FORMATS);
export const CERTIFIED_FORMATS = /* @__PURE__ */ ATTESTATION_FORMAT_IDS.filter((id): id is CertifiedFormatId => {
  const { certificates } = ATTESTATION_FORMATS[id];
  return certificates === 'always' || certificates === 'optional';
});

/** Lists the keys of a table, typed as their literals. */
export function listNames<T extends object>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table).filter((name): name is keyof T & string => Object.hasOwn(table, name));
}

/** Passes on a known value of an enumeration. Undefined for any other value, because unknown values count as missing (§2.1.1). */
export function knownValue<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((candidate) => candidate === value);
}

/** A relying party's rules for self attestation. The standard leaves the decision to policy (§7.1 step 24), so the names are ours. */
export const SELF_ATTESTATION_RULES = ['accept', 'refuse'] as const;
export type SelfAttestationRule = (typeof SELF_ATTESTATION_RULES)[number];
