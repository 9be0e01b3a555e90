/** Files of requirements: Trunkline's own, and those of an operator. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { demoCatalogue } from '../demo.ts';
import { readRules, shippedRules } from './rule-files.ts';

test('every demo group that needs registration has a requirement, and every one that offers emergency calling a price', () => {
  const { rows } = demoCatalogue();
  const iso = new Map(rows.countries.map((country) => [country.id, country.iso]));
  const types = new Map(rows.did_group_types.map((type) => [type.id, type.name]));
  const covered = (list: 'address' | 'emergency') =>
    new Set(
      shippedRules().countries.flatMap((c) =>
        c[list].flatMap((rule) => rule.types.map((type) => `${c.country} ${type}`)),
      ),
    );
  const pairs = (wanted: (group: (typeof rows.did_groups)[number]) => boolean) =>
    new Set(rows.did_groups.filter(wanted).map((g) => `${iso.get(g.country_id)} ${types.get(g.did_group_type_id)}`));

  const registered = pairs((group) => group.needs_registration === true);
  expect(registered.size).toBeGreaterThan(25);
  expect([...registered].filter((pair) => !covered('address').has(pair))).toEqual([]);
  expect(
    [...pairs((group) => group.features.includes('emergency'))].filter((pair) => !covered('emergency').has(pair)),
  ).toEqual([]);
});

/** The book in a folder that holds this one country. */
async function booked(country: object | string) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-rules-'));
  try {
    await mkdir(path.join(folder, 'countries'));
    const text = typeof country === 'string' ? country : JSON.stringify(country);
    await writeFile(path.join(folder, 'countries', 'XX.json'), text);
    return readRules(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const rule = {
  types: ['Local'],
  identity: 'any',
  personal: { area: 'country', proofs: 1, proof_types: ['Passport'], fields: ['birth_date'] },
  address: { area: 'country', proofs: 0, proof_types: [] },
  service_description: false,
  restriction: '',
};
const emergency = {
  types: ['Local'],
  identity: 'personal',
  personal: { area: 'country', fields: ['Birth Date'] },
  address: { area: 'country', fields: [] },
  setup_time: '1 day',
  restriction: null,
  monthly_price: null,
};

test('an operator’s own folder is read, with Trunkline’s proof types where it has none', async () => {
  const book = await booked({ country: 'XX', address: [rule], emergency: [emergency] });
  expect(book.countries.map(({ country }) => country)).toEqual(['XX']);
  expect(book.proofTypes).toEqual(shippedRules().proofTypes);
});

test.each([
  ['{', /XX\.json cannot be read/],
  [{ country: 'Germany', address: [], emergency: [] }, /XX\.json: country must match/],
  [{ country: 'XX', address: [{ ...rule, types: [] }], emergency: [] }, /XX\.json: address\.0\.types must/],
  [{ country: 'XX', address: [{ ...rule, extra: 1 }], emergency: [] }, /XX\.json: address\.0\.extra is not known/],
  [
    {
      country: 'XX',
      address: [{ ...rule, personal: { ...rule.personal, proof_types: ['Utility Bill'] } }],
      emergency: [],
    },
    /XX name the Personal proof type "Utility Bill"/,
  ],
  [
    {
      country: 'XX',
      address: [{ ...rule, personal: { ...rule.personal, onetime_document: 'Declaration of Residence' } }],
      emergency: [],
    },
    /XX name the one-time document "Declaration of Residence"/,
  ],
  [
    { country: 'XX', address: [], emergency: [{ ...emergency, personal: { area: 'country', fields: ['Shoe size'] } }] },
    /XX name the field "Shoe size"/,
  ],
])('%o is refused in one sentence', async (country, expected) => {
  await expect(booked(country)).rejects.toThrow(expected);
});
