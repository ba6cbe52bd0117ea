import { describe, expect, test } from 'vitest';
import { choosePageCases, PAGE_CASES } from '../../../src/testing/page/cases.js';
import { checkFlows } from '../../../src/testing/page/check.js';
import type { FlowName, Flows } from '../../../src/testing/page/flow.js';
import { answered, conditional, signal } from './observed.js';
import { ceremony, type Play, readOptions, type ScriptedPage, scriptedBrowser } from './scripted-page.js';

const goOn = (page: ScriptedPage): boolean =>
  page.world.open === undefined || page.observations.filter(({ kind }) => kind === 'press').length < 2;

/** The flows of a correct page. */
const CORRECT = {
  register: (page) => page.click(() => goOn(page) && ceremony(page, 'register')),
  login: (page) => page.click(() => goOn(page) && ceremony(page, 'login')),
  password: (page) => page.click(() => void page.send('/password', '')),
  remove: (page) =>
    page.click(() => {
      page.send('/remove', '{}');
      page.observe(signal('signalAllAcceptedCredentials'));
    }),
  rename: (page) => page.click(() => page.observe(signal('signalCurrentUserDetails'))),
} as const satisfies Record<FlowName, Play>;

interface Checked {
  readonly flows?: Partial<Flows<Play>>;
  readonly cases?: readonly string[];
  readonly jobs?: number;
}

/** Checks scripted pages. The clock goes on by a millisecond each time it is read. */
async function check({ flows = {}, cases, jobs = 1 }: Checked = {}) {
  const browser = scriptedBrowser();
  const waits: number[] = [];
  let now = 1_767_225_600_999;
  const report = await checkFlows({
    driver: browser.driver,
    flows: { register: CORRECT.register, login: CORRECT.login, ...flows },
    target: 'https://shop.example/',
    toolVersion: '1.2.3',
    now: () => now++,
    ...(cases && { cases: choosePageCases(cases) }),
    jobs,
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  return { ...browser, waits, report };
}

const lines = (rows: readonly unknown[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

test('the whole report of a correct page in all cases, and all that was asked of the browser', async () => {
  const { report, log, pages, waits } = await check({ flows: CORRECT });
  const { results, ...head } = report;
  expect(report.findings).toEqual([]);
  expect(results.map(({ id }) => id)).toEqual(PAGE_CASES.map(({ id }) => id));
  await expect(lines([head, ...results])).toMatchFileSnapshot('runs/correct.txt');
  const ofPages = pages.map((_, index) =>
    log.filter(([page]) => page === index + 1).flatMap(([, what, ...given]) => (what === 'read' ? [what] : [what, ...given])),
  );
  await expect(lines([...ofPages, waits])).toMatchFileSnapshot('runs/correct-log.txt');
});

type Report = Awaited<ReturnType<typeof check>>['report'];

/** How each case ended, without what the case itself says. */
const endings = ({ results }: Report): readonly object[] =>
  results.map(({ source: _s, title: _t, tags: _g, expected: _e, duration_ms: _d, advice: _a, mismatches, ...rest }) => ({
    ...rest,
    ...(mismatches.length > 0 && { shown: mismatches.map(({ at, received }) => `${at}: ${received}`) }),
  }));
const passed = (id: string) => ({ id, status: 'passed' });
const unprepared = (id: string, reason: string) => ({ id, status: 'not_run', code: 'preparation_failed', reason });
const unjudged = (id: string, reason: string) => ({ id, status: 'not_run', reason });
const NO_EFFECT = 'The click had no effect in this run: the page may not have been ready for it. Add a waitFor step before the click.';

const fails =
  (error: unknown): Play =>
  () => {
    throw error;
  };

describe('which cases run', () => {
  const UNREFUSED = unjudged('login.removed-passkey', 'The server refused no response of the removed passkey.');
  test.each<[string, Partial<Flows<Play>>, readonly object[]]>([
    ['two flows', {}, []],
    ['a flow that renames', { rename: CORRECT.rename }, [passed('rename.honest')]],
    ['a flow that removes', { remove: CORRECT.remove }, [passed('remove.honest'), UNREFUSED]],
  ])('%s', async (_, flows, expected) => {
    const cases = ['register.honest', 'remove.honest', 'rename.honest', 'login.removed-passkey', 'password.*'];
    const { report } = await check({ flows, cases });
    expect(endings(report)).toEqual([passed('register.honest'), ...expected]);
    expect(report.summary.total).toBe(1 + expected.length);
  });

  test.each([
    [undefined, 4],
    [2, 2],
    [1, 1],
  ])('of %s jobs, %i pages are open at once, and the results are in the order of the cases', async (jobs, most) => {
    const browser = scriptedBrowser();
    const cases = choosePageCases(['register.honest', '*.options-400', '*.cancelled', '*.options-500']);
    const { results } = await checkFlows({
      driver: browser.driver,
      flows: CORRECT,
      target: '',
      toolVersion: '',
      now: () => 0,
      cases,
      ...(jobs !== undefined && { jobs }),
    });
    expect([browser.mostOpen(), results.map(({ id }) => id)]).toEqual([most, cases.map(({ id }) => id)]);
  });
});

describe('a flow that does not reach its trigger', () => {
  test.each([
    ['an error', new Error('No button.\n  at the page'), 'No button.'],
    ['something else', 'nothing', 'nothing'],
  ])('says why: %s', async (_, error, why) => {
    const { report, log } = await check({
      flows: { register: fails(error), remove: CORRECT.remove },
      cases: ['register.honest', 'register.cancelled', 'remove.honest'],
    });
    const says = (flow: string) => `The flow "${flow}" did not reach its trigger: ${why}`;
    expect(endings(report)).toEqual([
      unprepared('register.honest', says('register')),
      unprepared('register.cancelled', says('register')),
      unprepared('remove.honest', says('remove')),
    ]);
    // Once for each flow: no dialog hinders it.
    expect(log.filter(([, what]) => what === 'open')).toHaveLength(2);
  });

  /** Calls at load, and gets to its button only if that call ends. */
  const atLoad =
    (isStuck: boolean): Play =>
    (page) => {
      page.observe({ kind: 'document', url: 'https://shop.example/' });
      page.ask('get', { challenge: 'at-load' });
      if (isStuck || (page.world.dismissesAtLoad !== true && page.world.endings === undefined)) throw new Error('A dialog is open.');
      CORRECT.login(page);
    };

  test('is played again with a user who cancels the dialog of the page', async () => {
    const { report, log } = await check({ flows: { login: atLoad(false) }, cases: ['login.honest', 'login.cancelled'] });
    expect(endings(report)).toEqual([
      { id: 'login.honest', status: 'failed', cause: 'modal-at-load', shown: ['modal-at-load: get() with mediation absent'] },
      passed('login.cancelled'),
    ]);
    expect(log.filter(([, what]) => what === 'open').slice(0, 3)).toEqual([
      [1, 'open', {}, 'without passkeys'],
      [2, 'open', {}, 'none+'],
      [3, 'open', { dismissesAtLoad: true }, 'none+'],
    ]);
  });

  test('counts as it was where that does not help', async () => {
    const { report, pages } = await check({ flows: { login: atLoad(true) }, cases: ['login.honest', 'login.cancelled'] });
    expect(endings(report)).toMatchObject([
      { id: 'login.honest', status: 'failed', cause: 'modal-at-load' },
      unprepared('login.cancelled', 'The flow "login" did not reach its trigger: A dialog is open.'),
    ]);
    expect(pages).toHaveLength(3);
  });

  test('in the run of a case, is no fault of the page', async () => {
    const once = (error: unknown): Play => {
      let plays = 0;
      return (page) => {
        plays += 1;
        if (plays === 2 && error !== undefined) throw error;
        if (plays !== 2) CORRECT.login(page);
      };
    };
    for (const [error, why] of [
      [new Error('No button.\nx'), 'No button.'],
      [undefined, 'a click is missing'],
    ]) {
      const { report } = await check({ flows: { login: once(error) }, cases: ['login.cancelled'] });
      expect(endings(report)).toEqual([unjudged('login.cancelled', `The page did not get to its trigger: ${String(why)}`)]);
    }
    const { report } = await check({ flows: { login: once(new Error('x')) }, cases: ['login.without-webauthn'] });
    expect(endings(report)).toEqual([passed('login.without-webauthn')]);
  });
});

describe('an honest run that does not succeed', () => {
  const REFUSED = 'The server refused the honest response (403).';
  const refused: Play = (page) =>
    page.click(() => {
      const options = readOptions(page.send('/login/options', '{}', { body: `{"challenge":"${page.observations.length}"}` }));
      const made = options && page.ask('get', options);
      if (made) page.send('/login', JSON.stringify(made), { status: 403 });
    });
  const cases = ['login.honest', 'login.cancelled', 'login.double-click', 'login.without-autofill'];

  test('is the reason why it and a double click cannot be judged; the call can be', async () => {
    const { report } = await check({ flows: { login: refused }, cases });
    expect(endings(report)).toEqual([
      unprepared('login.honest', REFUSED),
      passed('login.cancelled'),
      passed('login.without-autofill'),
      unprepared('login.double-click', REFUSED),
    ]);
  });

  test('without a call, none can', async () => {
    const { report } = await check({ flows: { login: (page) => page.click(() => void page.send('/x', '')) }, cases });
    const NO_CALL = 'The page made no call that the authenticator answered.';
    expect(endings(report)).toEqual(
      ['login.honest', 'login.cancelled', 'login.without-autofill', 'login.double-click'].map((id) => unprepared(id, NO_CALL)),
    );
  });

  test('a call before the click that ends after it is one', async () => {
    const early: Play = (page) => {
      page.observe({ kind: 'call', call: 90, method: 'get', mediation: 'conditional', hasField: true });
      page.click(() => page.observe(answered(90)));
    };
    const { report } = await check({ flows: { login: early }, cases: ['login.honest', 'login.cancelled', 'login.without-capabilities'] });
    expect(endings(report)).toEqual([
      unprepared('login.honest', 'No request was seen that sends the response.'),
      { id: 'login.cancelled', status: 'not_applicable', reason: 'The page makes no modal call.' },
      passed('login.without-capabilities'),
    ]);
  });

  test('a sign-in with a password is no ceremony', async () => {
    const { report } = await check({ flows: { password: CORRECT.password }, cases: ['password.*'] });
    expect(endings(report)).toEqual([
      passed('password.honest'),
      {
        id: 'password.upgrade-refused',
        status: 'not_applicable',
        reason: 'The page does not offer a passkey after a sign-in with a password.',
      },
    ]);
  });

  test('a fault is reported all the same', async () => {
    const wrong: Play = (page) =>
      page.click(() => {
        page.observe(conditional(80, { hasField: false }));
        page.send('/x', '');
      });
    const { report } = await check({ flows: { login: wrong }, cases: ['login.honest'] });
    expect(endings(report)).toEqual([
      { id: 'login.honest', status: 'failed', cause: 'autocomplete-missing', shown: ['autocomplete-missing: no such field'] },
    ]);
  });
});

describe('what a case changes', () => {
  const statuses = ({ observations }: ScriptedPage) => observations.flatMap((one) => (one.kind === 'answer' ? [one.status] : []));

  test.each([
    ['login.verification-500', [200, 500, 200, 200]],
    ['login.options-500', [500, 200, 200]],
    ['login.options-offline', [0, 200, 200]],
    ['login.options-html', [200, 200, 200]],
    ['register.exclude-credentials', [200, 200]],
  ])('%s is changed in the first attempt alone', async (id, expected) => {
    const { report, pages } = await check({ cases: [id] });
    expect(endings(report)).toEqual([passed(id)]);
    expect(statuses(pages.at(-1) as ScriptedPage)).toEqual(expected);
  });

  /** Asks for options when it is opened by a first click, and again for the call. */
  const twoClicks: Play = (page) => {
    page.click(() => void page.send('/login/options', '{}', { body: '{"challenge":"early"}' }));
    CORRECT.login(page);
  };
  test('nothing is changed before the last click', async () => {
    const { report, pages } = await check({ flows: { login: twoClicks }, cases: ['login.options-500'] });
    expect(endings(report)).toEqual([passed('login.options-500')]);
    expect(statuses(pages.at(-1) as ScriptedPage)).toEqual([200, 500, 200, 200]);
  });

  /** Sends something to the address of its verification before it has a response, and options after it. */
  const chatty: Play = (page) =>
    page.click(() => {
      page.send('/login', '{"begin":true}');
      const options = readOptions(page.send('/login/options', '{}', { body: '{"challenge":"chatty"}' }));
      const made = options && page.ask('get', options);
      if (!made) return;
      page.send('/login', JSON.stringify(made));
      page.send('/login/options', '{}');
    });
  test.each([
    ['login.verification-500', [200, 200, 500, 200]],
    ['login.options-500', [200, 500]],
  ])('%s: the verification is what sends the response, and options come before it', async (id, first) => {
    const { pages } = await check({ flows: { login: chatty }, cases: [id] });
    expect(statuses(pages.at(-1) as ScriptedPage).slice(0, first.length)).toEqual(first);
  });

  test('a registration has a new user each time, a login the one of the registration', async () => {
    const { log } = await check({ cases: ['register.cancelled', 'login.cancelled', 'register.options-500'] });
    expect(log.filter(([, what]) => what === 'play' || what === 'open').map(([, what, first, second]) => [what, first, second])).toEqual([
      ['open', {}, 'without passkeys'],
      ['play', 'register', 1_767_225_601],
      ['open', {}, 'none+'],
      ['play', 'login', 1_767_225_601],
      ['open', { endings: Array.from({ length: 8 }, () => 'NotAllowedError') }, 'without passkeys'],
      ['play', 'register', 1_767_225_602],
      ['open', { endings: Array.from({ length: 8 }, () => 'NotAllowedError') }, 'none++'],
      ['play', 'login', 1_767_225_601],
      ['open', { answers: true }, 'without passkeys'],
      ['play', 'register', 1_767_225_603],
    ]);
  });
});

describe('a run that differs from the honest one before the change', () => {
  /** A login whose nth run does otherwise. */
  const otherwise = (play: Play): Play => {
    let plays = 0;
    return (page) => {
      plays += 1;
      if (plays === 2) play(page, 0);
      else CORRECT.login(page);
    };
  };
  const offers = (status: number, first = '/login/options'): Play =>
    otherwise((page) =>
      page.click(() => {
        const answer = page.send(first, '{}', { status, body: `{"challenge":"${page.observations.length}"}` });
        if (status < 400) page.ask('get', readOptions({ ...answer, status: 200 }) ?? {});
      }),
    );
  /** Calls with options that it has from before. */
  const remembers = () => otherwise((page) => page.click(() => void page.ask('get', { challenge: 'before' })));
  /** Does not send the response. */
  const keeps = () => otherwise((page) => page.click(() => void page.ask('get', readOptions(page.send('/login/options', '{}')) ?? {})));
  const UNCHANGED = 'The page did not send the request whose response this case changes.';
  const SAYS = (status: number) => `The server itself answered POST /login/options with ${status}, which it accepted in the honest run.`;

  test.each<[string, Play, string, object]>([
    ['no effect', otherwise((page) => page.click(() => undefined)), 'login.cancelled', unjudged('login.cancelled', NO_EFFECT)],
    ['no effect of two', otherwise((page) => page.click(() => undefined)), 'login.double-click', unjudged('login.double-click', NO_EFFECT)],
    ['a refusal', offers(400), 'login.cancelled', unjudged('login.cancelled', SAYS(400))],
    ['a refusal of the first of two', offers(503), 'login.double-click', unjudged('login.double-click', SAYS(503))],
    ['a failure', offers(0), 'login.cancelled', unjudged('login.cancelled', SAYS(0))],
    ['a redirection', offers(399), 'login.cancelled', passed('login.cancelled')],
    ['a refusal of changed options', offers(422), 'login.future-values', unjudged('login.future-values', SAYS(422))],
    ['a refusal in a browser that lacks something', offers(400), 'login.without-capabilities', { status: 'failed' }],
    ['options of before', remembers(), 'login.options-500', unjudged('login.options-500', UNCHANGED)],
    ['options of before', remembers(), 'login.options-not-json', unjudged('login.options-not-json', UNCHANGED)],
    ['a response that is not sent', keeps(), 'login.verification-500', unjudged('login.verification-500', UNCHANGED)],
    [
      'no effect in a browser that lacks something',
      otherwise((page) => page.click(() => undefined)),
      'login.without-webauthn',
      passed('login.without-webauthn'),
    ],
  ])('%s', async (_, login, id, expected) => {
    const { report } = await check({ flows: { login }, cases: [id] });
    expect(endings(report)).toMatchObject([expected]);
  });

  test.each<[string, Play]>([
    [
      'a refusal after the call',
      otherwise((page) => {
        page.click(() => {
          page.ask('get', { challenge: `${page.observations.length}` });
          page.send('/login/options', '{}', { status: 400 });
        });
      }),
    ],
    [
      'a refusal before the click',
      otherwise((page) => {
        page.send('/login/options', '{}', { status: 400 });
        CORRECT.login(page);
      }),
    ],
    [
      'a refusal of something that the honest run did not send',
      otherwise((page) => {
        page.click(() => {
          page.send('/other', '{}', { status: 400 });
          ceremony(page, 'login');
        });
      }),
    ],
  ])('%s is no difference', async (_, login) => {
    const { report } = await check({ flows: { login }, cases: ['login.cancelled'] });
    expect(endings(report)).toEqual([passed('login.cancelled')]);
  });

  test('what the honest run refused too is no difference', async () => {
    const always: Play = (page) =>
      page.click(() => {
        page.send('/stale', '{}', { status: 401 });
        ceremony(page, 'login');
      });
    const { report } = await check({ flows: { login: always }, cases: ['login.cancelled'] });
    expect(endings(report)).toEqual([passed('login.cancelled')]);
  });

  test('the answer that the case gives is no difference; a click that does nothing as in the honest run is none', async () => {
    const { report } = await check({ cases: ['login.options-400'] });
    expect(endings(report)).toEqual([passed('login.options-400')]);
    const idle = await check({ flows: { password: (page) => page.click(() => undefined) }, cases: ['password.honest'] });
    expect(endings(idle.report)).toEqual([passed('password.honest')]);
  });
});

describe('the second attempt', () => {
  const busy = { exists: true, isDisabled: false, isBusy: true, hasLostInput: false };
  const usable = { ...busy, isBusy: false };
  const withTriggers =
    (...triggers: ScriptedPage['triggers']): Play =>
    (page) => {
      page.triggers = triggers;
      CORRECT.login(page);
    };

  test.each<[string, Play, object, readonly string[]]>([
    ['the control can be used', withTriggers(usable), passed('login.cancelled'), ['read', 'press']],
    [
      'it is covered',
      (page) => {
        page.isCovered = true;
        CORRECT.login(page);
      },
      unjudged('login.cancelled', 'Something covers the control after the first attempt.'),
      ['read', 'press'],
    ],
    [
      'it is gone',
      withTriggers({ ...usable, exists: false }),
      unjudged('login.cancelled', 'The control is gone after the first attempt.'),
      ['read'],
    ],
    [
      'it stays disabled',
      withTriggers({ ...usable, isDisabled: true }),
      { id: 'login.cancelled', status: 'failed', cause: 'control-stuck', shown: ['control-stuck: it is disabled'] },
      Array.from({ length: 21 }, () => 'read'),
    ],
    [
      'it stays busy, and calls',
      withTriggers(busy),
      { id: 'login.cancelled', status: 'failed', cause: 'control-stuck', shown: ['control-stuck: it is busy'] },
      [...Array.from({ length: 21 }, () => 'read'), 'press'],
    ],
    [
      'it can be used after five seconds',
      withTriggers(...Array.from({ length: 20 }, () => busy), usable),
      passed('login.cancelled'),
      [...Array.from({ length: 21 }, () => 'read'), 'press'],
    ],
  ])('%s', async (_, login, expected, asked) => {
    const { report, log, waits } = await check({ flows: { login }, cases: ['login.cancelled'] });
    expect(endings(report)).toEqual([expected]);
    expect(log.filter(([page, what]) => page === 3 && (what === 'read' || what === 'press')).map(([, what]) => what)).toEqual(asked);
    expect(waits).toEqual(
      asked
        .filter((what) => what === 'read')
        .slice(1)
        .map(() => 250),
    );
  });

  test('is watched from its click, and after it the page is waited for', async () => {
    const { log } = await check({ cases: ['login.cancelled'] });
    expect(log.filter(([page]) => page === 3).map(([, what]) => what)).toEqual([
      'open',
      'play',
      'settle',
      'read',
      'press',
      'settle',
      'close',
    ]);
  });

  test('there is none in a case without one', async () => {
    const { log } = await check({ cases: ['login.future-values'] });
    expect(log.filter(([page]) => page === 3).map(([, what]) => what)).toEqual(['open', 'play', 'settle', 'close']);
  });
});

describe('a page that is watched after a response 429', () => {
  const run = async (during: (page: ScriptedPage) => void, later: (page: ScriptedPage) => void) => {
    const browser = scriptedBrowser();
    const waits: number[] = [];
    const report = await checkFlows({
      driver: browser.driver,
      flows: {
        register: CORRECT.register,
        login: (page) => {
          page.autofill = () => later(page);
          CORRECT.login(page);
        },
      },
      target: '',
      toolVersion: '',
      now: () => 0,
      cases: choosePageCases(['login.options-429']),
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        during(browser.pages[2] as ScriptedPage);
      },
    });
    return [waits, ...endings(report)];
  };
  const ask = (page: ScriptedPage) => void page.send('/login/options', '{}');

  test('is judged by what it sends in a second and a half', async () => {
    const quiet = await run(ask, ask);
    expect(quiet).toEqual([[1_500], passed('login.options-429')]);
    const loud = await run((page) => [ask(page), ask(page)], ask);
    expect(loud).toEqual([
      [1_500],
      { id: 'login.options-429', status: 'failed', cause: 'rate-limit-ignored', shown: ['rate-limit-ignored: 3 requests'] },
    ]);
  });
});

describe('a passkey that is picked from a field', () => {
  const fills: Play = (page) => {
    page.observe(conditional(70, { options: { challenge: 'f' } }));
    page.click(() => page.send('/focus', ''));
    page.autofill = () => {
      page.observe(answered(70));
      page.send('/login', JSON.stringify({ id: 'credential-70', clientDataJSON: 'client-data-70' }));
    };
  };

  test('is picked where no modal call follows the click', async () => {
    const { report, log } = await check({ flows: { login: fills }, cases: ['login.honest', 'login.without-signals'] });
    expect(endings(report)).toEqual([passed('login.honest'), passed('login.without-signals')]);
    expect(log.filter(([page]) => page === 2 || page === 3).map(([page, what]) => [page, what])).toEqual([
      ...['open', 'play', 'settle', 'pick', 'settle', 'export', 'close'].map((what) => [2, what]),
      ...['open', 'play', 'settle', 'pick', 'settle', 'close'].map((what) => [3, what]),
    ]);
  });

  test('is not picked after a modal call, nor without a click', async () => {
    const none: Play = (page) => page.observe(conditional(71));
    const { log } = await check({ flows: { login: none }, cases: ['login.honest'] });
    expect(log.filter(([, what]) => what === 'pick')).toEqual([]);
  });
});

describe('what is played after a registration', () => {
  test('a removed passkey is used in a second page, which still has it', async () => {
    const unknown: Play = (page) =>
      page.click(() => {
        const options = readOptions(page.send('/login/options', '{}', { body: '{"challenge":"u"}' }));
        const made = options && page.ask('get', options);
        if (made) page.send('/login', JSON.stringify(made), { status: 404 });
      });
    const { report, log } = await check({
      flows: { remove: CORRECT.remove, login: unknown },
      cases: ['login.removed-passkey'],
    });
    expect(endings(report)).toEqual([
      {
        id: 'login.removed-passkey',
        status: 'failed',
        tolerated: true,
        cause: 'signal-unknown-missing',
        shown: ['signal-unknown-missing: none'],
      },
    ]);
    expect(log.filter(([page]) => Number(page) > 2)).toEqual([
      [3, 'open', {}, 'without passkeys'],
      [3, 'play', 'register', 1_767_225_602, 'to its end'],
      [3, 'settle'],
      [3, 'export'],
      [3, 'play', 'remove', 1_767_225_602, 'to its end'],
      [3, 'settle'],
      [4, 'open', {}, 'none+'],
      [4, 'play', 'unknown', 1_767_225_602, 'to its last click'],
      [4, 'settle'],
      [4, 'close'],
      [3, 'close'],
    ]);
  });

  test('a passkey is removed in the page that registered it', async () => {
    const { report, log } = await check({ flows: { remove: (page) => page.click(() => undefined) }, cases: ['remove.honest'] });
    expect(endings(report)).toMatchObject([{ id: 'remove.honest', cause: 'signal-removal-missing', tolerated: true }]);
    expect(log.filter(([page]) => Number(page) > 2).map(([, what, , , end]) => [what, end])).toEqual(
      [
        ['open', undefined],
        ['play', 'to its end'],
        ['settle', undefined],
        ['export', undefined],
        ['play', 'to its last click'],
        ['settle', undefined],
        ['pick', undefined],
        ['settle', undefined],
        ['close', undefined],
      ].map(([what, end]) => [what, end === undefined && what === 'open' ? undefined : end]),
    );
  });

  test.each<[string, unknown, string]>([
    ['an error', new Error('No button.\n  at the page'), 'No button.\n  at the page'],
    ['something else', 'nothing', 'nothing'],
  ])('a step that cannot be played is the reason: %s', async (_, error, reason) => {
    const { report } = await check({ flows: { rename: fails(error) }, cases: ['rename.honest'] });
    expect(endings(report)).toEqual([unprepared('rename.honest', reason)]);
  });
});

test('each mistake is in the finding of its cause, the most serious first; a note alone fails no run', async () => {
  const wrong: Play = (page) =>
    page.click(() => {
      page.observe({ kind: 'rejection', text: `Error: ${page.world.endings === undefined ? 'usual' : 'refused'}` });
      for (const number of [1, 2, 3]) page.ask('get', { challenge: `c${number}`, timeout: 1_000 });
      page.observe(signal('signalUnknownCredential'));
    });
  const careless: Play = (page) => {
    CORRECT.register(page);
    if (page.world.endings !== undefined) page.observe({ kind: 'uncaught', text: 'Error: careless' });
  };
  const { report } = await check({
    flows: { login: wrong, register: careless },
    cases: ['login.cancelled', 'login.aborted', 'register.cancelled'],
  });
  await expect(lines([report.summary, ...report.findings, ...report.results])).toMatchFileSnapshot('runs/mistakes.txt');
});
