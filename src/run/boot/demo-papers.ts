/**
 * The second part of the demo account's records: a routed number, a registered person with proofs, an address
 * verification and an emergency service under review, and two phone verifications. Ordered numbers are delivered by a
 * job, and uploads wait for the encryption keys, which take seconds to generate, so this runs after the server has
 * started.
 */
import { encrypt } from '../../interfaces/platform/identities/encryption.ts';
import { fingerprintOf } from '../../interfaces/platform/identities/key-pairs.ts';
import { calledNumber, demoReferences, knownCodeNumber } from '../../interfaces/server/docs/live-examples.ts';
import { orderNumbers } from './demo.ts';
import type { DemoClient, Identifier } from './demo-client.ts';

export async function addDemoPapers(api: DemoClient): Promise<void> {
  const germany = { type: 'countries', id: await api.first('/countries?filter[iso]=DE') };
  const us = { type: 'countries', id: await api.first('/countries?filter[iso]=US') };
  await routeNumber(api);
  await api.startVerification({ destination: knownCodeNumber, delivery_method: 'sms' });
  await api.startVerification({ destination: calledNumber, delivery_method: 'callout' });
  const toRegister = await buyTwo(api, `filter[country.id]=${germany.id}&filter[prefix]=30`);
  const identity = await api.create(
    'identities',
    { ...person, birth_date: '1990-02-03', external_reference_id: demoReferences.person },
    { country: germany },
  );
  const newYork = await api.create(
    'addresses',
    {
      address: '1 Broadway',
      city_name: 'New York',
      postal_code: '10004',
      external_reference_id: demoReferences.newYork,
    },
    { identity, country: us },
  );
  await addEmergencyService(api, us.id, newYork);
  const berlin = await api.create(
    'addresses',
    {
      address: 'Unter den Linden 1',
      city_name: 'Berlin',
      postal_code: '10117',
      external_reference_id: demoReferences.berlin,
    },
    { identity, country: germany },
  );
  const papers = await uploader(api);
  await papers.prove(identity, 'Personal', 'Passport');
  await papers.prove(berlin, 'Address', 'Utility Bill');
  await api.create('address_verifications', {}, { address: berlin, dids: toRegister.slice(0, 1) });
  await addSpareCompany(api, papers, germany);
}

const person = { identity_type: 'personal', first_name: 'Jane', last_name: 'Doe', phone_number: '442079460000' };

/** Gives the number of the first part a trunk, so that calls to it are answered. */
async function routeNumber(api: DemoClient): Promise<void> {
  const [number] = await api.atLeast(1, '/dids?page[size]=1');
  const trunk = await api.first('/voice_in_trunks?filter[name]=Demo trunk');
  if (number) await api.link(number, 'voice_in_trunk', { type: 'voice_in_trunks', id: trunk });
}

/** Buys two numbers of a group: one to submit now, one that the page can submit. */
async function buyTwo(api: DemoClient, filters: string): Promise<Identifier[]> {
  const group = await api.first(`/did_groups?${filters}&filter[is_available]=true&page[size]=1`);
  const order = await orderNumbers(api, group, 2);
  const numbers = await api.atLeast(2, `/dids?filter[order.id]=${order}`);
  return numbers.map(({ id }) => ({ type: 'dids', id }));
}

/** An active service whose new address is under review: it can be decided on, and it can be cancelled. */
async function addEmergencyService(api: DemoClient, country: string, address: Identifier): Promise<void> {
  const [number] = await buyTwo(
    api,
    `filter[country.id]=${country}&filter[area_name]=New York&filter[features]=emergency`,
  );
  await api.approve(await api.create('emergency_verifications', {}, { address, dids: number ? [number] : [] }));
  const id = await api.first('/emergency_calling_services?page[size]=1');
  const service = { type: 'emergency_calling_services', id };
  await api.create('emergency_verifications', {}, { address, emergency_calling_service: service });
}

type Uploader = Awaited<ReturnType<typeof uploader>>;

/** Uploads a blank form for every paper that is asked for. */
async function uploader(api: DemoClient) {
  const keys = await api.list('/public_keys');
  const [a = '', b = ''] = keys.map(({ attributes }) => String(attributes.key));
  const [template] = await api.list('/supporting_document_templates?filter[permanent]=true&page[size]=1');
  if (!template) throw new Error('the demo catalogue has document templates');
  const document = await api.download(String(template.attributes.url));
  const upload = () => {
    const form = new FormData();
    form.append('encrypted_files[encryption_fingerprint]', `${fingerprintOf(a)}:::${fingerprintOf(b)}`);
    form.append('encrypted_files[file]', new Blob([new Uint8Array(encrypt(document, [a, b]))]), 'form.pdf.enc');
    return api.upload(form);
  };
  return {
    prove: async (entity: Identifier, kind: string, name: string): Promise<void> => {
      const types = await api.list(`/proof_types?filter[entity_type]=${kind}`);
      const id = types.find(({ attributes }) => attributes.name === name)?.id ?? '';
      await api.create('proofs', {}, { entity, proof_type: { type: 'proof_types', id }, files: [await upload()] });
    },
    signForm: async (identity: Identifier): Promise<void> => {
      const { type, id } = template;
      const links = { identity, template: { type, id }, files: [await upload()] };
      await api.create('permanent_supporting_documents', {}, links);
    },
  };
}

/** The newest identity, address, proof and document are used by no submission, so that each can be deleted. */
async function addSpareCompany(api: DemoClient, papers: Uploader, country: Identifier): Promise<void> {
  const company = { ...person, identity_type: 'business', company_name: 'Doe & Daughters' };
  const identity = await api.create('identities', company, { country });
  const place = { address: 'Friedrichstr. 1', city_name: 'Berlin', postal_code: '10117' };
  const address = await api.create('addresses', place, { identity, country });
  await papers.signForm(identity);
  await papers.prove(address, 'Address', 'Utility Bill');
}
