import { afterAll, describe, expect } from 'vitest';
import { findMutationCase, listMutations } from '../../../src/simulate/mutations/mutation.js';
import { ONE_OF_EACH_KIND } from '../../simulate/one-of-each-kind.js';
import { quick as test, thorough } from '../../thorough.js';
import { closeServers, expectedOf, judged } from './every-mutation.js';

afterAll(closeServers);

const ALL = listMutations();
const FIRSTS = ONE_OF_EACH_KIND.filter((_, index) => index % 4 === 0);
const isFirst = ({ id }: { readonly id: string }) => FIRSTS.includes(id);
const idsOf = (rows: typeof ALL) => rows.map(({ id }) => id);

describe('POST /dev/answer with a mutation', () => {
  const ends = async (id: string) => {
    expect(await judged(id, 'answered')).toEqual(expectedOf(findMutationCase(id)));
  };
  test.each(idsOf(ALL.filter(isFirst)))('%s ends as the catalogue says', ends);
  thorough.each(idsOf(ALL.filter((each) => !isFirst(each))))('%s ends as the catalogue says', ends);
});

describe('POST /dev/tamper, of a response whose key nobody here has', () => {
  const mine = ALL.filter(({ inBrowser }) => inBrowser);
  const ends = async (id: string) => {
    expect(await judged(id, 'tampered')).toEqual(expectedOf(findMutationCase(id)));
  };
  test.each(idsOf(mine.filter(isFirst)))('%s ends as the catalogue says', ends);
  thorough.each(idsOf(mine.filter((each) => !isFirst(each))))('%s ends as the catalogue says', ends);
});
