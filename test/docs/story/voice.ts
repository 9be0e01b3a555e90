/** The second part of the story: trunks, routing, calls and their records. */
import type { Recorder } from '../../support/recorder.ts';
import { type Goods, idOf } from './shop.ts';
import { changed, link, made } from './words.ts';

export async function routeAndCall(recorder: Recorder, goods: Goods): Promise<void> {
  const send = recorder.send.bind(recorder);
  const trunk = await makeInboundTrunks(recorder);
  const { id, digits } = goods.number;
  await send('PATCH', `/v3/dids/${id}`, { as: 'A note', body: changed('dids', id, { description: 'Front desk' }) });
  await send('PATCH', `/v3/dids/${id}?include=voice_in_trunk`, {
    as: 'Route to a trunk',
    body: changed('dids', id, {}, { voice_in_trunk: link('voice_in_trunks', trunk) }),
  });
  await send('PATCH', `/v3/dids/${id}`, {
    as: 'Renew five times',
    body: changed('dids', id, { billing_cycles_count: 5 }),
  });
  await send('GET', `/v3/dids/${id}`);
  await send('GET', `/v3/dids?filter[number]=${digits}`);
  const event = await idOf(recorder, `/v3/did_history?filter[did_number]=${digits}&page[size]=1`);
  await send('GET', `/v3/did_history/${event}`);
  await makeOutboundTrunk(recorder, id);
  await placeCalls(recorder, digits);
  await exportCalls(recorder);
}

async function makeInboundTrunks(recorder: Recorder): Promise<string> {
  const send = recorder.send.bind(recorder);
  const sip = {
    type: 'sip_configurations',
    attributes: { username: '{DID}', host: 'sip.example.com', codec_ids: [9, 10] },
  };
  const create = (as: string, name: string, configuration: object) =>
    send('POST', '/v3/voice_in_trunks', { as, body: made('voice_in_trunks', { name, configuration }) });
  const registering = {
    type: 'sip_configurations',
    attributes: { enabled_sip_registration: true, codec_ids: [9, 10] },
  };
  const { id } = (await create('A SIP host', 'Main office', sip)).body.data;
  await create('A telephone number', 'Mobile', { type: 'pstn_configurations', attributes: { dst: '442079460000' } });
  const doomed = (await create('Equipment that registers', 'Desk phone', registering)).body.data.id;
  await send('GET', '/v3/voice_in_trunks?page[size]=1&filter[name]=Main office');
  await send('GET', `/v3/voice_in_trunks/${id}`);
  const change = { type: 'sip_configurations', attributes: { rerouting_disconnect_code_ids: [84, 90, 1505] } };
  await send('PATCH', `/v3/voice_in_trunks/${id}`, {
    body: changed('voice_in_trunks', id, { ringing_timeout: 20, configuration: change }),
  });
  await send('DELETE', `/v3/voice_in_trunks/${doomed}`);
  const group = (name: string, members: string[]) =>
    send('POST', '/v3/voice_in_trunk_groups', {
      body: made(
        'voice_in_trunk_groups',
        { name, capacity_limit: 30 },
        { voice_in_trunks: members.map((member) => link('voice_in_trunks', member)) },
      ),
    });
  const spare = (await group('Empty group', [])).body.data.id;
  const kept = (await group('All offices', [id])).body.data.id;
  await send('GET', '/v3/voice_in_trunk_groups?page[size]=1');
  await send('GET', `/v3/voice_in_trunk_groups/${kept}?include=voice_in_trunks`);
  await send('PATCH', `/v3/voice_in_trunk_groups/${kept}`, {
    body: changed('voice_in_trunk_groups', kept, { capacity_limit: 60 }),
  });
  await send('DELETE', `/v3/voice_in_trunk_groups/${spare}`);
  return id;
}

async function makeOutboundTrunk(recorder: Recorder, did: string): Promise<void> {
  const send = recorder.send.bind(recorder);
  const method = { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['203.0.113.10'] } };
  const create = (name: string) =>
    send('POST', '/v3/voice_out_trunks', {
      body: made(
        'voice_out_trunks',
        { name, on_cli_mismatch_action: 'reject_call', authentication_method: method },
        { dids: [link('dids', did)] },
      ),
    });
  const doomed = (await create('Old dialer')).body.data.id;
  const { id } = (await create('Dialer')).body.data;
  await send('GET', '/v3/voice_out_trunks?page[size]=1');
  await send('GET', `/v3/voice_out_trunks/${id}`);
  await send('PATCH', `/v3/voice_out_trunks/${id}`, {
    body: changed('voice_out_trunks', id, { threshold_amount: '100.0', capacity_limit: 20 }),
  });
  await send('POST', '/v3/voice_out_trunk_regenerate_credentials', {
    body: made('voice_out_trunk_regenerate_credentials', {}, { voice_out_trunk: link('voice_out_trunks', id) }),
  });
  await send('DELETE', `/v3/voice_out_trunks/${doomed}`);
}

async function placeCalls(recorder: Recorder, number: string): Promise<void> {
  const send = recorder.send.bind(recorder);
  const call = (as: string, script: object) =>
    send('POST', '/sandbox/v1/calls', { as, body: { did_number: number, src_number: '442079460001', script } });
  const { body } = await call('A call that stays up', { outcomes: [{ code: 200 }], talk_seconds: null });
  await send('POST', `/sandbox/v1/calls/${body.id}/hangup`, { body: {} });
  await call('Nobody answers', { outcomes: [{ code: 'timeout' }] });
  await call('An answered call', { outcomes: [{ code: 200, ring_seconds: 2 }], talk_seconds: 30 });
}

async function exportCalls(recorder: Recorder): Promise<void> {
  const send = recorder.send.bind(recorder);
  const { body: clock } = await send('GET', '/sandbox/v1/clock');
  const day = String((clock as { now?: unknown }).now).slice(0, 10);
  const filters = { from: `${day} 00:00:00`, to: `${day} 00:00:01` };
  const { body } = await send('POST', '/v3/exports', {
    as: 'Inbound calls',
    body: made('exports', { export_type: 'cdr_in', filters, external_reference_id: 'june' }),
  });
  const { id } = body.data;
  await send('POST', '/sandbox/v1/clock', { body: { advance_seconds: 60 } });
  const done = await send('GET', `/v3/exports/${id}`);
  const file = new URL(String(done.body.data.attributes.url)).pathname;
  await send('GET', file, { headers: { accept: '*/*' } });
  await send('GET', '/v3/exports?page[size]=1');
  await send('PATCH', `/v3/exports/${id}`, { body: changed('exports', id, { external_reference_id: 'june-1' }) });
}
