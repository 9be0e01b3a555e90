/**
 * What browsers are told about the panel: cookies over HTTPS, frames, scripts and types; and no way to be sent
 * elsewhere.
 */
import { describe, expect, it, test } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { operatorPaths, panelPaths } from './web-files.ts';

const behindProxy = useOpened(() =>
  startTestServer({ account: { name: 'Acme', ...login }, server: { trustedProxies: ['127.0.0.1'] } }),
);
const direct = useOpened(() => startTestServer({ account: { name: 'Acme', ...login } }));

const https = {
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'panel.example.com',
  origin: 'https://panel.example.com',
};

describe('behind a proxy that ends TLS', () => {
  it('gives a cookie that browsers keep for this host and HTTPS alone', async () => {
    const browser = new PanelClient(behindProxy.url);
    const response = await browser.signIn(login, https);
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-trunkline_sandbox_session=[\w-]{40,}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await browser.get('/v3/balance', https)).status).toBe(200);
    const out = await browser.delete('/panel/v1/session', https);
    expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-trunkline_sandbox_session=; .*Max-Age=0; .*Secure$/);
  });

  it('takes no cookie that came without HTTPS, and gives none of HTTPS without it', async () => {
    const [secure, insecure] = [new PanelClient(behindProxy.url), new PanelClient(behindProxy.url)];
    await secure.signIn(login, https);
    await insecure.signIn();
    expect(insecure.cookie).toMatch(/^trunkline_sandbox_session=/);
    expect((await secure.get('/v3/balance')).status).toBe(401);
    expect((await insecure.get('/v3/balance', https)).status).toBe(401);
    // Nor one that was renamed to look as if it had been given over HTTPS, as another host of the site could set it.
    const renamed = insecure.cookie.replace('trunkline', '__Secure-trunkline');
    expect((await insecure.get('/v3/balance', { ...https, cookie: renamed })).status).toBe(401);
  });

  it('checks the origin that the browser sees, not the one the proxy asks', async () => {
    const browser = new PanelClient(behindProxy.url);
    expect((await browser.signIn(login, { ...https, origin: 'http://panel.example.com' })).status).toBe(403);
    expect((await browser.signIn(login, { ...https, origin: behindProxy.url })).status).toBe(403);
    expect((await browser.signIn(login, https)).status).toBe(201);
  });
});

it('believes no proxy that it was not told about', async () => {
  const browser = new PanelClient(direct.url);
  const { origin: _origin, ...forwarded } = https;
  const response = await browser.signIn(login, forwarded);
  const [cookie = ''] = response.headers.getSetCookie();
  expect(cookie).not.toContain('Secure');
  expect((await browser.signIn(login, https)).status).toBe(403);
});

const pages = ['/', '/operator', ...panelPaths.map((path) => `/${path}`), ...operatorPaths.map((path) => `/${path}`)];

test('every page runs no script but its own files, and is framed by nobody', async () => {
  for (const path of pages) {
    const { status, headers } = await fetch(`${direct.url}${path}`);
    const directives = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((each) => {
        const [name = '', ...values] = each.split(' ');
        return [name, values.join(' ')];
      }),
    );
    expect([path, status]).toEqual([path, 200]);
    expect([path, directives]).toEqual([
      path,
      expect.objectContaining({
        'default-src': "'none'",
        'script-src': "'self'",
        'connect-src': "'self'",
        'frame-src': "'self'",
        'form-action': "'self'",
        'base-uri': "'none'",
        'frame-ancestors': "'none'",
      }),
    ]);
    expect([path, Object.fromEntries(headers)]).toEqual([
      path,
      expect.objectContaining({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
      }),
    ]);
  }
});

test('responses of the interfaces are never guessed, framed or kept, refusals included', async () => {
  const browser = new PanelClient(direct.url);
  await browser.signIn();
  for (const path of ['/panel/v1/session', '/panel/v1/api_keys', '/panel/v1/nothing', '/panel/v1/api_keys/x']) {
    for (const client of [browser, new PanelClient(direct.url)]) {
      const { headers } = await client.get(path);
      expect([path, Object.fromEntries(headers)]).toEqual([
        path,
        expect.objectContaining({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' }),
      ]);
    }
  }
  expect((await browser.get('/panel/v1/api_keys')).headers.get('cache-control')).toBe('no-store');
});

test('no address in a link sends anybody elsewhere, signed in or not', async () => {
  const targets = ['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)'];
  for (const name of ['next', 'redirect', 'return_to', 'url', 'continue']) {
    for (const target of targets) {
      for (const path of ['/', '/login', '/password', '/operator', '/panel/v1/session']) {
        const address = `${direct.url}${path}?${name}=${encodeURIComponent(target)}`;
        const { status, headers } = await fetch(address, { redirect: 'manual' });
        expect([address, status < 300 || status >= 400, headers.get('location')]).toEqual([address, true, null]);
      }
    }
  }
  for (const path of ['//evil.example', '/%2f%2fevil.example', '/\\evil.example', '/operator//evil.example']) {
    const { headers } = await fetch(`${direct.url}${path}`, { redirect: 'manual' });
    expect([path, headers.get('location')]).toEqual([path, null]);
  }
});
