import leven from 'leven';

const SHOWN = 3;

/** The known names that the user may have meant by a misspelled or shortened one, the likeliest first; at most three. */
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

/** Shorter ones are found within most others: `id` within `provider`. */
const TELLING = 3;

/** A name within the other is near, however much longer that is. */
function measureDistance(wanted: string, candidate: string, limit: number): number {
  const distance = leven(wanted, candidate, { maxDistance: limit + 1 });
  const contained = wanted !== '' && (candidate.includes(wanted) || (candidate.length >= TELLING && wanted.includes(candidate)));
  return contained ? Math.min(distance, limit) : distance;
}

/** Behind an unknown name in a message: ` (did you mean "accept"?)`, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const [first] = nearest(name, known);
  return first === undefined ? '' : ` (did you mean "${first}"?)`;
}
