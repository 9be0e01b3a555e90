/** The server that all clients talk to: the program itself with the demo catalogue, one account and one application. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fingerprintOf } from '../../src/interfaces/platform/identities/key-pairs.ts';
import { encryptFile, pdf } from '../support/encrypted-upload.ts';
import { startTrunkline } from '../support/trunkline.ts';

export interface ClientServer {
  /** Of the sandbox, without a path. */
  url: string;
  folder: string;
  /** What every program finds in its environment. */
  variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const clientCredentials = {
  KEY: 'the key of every client in the matrix',
  APP_KEY: '5e9bb5a4-4c0b-4f3c-9d0e-7a9c5b2f1d10',
  APP_SECRET: '31m-CahIKK3u6hpRgs4-MGRtTm9_znlUWAzMNA_9_2s',
};

export async function startClientServer(): Promise<ClientServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-clients-'));
  const approver = await startApprover();
  const bootstrap = path.join(folder, 'bootstrap.json');
  await writeFile(bootstrap, JSON.stringify(bootstrapWith(`http://127.0.0.1:${portOf(approver)}/approve`)));
  const program = startTrunkline(folder, {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_HOST: '::',
    TRUNKLINE_BOOTSTRAP: bootstrap,
    TRUNKLINE_OUTBOUND_ALLOW: '127.0.0.0/8',
  });
  const stop = async () => {
    await program.stop();
    approver.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { environments } = await program.ready();
    const { port } = new URL(environments.sandbox?.url ?? '');
    const url = `http://127.0.0.1:${port}`;
    const variables = { ...clientCredentials, API: url, ...(await encryptedFile(url, folder)) };
    return { url, folder, variables, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function bootstrapWith(callback_url: string): object {
  const { KEY, APP_KEY, APP_SECRET } = clientCredentials;
  const application = { name: 'matrix', key: APP_KEY, secret: APP_SECRET, minimum_mode: 'public', callback_url };
  const account = {
    name: 'Acme',
    balance: '1000.00',
    api_keys: [{ name: 'matrix', key: KEY }],
    otp_applications: [application],
  };
  return { sandbox: { catalogue: 'demo', accounts: [account] } };
}

/** Allows every start in public and basic mode. */
async function startApprover(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"action":"allow"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Encrypting is no matter of the HTTP client; docs/guides/paperwork.md has it, and its test. */
async function encryptedFile(url: string, folder: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/v3/public_keys`);
  const { data } = (await response.json()) as { data: { attributes: { key: string } }[] };
  const [a, b] = data.map(({ attributes }) => attributes.key);
  if (!a || !b) throw new Error('there are two public keys');
  const file = path.join(folder, 'passport.pdf.enc');
  await writeFile(file, encryptFile(pdf, { pems: [a, b] }));
  return { ENCRYPTED_FILE: file, FINGERPRINT: `${fingerprintOf(a)}:::${fingerprintOf(b)}` };
}
