/**
 * How many generated ceremonies the long properties try: enough for every kind of fault in `npm test`, many more in
 * `npm run test:release`, whose configuration sets PASSKEY_PROPERTY_RUNS.
 */
export const PROPERTY_RUNS = Number(process.env.PASSKEY_PROPERTY_RUNS ?? 200);
