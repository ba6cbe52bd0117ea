/** An attestation root that has issued no certificates. Its private key does not exist any more. */
export const FOREIGN_ROOT = `-----BEGIN CERTIFICATE-----
MIIByTCCAW+gAwIBAgIUJgMbL72lfrdWRxcN8L9l/VqjRfQwCgYIKoZIzj0EAwIw
OTEhMB8GA1UEAwwYRm9yZWlnbiBhdHRlc3RhdGlvbiByb290MRQwEgYDVQQKDAtw
YXNza2V5LWNsaTAgFw0yNjExMjEwMjUyNTZaGA8yMTI2MTAyODAyNTI1NlowOTEh
MB8GA1UEAwwYRm9yZWlnbiBhdHRlc3RhdGlvbiByb290MRQwEgYDVQQKDAtwYXNz
a2V5LWNsaTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIaYLzcb7nLlA370pGd4
T/Wh4kWLyEZ3Aq+GesvwxXHUvdjpwNGwWh5xFEDgz6mWofmCaCZAqZQT2bFn+emP
NwmjUzBRMB0GA1UdDgQWBBRzqV+guhOvouDNEbY7WPzuy016/jAfBgNVHSMEGDAW
gBRzqV+guhOvouDNEbY7WPzuy016/jAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
BAMCA0gAMEUCIGOoeAT3w19DkyZYOtRixiDDSRROnvOxjNnnbnK2pN+bAiEA/ZNd
x1oIe6rqWHXqclH0aqiYTZZKnPkIDtyDYOSTPVw=
-----END CERTIFICATE-----
`;

/** The base64url of 32 bytes that no server issues as a challenge. */
export const FOREIGN_CHALLENGE = 'Zm9yZWlnbiBjaGFsbGVuZ2UgZm9yZWlnbiBjaGFsbGU';

/** Traits of a browser whose passkeys are always discoverable. */
export const DISCOVERABLE = { authenticator: { alwaysDiscoverable: true } } as const;

/** Members shared by the cases with lenient base64, which no browser writes but our own API accepts. */
export const LENIENT = {
  disputed: 'The standard uses base64url without padding, and servers need not accept anything else.',
  why: 'Code that serializes credentials by hand writes base64 in either alphabet, with padding or without.',
} as const;
