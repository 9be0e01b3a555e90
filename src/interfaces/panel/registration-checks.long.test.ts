/** What the panel's registration offers and checks is what its submission is judged by. */
import { beforeAll, expect, test } from 'vitest';
import { AddressSubmissions } from '../../../test/support/address-submissions.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { makeAddress, makePaperwork } from '../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../test/support/registered-number.ts';
import { detailsOf } from '../../../test/support/requests.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', balance: '100', ...login } }));
const submissions = new AddressSubmissions(server);
let browser: PanelClient;
beforeAll(async () => {
  await loadPaperworkCatalogue(server);
  browser = new PanelClient(server.url);
  await browser.signIn();
});

interface Check {
  numbers: { id: string; state: string; pending_verification_id: string | null }[];
  problems: { part: string; text: string }[];
}
const check = async (parameters: Record<string, string>): Promise<Check> => {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  const { body } = await browser.get(`/panel/v1/registration_checks?${query.join('&')}`);
  return { numbers: body.numbers as Check['numbers'], problems: body.problems as Check['problems'] };
};
const offered = async (query = '') =>
  (await browser.get(`/panel/v1/unregistered_numbers${query}`)).resources.map(({ id }) => id).toSorted();

test('the place of the numbers counts before the submission, as it does in it', async () => {
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const { identity, address } = await makePaperwork(server);
  expect(await check({ numbers: did, identity, address })).toMatchObject({ problems: [] });
  const elsewhere = await makeAddress(server.client, identity, { city_name: 'Town 001' });
  const { problems } = await check({ numbers: did, identity, address: elsewhere });
  expect(problems.map(({ part }) => part)).toEqual(['address', 'documents']);
  const refused = await submissions.submit(elsewhere, [did]);
  expect(problems.map(({ text }) => text)).toEqual(detailsOf(refused));
  // A form that is not finished: what there is of it is judged.
  expect((await check({ numbers: did })).problems).toEqual([]);
  const files = await check({ numbers: did, identity, address, onetime_files: '1', service_description: 'a hotline' });
  expect(files.problems.map(({ part }) => part)).toEqual(['documents', 'service_description']);
});

test('a number under review is not offered, and names its review; afterwards it is offered again, or registered', async () => {
  const [first = '', second = ''] = await buyNumbers(server, server.client, 'Berlin', 2);
  const [free = ''] = await buyNumbers(server, server.client, 'London', 1);
  const { address } = await makePaperwork(server);
  const before = await offered();
  expect(before).toEqual(expect.arrayContaining([first, second]));
  expect(before).not.toContain(free);
  const { id } = (await submissions.submit(address, [first])).resource;
  expect(await offered()).toEqual(before.filter((each) => each !== first));
  const unknown = '00000000-0000-4000-8000-000000000000';
  const { numbers } = await check({ numbers: [first, second, free, unknown].join(',') });
  expect(numbers.map(({ state }) => state)).toEqual(['under_review', 'unregistered', 'registered', 'unknown']);
  expect(numbers[0]).toMatchObject({ id: first, pending_verification_id: id });
  await submissions.decide(id, { action: 'reject', reasons: ['no'] });
  expect(await offered()).toEqual(before);
  await submissions.decide((await submissions.submit(address, [first])).resource.id, { action: 'approve' });
  expect((await check({ numbers: first })).numbers[0]).toMatchObject({ state: 'registered' });
  expect(await offered(`?filter[requirement_id]=${unknown}`)).toEqual([]);
});

test('another account’s numbers and papers are unknown, and nonsense is refused', async () => {
  const other = await server.addAccount({ balance: '10' });
  const [foreign = ''] = await buyNumbers(server, other.client, 'Berlin', 1);
  const theirs = await makePaperwork(server, other);
  expect((await check({ numbers: foreign })).numbers).toMatchObject([{ state: 'unknown', number: null }]);
  const asked = async (query: string) => (await browser.get(`/panel/v1/registration_checks?${query}`)).status;
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  expect(await asked(`numbers=${did}&identity=${theirs.identity}`)).toBe(404);
  expect(await asked(`numbers=${did}&address=${theirs.address}`)).toBe(404);
  expect([await asked(''), await asked('numbers=x'), await asked(`numbers=${did}&identity=x`)]).toEqual([
    400, 400, 400,
  ]);
  expect(await asked(`numbers=${did}&onetime_files=-1`)).toBe(400);
});
