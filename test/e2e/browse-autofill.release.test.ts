import { describe, expect, onTestFinished, test } from 'vitest';
import { startSimpleWebAuthn } from '../targets/simplewebauthn.js';
import { until } from '../until.js';
import { drive, startBrowsing } from './browse-harness.js';
import { skipWithoutBrowser } from './browser.js';

/** A page that registers by a button, and whose field offers the passkey. Its policy allows no text to become script. */
const AUTOFILL_PAGE = `<!doctype html><title>A shop</title>
<meta http-equiv="Content-Security-Policy" content="script-src 'nonce-shop'; require-trusted-types-for 'script'; trusted-types 'none'">
<label>Name <input autofocus autocomplete="username webauthn"></label><label>Note <input></label>
<button>Register</button><button>Log in</button><button>Give up</button>
<script type="module" nonce="shop">
const read = async (path, body) => (await fetch(path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
const log = (text) => { document.title = text; };
const fail = ({ name, message }) => log(name + ': ' + message);
let leaving;
const [register, login, giveUp] = document.querySelectorAll('button');
register.onclick = async () => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await read('/generate-registration-options'));
  await read('/verify-registration', await navigator.credentials.create({ publicKey }));
  log('registered');
};
const authenticate = async (more) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await read('/generate-authentication-options'));
  const { verified } = await read('/verify-authentication', await navigator.credentials.get({ publicKey, ...more }));
  log('logged in: ' + verified);
};
login.onclick = () => authenticate({}).catch(fail);
giveUp.onclick = () => leaving.abort();
globalThis.offer = () => {
  leaving = new AbortController();
  authenticate({ mediation: 'conditional', signal: leaving.signal }).catch(fail);
  log('offered');
};
</script>`;

async function openShop(flags: readonly string[] = []) {
  const shop = await startSimpleWebAuthn(AUTOFILL_PAGE);
  onTestFinished(() => shop.close());
  const { port, page } = await drive(undefined, flags);
  const browsing = await startBrowsing(['--attach', port]);
  await page.goto(shop.url);
  const click = (name: string) => page.getByRole('button', { name }).click();
  const title = async (expected: string) => await until(async () => (await page.title()) === expected);
  return { shop, page, browsing, click, title, field: page.getByLabel('Name') };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

const offer = async ({ page }: Pick<Shop, 'page'>) => await page.evaluate('offer()');
/** How often the command said that a call waits, and that there was nothing to pick. */
const said = ({ browsing }: Pick<Shop, 'browsing'>) => ({
  waiting: browsing.stderr().split('Press the down arrow key').length - 1,
  none: browsing.stderr().split('there is no passkey to pick').length - 1,
});

describe.skipIf(skipWithoutBrowser())('passkey browse answers autofill', () => {
  test('when the user picks in the field, and tells the page that it can', async () => {
    const shop = await openShop();
    const { page, browsing, click, title, field } = shop;
    const capabilities = `Promise.all([PublicKeyCredential.isConditionalMediationAvailable(), PublicKeyCredential.getClientCapabilities()])
      .then(([available, { conditionalGet, conditionalCreate }]) => [available, conditionalGet, conditionalCreate])`;
    expect(await page.evaluate(capabilities)).toEqual([true, true, true]);
    expect(await page.evaluate('navigator.credentials.get.toString() + navigator.credentials.get.name')).toMatch(/\[native code\] \}get$/);
    await click('Register');
    await title('registered');
    await offer(shop);
    await until(() => said(shop).waiting === 1);
    await page.getByLabel('Note').press('ArrowDown');
    await field.press('Enter');
    // A script of the page is not the user.
    await page.evaluate("document.querySelector('input').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))");
    expect(await page.title()).toBe('offered');
    await field.press('ArrowDown');
    await title('logged in: true');
    expect(await browsing.next(2)).toMatchObject([
      { ceremony: 'registration', autofill: false },
      { ceremony: 'authentication', autofill: true, explanation: { verdict: 'accepted', server: { verdict: 'accepted' } } },
    ]);
  });

  test('and goes on waiting where there is no passkey yet', async () => {
    const shop = await openShop();
    const { page, click, title, field } = shop;
    await offer(shop);
    await until(() => said(shop).waiting === 1);
    await field.press('ArrowDown');
    await until(() => said(shop).none === 1);
    expect(await page.title()).toBe('offered');
    await click('Give up');
    await title('AbortError: signal is aborted without reason');
    await click('Register');
    await title('registered');
    await offer(shop);
    await until(() => said(shop).waiting === 2);
    await field.press('ArrowDown');
    await title('logged in: true');
  });

  test('with the errors of Chromium for calls that overlap, that are aborted, or whose options are wrong', async () => {
    const shop = await openShop();
    const { page, browsing, click, title, field } = shop;
    await click('Register');
    await title('registered');
    await offer(shop);
    await until(() => said(shop).waiting === 1);
    await click('Log in');
    await title('OperationError: A request is already pending.');
    await offer(shop);
    await title('OperationError: A request is already pending.');
    const call = async (publicKey: string) =>
      await page.evaluate(`navigator.credentials.get({ mediation: 'conditional', publicKey: ${publicKey} }).catch(({ name }) => name)`);
    expect(await call('{}')).toBe('TypeError');
    await page.reload();
    expect(await call("{ challenge: new Uint8Array(16), rpId: 'elsewhere.example' }")).toBe('SecurityError');
    expect(await call('{ challenge: new Uint8Array(16), allowCredentials: 7 }')).toBe('TypeError');
    // A document that has gone waits no more.
    await offer(shop);
    await until(() => said(shop).waiting === 2);
    await field.press('ArrowDown');
    await title('logged in: true');
    expect(await browsing.next(2)).toMatchObject([{ ceremony: 'registration' }, { autofill: true }]);
  });

  test('in a frame of another origin, and gives the pages their own functions back', async () => {
    const shop = await openShop(['--site-per-process']);
    const { page, browsing, click, title } = shop;
    await click('Register');
    await title('registered');
    const other = shop.shop.url.replace('localhost', '127.0.0.1');
    await page.goto(other);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${shop.shop.url}', allow: 'publickey-credentials-get *' }))`,
    );
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Name').waitFor();
    const inner = page.frames()[1];
    await inner?.evaluate('offer()');
    await until(() => said(shop).waiting === 1);
    await frame.getByLabel('Name').press('ArrowDown');
    expect(await browsing.next(2)).toMatchObject([{ cross_origin: false }, { autofill: true, cross_origin: true, origin: shop.shop.url }]);
    expect(await browsing.stop()).toBe(0);
    for (const each of page.frames()) {
      expect(await each.evaluate('PublicKeyCredential.getClientCapabilities().then(({ conditionalGet }) => conditionalGet)')).toBe(true);
      expect(await each.evaluate('CredentialsContainer.prototype.get.toString()')).toBe('function get() { [native code] }');
    }
  });
});
