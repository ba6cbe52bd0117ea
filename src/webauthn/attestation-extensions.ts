import type { Certificate } from './certificate.js';
import { type CertificateExtension, findExtension } from './certificate-extensions.js';
import { malformed } from './decoding-error.js';
import { type DerElement, DerSyntaxError, decodeDer, expectUniversal, inner, isContext, octets, TAG } from './der.js';
import { bitString, integer } from './der-values.js';
import { AAGUID_BYTES } from './limits.js';

/** OIDs of certificate extensions that occur only in attestation certificates, not in RFC 5280. */
export const ATTESTATION_EXTENSION = {
  /** AAGUID of the authenticator model: id-fido-gen-ce-aaguid (WebAuthn L3 §8.2.1). */
  aaguid: '1.3.6.1.4.1.45724.1.1.4',
  /** Serial number of the device: id-fido-gen-ce-sernum (WebAuthn L3 §8.2.2). */
  serialNumber: '1.3.6.1.4.1.45724.1.1.2',
  /** Firmware version: id-fido-gen-ce-fw-version (WebAuthn L3 §8.2.1). */
  firmwareVersion: '1.3.6.1.4.1.45724.1.1.5',
  /** Transports of the authenticator: id-fido-u2f-ce-transports (FIDO U2F Authenticator Transports Extension). */
  transports: '1.3.6.1.4.1.45724.2.1.1',
  /** The nonce of Apple's anonymous attestation (WebAuthn L3 §8.8). */
  appleNonce: '1.2.840.113635.100.8.2',
  /** Android's key attestation extension (WebAuthn L3 §8.4.1). */
  androidKeyDescription: '1.3.6.1.4.1.11129.2.1.17',
} as const;

/** Transports in the order of their bits in the extension. Each has its AuthenticatorTransport name if there is one. */
const TRANSPORTS = ['bluetooth', 'ble', 'usb', 'nfc', 'internal'] as const;

/**
 * Decodes the value of a certificate extension; undefined if the certificate has no such extension.
 *
 * @throws PasskeyError `attestation_malformed` naming the wrong byte in the extension's value.
 */
export function decodeExtension<T>(
  { extensions }: Certificate,
  oid: string,
  name: string,
  decode: (value: DerElement) => T,
): { readonly value: T; readonly extension: CertificateExtension } | undefined {
  const extension = findExtension(extensions, oid);
  if (extension === undefined) {
    return undefined;
  }
  try {
    return { value: decode(decodeDer(extension.value)), extension };
  } catch (error) {
    if (error instanceof DerSyntaxError) {
      throw malformed('attestation_malformed', `The certificate extension ${name} (${oid})`, error.offset, error.detail, error);
    }
    throw error;
  }
}

/**
 * Reads the AAGUID from the certificate's extension, where its 16 bytes are wrapped in two OCTET STRINGs.
 *
 * @throws PasskeyError `attestation_malformed` if the value has another form.
 */
export function aaguidExtension(certificate: Certificate): { aaguid: Uint8Array; critical: boolean } | undefined {
  const found = decodeExtension(certificate, ATTESTATION_EXTENSION.aaguid, 'id-fido-gen-ce-aaguid', (value) => {
    const aaguid = octets(value, 'an OCTET STRING inside the OCTET STRING of the extension');
    if (aaguid.length !== AAGUID_BYTES) {
      throw new DerSyntaxError(value.contentStart, `expected an AAGUID of ${AAGUID_BYTES} bytes, got ${aaguid.length}`);
    }
    return aaguid;
  });
  return found && { aaguid: found.value, critical: found.extension.critical };
}

/**
 * Reads the transports of the authenticator from the certificate's extension.
 *
 * @throws PasskeyError `attestation_malformed` if the extension cannot be decoded.
 */
export function transportsExtension(certificate: Certificate): string[] | undefined {
  return decodeExtension(certificate, ATTESTATION_EXTENSION.transports, 'id-fido-u2f-ce-transports', (value) => {
    const bits = bitString(value, 'transports')[0] ?? 0;
    return TRANSPORTS.filter((_, index) => (bits & (0x80 >> index)) !== 0);
  })?.value;
}

/**
 * Reads the firmware version from the certificate's extension: an integer of zero or more, of any size.
 *
 * @throws PasskeyError `attestation_malformed` if the extension cannot be decoded or the version is negative.
 */
export function firmwareVersionExtension(certificate: Certificate): bigint | undefined {
  return decodeExtension(certificate, ATTESTATION_EXTENSION.firmwareVersion, 'id-fido-gen-ce-fw-version', (value) =>
    integer(value, 'a firmware version'),
  )?.value;
}

/**
 * Reads the serial number of the device from the certificate's extension.
 *
 * @throws PasskeyError `attestation_malformed` if the extension cannot be decoded.
 */
export function serialNumberExtension(certificate: Certificate): Uint8Array | undefined {
  return decodeExtension(certificate, ATTESTATION_EXTENSION.serialNumber, 'id-fido-gen-ce-sernum', (value) =>
    octets(value, 'an OCTET STRING inside the OCTET STRING of the extension'),
  )?.value;
}

/**
 * Reads the nonce of Apple's anonymous attestation from the certificate's extension: a SEQUENCE with the nonce under context tag 1.
 *
 * @throws PasskeyError `attestation_malformed` if the extension cannot be decoded.
 */
export function appleNonceExtension(certificate: Certificate): Uint8Array | undefined {
  return decodeExtension(certificate, ATTESTATION_EXTENSION.appleNonce, 'Apple nonce', (value) => {
    const nonce = inner(expectUniversal(value, TAG.sequence, 'a sequence'), 'a sequence');
    return octets(isContext(nonce, 1) ? inner(nonce, 'context tag 1') : undefined, 'a nonce under context tag 1', value);
  })?.value;
}
