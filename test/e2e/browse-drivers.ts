import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';
import { freePort } from './browse-harness.js';
import { chromiumPath } from './browser.js';

/** Starts a browser as docs/browse.md says. Ends it with the test. */
export interface Driver {
  readonly name: string;
  /** Why it cannot run here. */
  missing(): string | undefined;
  start(): Promise<{ readonly port: string; open(url: string): Promise<unknown> }>;
}

/** Finds what test/release/package.json names. */
const release = createRequire(new URL('../release/package.json', import.meta.url));

/** The compiler does without the types of these packages, which `npm ci` does not install. */
interface Puppeteer {
  launch(options: Readonly<Record<string, unknown>>): Promise<{
    createBrowserContext(): Promise<{ newPage(): Promise<{ goto(url: string): Promise<unknown> }> }>;
    close(): Promise<void>;
  }>;
}
interface SeleniumBuilder {
  forBrowser(name: string): SeleniumBuilder;
  setChromeOptions(options: object): SeleniumBuilder;
  setChromeService(service: object): SeleniumBuilder;
  build(): { get(url: string): Promise<void>; quit(): Promise<void> };
}
interface SeleniumChrome {
  readonly Options: new () => { setChromeBinaryPath(path: string): unknown; addArguments(...flags: string[]): unknown };
  readonly ServiceBuilder: new (path: string) => object;
}

const findPackage = (name: string): string | undefined => {
  try {
    release.resolve(name);
    return undefined;
  } catch {
    return `Found no ${name}. Run \`npm ci --prefix test/release\`.`;
  }
};

const CHROMEDRIVER = '/usr/bin/chromedriver';

export const DRIVERS: readonly Driver[] = [
  {
    name: 'Puppeteer',
    missing: () => findPackage('puppeteer-core'),
    async start() {
      const port = await freePort();
      const puppeteer: Puppeteer = release('puppeteer-core');
      const browser = await puppeteer.launch({
        executablePath: chromiumPath,
        enableExtensions: true,
        args: [`--remote-debugging-port=${port}`, '--no-sandbox'],
      });
      onTestFinished(() => browser.close());
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      return { port, open: (url) => page.goto(url) };
    },
  },
  {
    name: 'Selenium',
    missing: () => (existsSync(CHROMEDRIVER) ? findPackage('selenium-webdriver') : `Found no ${CHROMEDRIVER}. Install chromium-driver.`),
    async start() {
      const port = await freePort();
      const { Builder }: { readonly Builder: new () => SeleniumBuilder } = release('selenium-webdriver');
      const chrome: SeleniumChrome = release('selenium-webdriver/chrome');
      const options = new chrome.Options();
      options.setChromeBinaryPath(chromiumPath ?? '');
      options.addArguments(`--remote-debugging-port=${port}`, '--enable-unsafe-extension-debugging', '--headless', '--no-sandbox');
      const service = new chrome.ServiceBuilder(CHROMEDRIVER);
      const browser = new Builder().forBrowser('chrome').setChromeOptions(options).setChromeService(service).build();
      onTestFinished(() => browser.quit());
      await browser.get('about:blank');
      return { port, open: (url) => browser.get(url) };
    },
  },
];

/** Whether to skip a driver: what it needs is not installed. Prints that it skips. */
export function skipWithout({ name, missing }: Driver): boolean {
  const reason = missing();
  if (reason !== undefined) process.stderr.write(`SKIPPED: a browser that ${name} drives. ${reason}\n`);
  return reason !== undefined;
}
