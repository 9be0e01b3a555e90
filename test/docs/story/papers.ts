/** The third part of the story: identities, proofs, approvals and emergency calling. */
import { createHash, createPublicKey } from 'node:crypto';
import { encryptFile, pdf, uploadForm } from '../../support/encrypted-upload.ts';
import type { Recorder } from '../../support/recorder.ts';
import { findGroup, idOf } from './shop.ts';
import { changed, link, made } from './words.ts';

/** The identity that a number is registered to in the end. */
export async function doPaperwork(recorder: Recorder): Promise<string> {
  const germany = await idOf(recorder, '/v3/countries?filter[iso]=DE');
  const [identity, address] = await makePerson(recorder, germany, ['Unter den Linden 1', 'Berlin', '10117']);
  await prove(recorder, identity, address);
  await register(recorder, germany, identity, address);
  await enableEmergency(recorder);
  await removeOnes(recorder, germany);
  return identity;
}

const person = {
  identity_type: 'personal',
  first_name: 'Jane',
  last_name: 'Doe',
  phone_number: '442079460000',
  birth_date: '1990-02-03',
  contact_email: 'jane@example.com',
};
const company = {
  identity_type: 'business',
  first_name: 'Jane',
  last_name: 'Doe',
  phone_number: '442079460000',
  company_name: 'Doe & Daughters',
};

async function makePerson(
  recorder: Recorder,
  country: string,
  [street, city, code]: readonly [string, string, string],
): Promise<readonly [string, string]> {
  const send = recorder.send.bind(recorder);
  const living = { country: link('countries', country) };
  const { body } = await send('POST', '/v3/identities', { as: 'A person', body: made('identities', person, living) });
  const identity = body.data.id;
  await send('GET', '/v3/identities?page[size]=1');
  await send('GET', `/v3/identities/${identity}`);
  await send('PATCH', `/v3/identities/${identity}`, {
    body: changed('identities', identity, { id_number: 'L01X00T47' }),
  });
  const home = await send('POST', '/v3/addresses', {
    body: made(
      'addresses',
      { address: street, city_name: city, postal_code: code },
      { identity: link('identities', identity), ...living },
    ),
  });
  const address = home.body.data.id;
  await send('GET', '/v3/addresses?page[size]=1');
  await send('GET', `/v3/addresses/${address}`);
  await send('PATCH', `/v3/addresses/${address}`, { body: changed('addresses', address, { description: 'Home' }) });
  return [identity, address];
}

async function upload(recorder: Recorder): Promise<string> {
  const { body: keys } = await recorder.send('GET', '/v3/public_keys');
  const pems = keys.data.map(({ attributes }) => String(attributes.key));
  const [a = '', b = ''] = pems;
  const fingerprint = pems
    .map((pem) => createPublicKey(pem).export({ type: 'spki', format: 'der' }))
    .map((der) => createHash('sha1').update(der).digest('hex'))
    .join(':::');
  const form = uploadForm(encryptFile(pdf, { pems: [a, b] }), fingerprint, 'Passport');
  const { body } = await recorder.send('POST', '/v3/encrypted_files', { form, headers: { accept: '*/*' } });
  return body.data.id;
}

async function proofType(recorder: Recorder, entity: string, name: string): Promise<string> {
  const { body } = await recorder.send('GET', `/v3/proof_types?filter[entity_type]=${entity}`);
  const found = body.data.find(({ attributes }) => attributes.name === name)?.id;
  if (found === undefined) throw new Error(`no proof type ${name}`);
  await recorder.send('GET', `/v3/proof_types/${found}`);
  return found;
}

async function prove(recorder: Recorder, identity: string, address: string): Promise<void> {
  const send = recorder.send.bind(recorder);
  const proof = async (as: string, entity: object, type: string) => {
    const files = [link('encrypted_files', await upload(recorder))];
    const links = { proof_type: link('proof_types', type), files };
    const body = made('proofs', {}, links);
    const whole = { data: { ...body.data, relationships: { ...body.data.relationships, entity: { data: entity } } } };
    return (await send('POST', '/v3/proofs', { as, body: whole })).body.data.id;
  };
  const passport = await proofType(recorder, 'Personal', 'Passport');
  const bill = await proofType(recorder, 'Address', 'Utility Bill');
  await proof('Of an address', link('addresses', address), bill);
  const id = await proof('Of an identity', link('identities', identity), passport);
  const doomed = await proof('Of an identity', link('identities', identity), passport);
  await send('GET', '/v3/proofs?page[size]=1');
  await send('GET', `/v3/proofs/${id}`);
  await send('PATCH', `/v3/proofs/${id}`, { body: changed('proofs', id, { external_reference_id: 'scan-1' }) });
  await send('DELETE', `/v3/proofs/${doomed}`);

  const template = await idOf(recorder, '/v3/supporting_document_templates?filter[permanent]=true&page[size]=1');
  const shown = await send('GET', `/v3/supporting_document_templates/${template}`);
  const blank = new URL(String(shown.body.data.attributes.url)).pathname;
  await send('GET', blank, { headers: { accept: '*/*' } });
  const sign = async () =>
    send('POST', '/v3/permanent_supporting_documents', {
      body: made(
        'permanent_supporting_documents',
        {},
        {
          template: link('supporting_document_templates', template),
          identity: link('identities', identity),
          files: [link('encrypted_files', await upload(recorder))],
        },
      ),
    });
  const { id: paper } = (await sign()).body.data;
  await send('GET', '/v3/permanent_supporting_documents?page[size]=1');
  await send('GET', `/v3/permanent_supporting_documents/${paper}`);
  await send('PATCH', `/v3/permanent_supporting_documents/${paper}`, {
    body: changed('permanent_supporting_documents', paper, { external_reference_id: 'form-1' }),
  });
  await send('DELETE', `/v3/permanent_supporting_documents/${paper}`);
  await send('GET', `/v3/permanent_supporting_documents/${(await sign()).body.data.id}`);
}

async function buy(recorder: Recorder, filters: string, as: string): Promise<string> {
  const group = await findGroup(recorder, filters, as);
  const items = [{ type: 'did_order_items', attributes: { sku_id: group.sku, qty: 1 } }];
  const { body } = await recorder.send('POST', '/v3/orders', { body: made('orders', { items }), unrecorded: true });
  await recorder.send('POST', '/sandbox/v1/clock', { body: { advance_seconds: 60 } });
  const bought = await recorder.send('GET', `/v3/dids?filter[order.id]=${body.data.id}`, { unrecorded: true });
  return bought.body.data[0]?.id ?? '';
}

async function register(recorder: Recorder, country: string, identity: string, address: string): Promise<void> {
  const send = recorder.send.bind(recorder);
  const local = await idOf(recorder, '/v3/did_group_types?filter[name]=Local');
  const did = await buy(recorder, `filter[country.id]=${country}&filter[prefix]=30`, 'In Berlin');
  const requirement = await idOf(
    recorder,
    `/v3/address_requirements?filter[country.id]=${country}&filter[did_group_type.id]=${local}`,
  );
  await send('GET', `/v3/address_requirements/${requirement}?include=personal_proof_types,address_proof_types`);
  await send('POST', '/v3/address_requirement_validations', {
    body: made(
      'address_requirement_validations',
      {},
      {
        address_requirement: link('address_requirements', requirement),
        identity: link('identities', identity),
        address: link('addresses', address),
      },
    ),
  });
  const { body } = await send('POST', '/v3/address_verifications', {
    body: made(
      'address_verifications',
      { external_reference_id: 'berlin-1' },
      { address: link('addresses', address), dids: [link('dids', did)] },
    ),
  });
  const { id } = body.data;
  await send('GET', '/v3/address_verifications?filter[status]=pending');
  await send('GET', `/v3/address_verifications/${id}`);
  await send('PATCH', `/v3/address_verifications/${id}`, {
    body: changed('address_verifications', id, { external_reference_id: 'berlin-2' }),
  });
  await send('POST', `/sandbox/v1/address_verifications/${id}/decision`, {
    as: 'Approve',
    body: { action: 'approve' },
  });
}

async function enableEmergency(recorder: Recorder): Promise<void> {
  const send = recorder.send.bind(recorder);
  const us = await idOf(recorder, '/v3/countries?filter[iso]=US');
  const [identity, address] = await makePerson(recorder, us, ['1 Broadway', 'New York', '10004']);
  const local = await idOf(recorder, '/v3/did_group_types?filter[name]=Local');
  const did = await buy(
    recorder,
    `filter[country.id]=${us}&filter[area_name]=New York&filter[features]=emergency&filter[is_available]=true&filter[meta.total_count_gteq]=1`,
    'In New York',
  );
  const requirement = await idOf(
    recorder,
    `/v3/emergency_requirements?filter[country.id]=${us}&filter[did_group_type.id]=${local}`,
  );
  await send('GET', `/v3/emergency_requirements/${requirement}`);
  const place = { address: link('addresses', address) };
  await send('POST', '/v3/emergency_requirement_validations', {
    body: made(
      'emergency_requirement_validations',
      {},
      {
        emergency_requirement: link('emergency_requirements', requirement),
        identity: link('identities', identity),
        ...place,
      },
    ),
  });
  const submit = (as: string, links: Parameters<typeof made>[2]) =>
    send('POST', '/v3/emergency_verifications', {
      as,
      body: made('emergency_verifications', {}, { ...place, ...links }),
    });
  const decide = (id: string, as: string, body: object) =>
    send('POST', `/sandbox/v1/emergency_verifications/${id}/decision`, { as, body });
  const first = await submit('For numbers', { dids: [link('dids', did)] });
  const service = await idOf(recorder, '/v3/emergency_calling_services?page[size]=1');
  const rejection = { action: 'reject', reasons: ['House number missing'], comment: 'Please add it.' };
  await decide(first.body.data.id, 'Reject', rejection);
  const again = await submit('For a service', {
    emergency_calling_service: link('emergency_calling_services', service),
  });
  const { id } = again.body.data;
  await decide(id, 'Approve', { action: 'approve' });
  await send('GET', '/v3/emergency_verifications?page[size]=1');
  await send('GET', `/v3/emergency_verifications/${id}`);
  await send('PATCH', `/v3/emergency_verifications/${id}`, {
    body: changed('emergency_verifications', id, { external_reference_id: 'ny-1' }),
  });
  await send('GET', `/v3/emergency_calling_services/${service}`);
  await send('DELETE', `/v3/emergency_calling_services/${service}`);
}

/** What may be deleted is made for it. */
async function removeOnes(recorder: Recorder, country: string): Promise<void> {
  const send = recorder.send.bind(recorder);
  const living = { country: link('countries', country) };
  const { body } = await send('POST', '/v3/identities', { as: 'A company', body: made('identities', company, living) });
  const identity = body.data.id;
  const home = await send('POST', '/v3/addresses', {
    body: made(
      'addresses',
      { address: 'Friedrichstr. 1', city_name: 'Berlin', postal_code: '10117' },
      { identity: link('identities', identity), ...living },
    ),
  });
  await send('DELETE', `/v3/addresses/${home.body.data.id}`);
  await send('DELETE', `/v3/identities/${identity}`);
  const file = await upload(recorder);
  await send('GET', '/v3/encrypted_files?page[size]=1');
  await send('GET', `/v3/encrypted_files/${file}`);
  await send('DELETE', `/v3/encrypted_files/${file}`);
}
