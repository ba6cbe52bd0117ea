/**
 * Suffixes under which anybody may register a name, as far as they occur in mistakes: the well known of https://publicsuffix.org, written down on
 * 2026-11-21, not the list. A single label (`com`) needs no entry.
 */
const SUFFIXES: ReadonlySet<string> = new Set(
  `ac.uk co.uk gov.uk me.uk net.uk org.uk com.au net.au org.au co.nz net.nz org.nz co.jp ne.jp or.jp co.kr or.kr com.br net.br org.br com.cn net.cn
  org.cn com.hk com.mx com.sg com.tr com.tw com.ua co.il co.in co.id co.th co.za com.ar com.co com.pl com.pt com.es com.my com.ph com.vn
  github.io githubpreview.dev gitlab.io pages.dev workers.dev vercel.app now.sh netlify.app web.app firebaseapp.com herokuapp.com onrender.com fly.dev
  railway.app up.railway.app azurewebsites.net azurestaticapps.net cloudapp.net blob.core.windows.net cloudfront.net elasticbeanstalk.com amplifyapp.com
  run.app a.run.app appspot.com ngrok.io ngrok.app ngrok.dev ngrok-free.app trycloudflare.com loca.lt surge.sh glitch.me repl.co replit.app replit.dev
  stackblitz.io webcontainer.io codesandbox.io csb.app deno.dev blogspot.com wordpress.com nip.io sslip.io duckdns.org dyndns.org myshopify.com`
    .trim()
    .split(/\s+/),
);

/** Whether a browser refuses it as RP ID for being a public suffix. False may also mean that it is not in our short list. */
export function isPublicSuffix(rpId: string): boolean {
  const name = rpId.toLowerCase().replace(/\.$/, '');
  return SUFFIXES.has(name) || (!name.includes('.') && name !== 'localhost' && name !== '');
}
