import fc from 'fast-check';

/**
 * fast-check with the same values in every run, 50 of them where a property does not say how many: whether a change passes is not left to
 * chance. PASSKEY_FUZZ_SEED gives it others, as it does the tests of test/fuzz.
 */
fc.configureGlobal({ seed: Number(process.env.PASSKEY_FUZZ_SEED ?? 1), numRuns: 50 });

export { fc };

/**
 * How many generated ceremonies the long properties try: enough for every kind of fault in `npm test`, many more in
 * `npm run test:release`, whose configuration sets PASSKEY_PROPERTY_RUNS.
 */
export const PROPERTY_RUNS = Number(process.env.PASSKEY_PROPERTY_RUNS ?? 200);
