import { probe } from '../../../../src/simulate/probe.js';
import { openDriver } from '../../../../src/simulate/target/open-driver.js';
import type { TargetProfile } from '../../../../src/simulate/target/profile-schema.js';

/** Walks the server by the profile of its recording: what was done, and what did not fit. */
export async function walked(profile: TargetProfile, url: string, env: Readonly<Record<string, string>> = {}) {
  const read = { profile, where: (pointer: string) => pointer };
  const driver = openDriver({ profile: read, url, env });
  try {
    const { steps, passed } = await probe({ driver, ...read, url });
    return { passed, steps: steps.map(({ name, status, said }) => (status === 'passed' ? name : `${name}: ${status}, ${said}`)) };
  } finally {
    driver.close();
  }
}
