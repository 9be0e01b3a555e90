/** Verifications of a production environment, whose messages go to the providers that a test sets up. */
import { afterEach } from 'vitest';
import {
  deleteProvider,
  listProviders,
  saveProvider,
  saveRoute,
} from '../../src/interfaces/verification/delivery/manage-providers.ts';
import { closeProviders } from '../../src/interfaces/verification/delivery/opened-providers.ts';
import { openSmsc, type Smsc } from './smsc.ts';
import { useMade, useOpened } from './use.ts';
import { startVerificationServer, type VerificationServer } from './verification-server.ts';

export const codeIn = (text: string) => /\d{6}/.exec(text)?.[0] ?? '';

/** Every test starts without providers. */
export function useDelivery() {
  const server = useOpened(() => startVerificationServer({ name: 'production' }));
  const client = useMade(() => server.client({ senders: { DE: 'AcmeDE', default: 'Acme' } }));
  afterEach(async () => {
    await closeProviders(server.env);
    for (const { name } of await listProviders(server.env)) await deleteProvider(server.env, name);
  });

  let last = 0;
  /** Mobile numbers: a text message to a landline is refused. */
  const fresh = () => `49151${String(++last).padStart(8, '0')}`;
  async function started(destination = fresh(), options: Record<string, unknown> = {}) {
    const { body } = await client.start({ destination, delivery_method: 'sms', ...options });
    const id = body.data?.id ?? '';
    await server.dispatch();
    return { id, destination, state: (await client.status(id)).body.data };
  }
  return { server, client, fresh, started };
}

/** An SMPP provider for text messages to every number; among several the lowest priority is asked first. */
export async function addSmsc(server: VerificationServer, name: string, priority: number): Promise<Smsc> {
  const smsc = await openSmsc();
  await saveProvider(server.env, {
    name,
    kind: 'smpp',
    settings: { host: '127.0.0.1', port: smsc.port, system_id: 'trunkline' },
    secret: 'secret',
  });
  await saveRoute(server.env, { deliveryMethod: 'sms', prefix: '', provider: name }, priority);
  return smsc;
}
