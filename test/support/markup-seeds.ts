/** Records whose every free text is markup, made through the interfaces as a customer and an operator would. */
import type { MarkedMarkup } from './marked-markup.ts';
import type { PanelClient } from './panel-client.ts';

async function made(client: PanelClient, path: string, attributes: object, links: object = {}): Promise<string> {
  const type = path.split('/').at(-1);
  const relationships = Object.fromEntries(Object.entries(links).map(([name, data]) => [name, { data }]));
  const response = await client.post(path, { data: { type, attributes, relationships } });
  if (response.status !== 201) throw new Error(`${path} was refused: ${response.text}`);
  return response.resource.id;
}

/** Writes markup into everything that a customer can name. */
export async function seedCustomer(
  markup: MarkedMarkup,
  client: PanelClient,
  { receiver, trunkPort }: { receiver: string; trunkPort: number },
): Promise<void> {
  const configuration = {
    type: 'sip_configurations',
    attributes: { host: '127.0.0.1', port: trunkPort, codec_ids: [9, 10], username: '{DID}' },
  };
  const named = (what: string) => ({ name: markup.text(`name of ${what}`, { short: true }) });
  const trunk = await made(client, '/v3/voice_in_trunks', {
    ...named('a trunk'),
    description: markup.text('description of a trunk'),
    configuration,
  });
  await made(client, '/v3/voice_in_trunk_groups', named('a trunk group'));
  const identity = await made(client, '/v3/identities', {
    identity_type: 'business',
    first_name: markup.text('first name', { short: true }),
    last_name: markup.text('last name', { short: true }),
    phone_number: '442037691880',
    company_name: markup.text('company', { short: true }),
    description: markup.text('description of an identity'),
  });
  const [country] = (await client.get('/v3/countries?filter[iso]=GB')).resources;
  await made(
    client,
    '/v3/addresses',
    {
      address: markup.text('street', { short: true }),
      city_name: markup.text('city', { short: true }),
      postal_code: 'E1',
    },
    { identity: { type: 'identities', id: identity }, country: { type: 'countries', id: country?.id } },
  );
  await made(client, '/panel/v1/api_keys', named('an API key'));
  await made(client, '/panel/v1/otp_applications', {
    ...named('an application'),
  });
  // An address cannot hold markup.
  const email = '<img/src=x/onerror=pwned=1>@x.test';
  const refused = await client.post('/panel/v1/members', {
    data: { type: 'members', attributes: { email, role: 'read-only' } },
  });
  if (refused.status !== 422) throw new Error(`an address with markup was not refused: ${refused.text}`);
  await made(client, '/panel/v1/members', { email: 'member@x.test', role: 'read-only' });
  const [did] = (await client.get('/v3/dids?filter[number]=13325550100')).resources;
  const described = await client.patch(`/v3/dids/${did?.id}`, {
    data: {
      type: 'dids',
      id: did?.id,
      attributes: { description: markup.text('description of a number') },
      relationships: { voice_in_trunk: { data: { type: 'voice_in_trunks', id: trunk } } },
    },
  });
  if (described.status !== 200) throw new Error(described.text);
  await made(client, '/panel/v1/call_event_endpoints', {
    stream: 'voice_in_events',
    url: `${receiver}?${encodeURIComponent('<img>')}`,
  });
  const { account } = (await client.get('/panel/v1/session')).body as { account: { id: string } };
  const settings = { type: 'account_settings', id: account.id, attributes: { callback_secret: 'signs callbacks' } };
  await client.patch(`/panel/v1/account_settings/${account.id}`, { data: settings });
  const sent = await client.post('/panel/v1/test_callbacks', { url: receiver });
  if (sent.status !== 201) throw new Error(sent.text);
}

/**
 * Writes markup into everything that an operator can name, and opens the account of a stranger. Returns a submission.
 */
export async function seedOperator(
  markup: MarkedMarkup,
  client: PanelClient,
  stranger: { email: string; password: string },
): Promise<{ rejected: string }> {
  const account = await made(client, '/operator/v1/accounts', {
    name: markup.text('name of a customer', { short: true }),
    email: stranger.email,
  });
  const link = await client.post('/panel/v1/login/links', { account_id: account });
  const token = String((link.body as { path: string }).path).split('#')[1];
  await client.post('/panel/v1/login/set', { token, password: stranger.password });
  const customer = { account: { type: 'accounts', id: account } };
  const reason = markup.text('reason of an adjustment');
  await made(client, '/operator/v1/adjustments', { kind: 'credit', amount: '1', reason }, customer);
  const closed = await made(client, '/operator/v1/accounts', {
    name: 'Closed',
  });
  await client.patch(`/operator/v1/accounts/${closed}`, {
    data: { type: 'accounts', id: closed, attributes: { closed: true, reason: markup.text('reason of closing') } },
  });
  await made(
    client,
    '/operator/v1/erasures',
    { reason: markup.text('reason of an erasure') },
    { account: { type: 'accounts', id: closed } },
  );
  await made(client, '/operator/v1/carriers', {
    name: markup.text('name of a carrier', { short: true }),
    addresses: ['192.0.2.0/24'],
  });
  await client.post('/panel/v1/acting', { account_id: account, reason: markup.text('reason of acting') });
  await client.delete('/panel/v1/acting');
  const [submission] = (await client.get('/operator/v1/submissions?filter[status]=pending')).resources;
  const decided = await client.patch(`/operator/v1/submissions/${submission?.id}`, {
    data: {
      type: 'submissions',
      id: submission?.id,
      attributes: {
        decision: 'reject',
        reject_reasons: [markup.text('reason of a rejection')],
        reject_comment: markup.text('comment of a rejection'),
      },
    },
  });
  if (decided.status !== 200) throw new Error(decided.text);
  return { rejected: decided.resource.id };
}
