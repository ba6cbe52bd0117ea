import leven from 'leven';

const SHOWN = 3;

/** Finds the known names that the user may have meant by a misspelled or shortened name. Returns at most three, the likeliest first. */
export function nearest(name: string, known: Iterable<string>): string[] {
  const wanted = name.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const near = [...new Set(known)]
    .map((candidate) => ({ candidate, distance: measureDistance(wanted, candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  const best = near[0]?.distance ?? 0;
  return near
    .filter(({ distance }) => distance <= best + 1)
    .slice(0, SHOWN)
    .map(({ candidate }) => candidate);
}

/**
 * Minimum length of a known name for it to be suggested only because the wanted name contains it. Shorter names occur in too many others,
 * such as `id` in `provider`.
 */
const TELLING = 3;

/** Measures how different two names are. If one name contains the other, the distance is small, even if the lengths differ much. */
function measureDistance(wanted: string, candidate: string, limit: number): number {
  const distance = leven(wanted, candidate, { maxDistance: limit + 1 });
  const contained = wanted !== '' && (candidate.includes(wanted) || (candidate.length >= TELLING && wanted.includes(candidate)));
  return contained ? Math.min(distance, limit) : distance;
}

/**
 * Suggests the known name that is nearest to an unknown one, as an addition to a message: ` (did you mean "accept"?)`. Empty if no name is
 * near.
 */
export function didYouMean(name: string, known: Iterable<string>): string {
  const [first] = nearest(name, known);
  return first === undefined ? '' : ` (did you mean "${first}"?)`;
}
