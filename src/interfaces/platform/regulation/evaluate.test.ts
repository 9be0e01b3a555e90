/** Every shipped requirement: one submission that satisfies it for each kind of identity, and one failure per rule. */

import { beforeAll, describe, expect, test } from 'vitest';
import { createTestEnvironment } from '../../../../test/support/environment.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { nameBasedId } from '../../../business/catalogue/ids.ts';
import { loadRequirements } from '../../../business/catalogue/requirements/load-requirements.ts';
import { labelOf, mandatoryFields, shippedRules } from '../../../business/catalogue/requirements/rule-files.ts';
import type { IdentityType } from '../../../engines/db/tables/regulation.ts';
import { evaluate, type NumberPlace, type Rule, type Submission } from './evaluate.ts';
import { loadAddressRule, loadEmergencyRule } from './load-rule.ts';

const now = new Date('2026-06-15T12:00:00Z');
const identityKinds: readonly IdentityType[] = ['personal', 'business'];
const rules = shippedRules().countries.flatMap(({ country, address, emergency }) => [
  ...address.flatMap(({ types }) => types.map((type) => ['address', country, type] as const)),
  ...emergency.flatMap(({ types }) => types.map((type) => ['emergency', country, type] as const)),
]);

const world = useOpened(() => createTestEnvironment());
beforeAll(async () => {
  const { db } = world.env;
  const countries = shippedRules().countries.map(({ country }) => country);
  await db
    .insertInto('countries')
    .values(countries.map((iso) => ({ id: nameBasedId('countries', iso), name: `Land ${iso}`, iso, prefix: '1' })))
    .execute();
  const types = ['Local', 'National', 'Mobile', 'Toll-free', 'Shared Cost', 'Global'];
  await db
    .insertInto('did_group_types')
    .values(types.map((name) => ({ id: nameBasedId('did_group_types', name), name })))
    .execute();
  await loadRequirements(db);
});

const place: NumberPlace = { cityId: 'city', cityName: 'Örebro', areaId: 'area', regionId: 'region', areaName: 'Area' };

test('requirements are shipped for at least 25 countries, emergency ones with a price for at least 10', async () => {
  const { address, emergency } = await loadRequirements(world.env.db);
  expect(new Set(rules.filter(([kind]) => kind === 'address').map(([, country]) => country)).size).toBeGreaterThan(24);
  expect(new Set(rules.filter(([kind]) => kind === 'emergency').map(([, country]) => country)).size).toBeGreaterThan(9);
  expect(address + emergency).toBe(rules.length);
  const unpriced = await world.env.db
    .selectFrom('emergency_requirements')
    .select('id')
    .where('monthly_price', 'is', null)
    .execute();
  expect(unpriced).toEqual([]);
});

describe.each(rules)('%s requirement of %s %s', (requirement, country, type) => {
  let rule: Rule;
  let accepted: IdentityType[];
  beforeAll(async () => {
    rule =
      requirement === 'address'
        ? await loadAddressRule(world.env.db, nameBasedId('address_requirements', country, type))
        : await loadEmergencyRule(world.env.db, nameBasedId('emergency_requirements', country, type));
    accepted = identityKinds.filter((kind) => rule.identities[kind] !== null);
  });

  test('what it asks for satisfies it', () => {
    expect(accepted.length).toBeGreaterThan(0);
    for (const kind of accepted) expect(evaluate(rule, complete(rule, kind))).toEqual([]);
  });

  test('each rule is missed by itself, in its own words', () => {
    for (const kind of accepted) {
      for (const [submission, text] of failures(rule, kind)) expect(evaluate(rule, submission)).toEqual([text]);
    }
  });

  test('an empty submission misses everything at once', () => {
    for (const kind of accepted) {
      const texts = failures(rule, kind)
        .map(([, text]) => text)
        .filter(
          (text) =>
            !text.endsWith('not needed') && !/^(Address in (Ör|Area)|Following|(Pers|Busi)\w+ Identity req)/.test(text),
        );
      const found = evaluate(rule, empty(kind));
      for (const text of texts) expect(found).toContain(text);
    }
  });
});

/** Exactly what the rule asks for, not a thing more. */
function complete(rule: Rule, kind: IdentityType): Submission {
  const wanted = rule.identities[kind];
  if (!wanted) throw new Error('this kind is not accepted');
  const proofs = (of: { proofQty: number; proofTypes: readonly { id: string }[] }) =>
    Array.from({ length: of.proofQty }, (_, n) => ({
      proofTypeId: of.proofTypes[n % of.proofTypes.length]?.id ?? '',
      expiresAt: n === 0 ? new Date(now.getTime() + 1) : null,
    }));
  return {
    identity: {
      kind,
      countryId: wanted.areaLevel === 'country' || wanted.fields.includes('country') ? rule.country.id : null,
      birthCountryId: wanted.fields.includes('birth_country') ? 'elsewhere' : null,
      filled: new Set(wanted.fields),
      proofs: proofs(wanted),
      documents: new Set(wanted.permanentDocument ? [wanted.permanentDocument.id] : []),
    },
    address: {
      countryId: rule.address.areaLevel === 'world_wide' ? 'elsewhere' : rule.country.id,
      cityId: 'city',
      cityName: 'Orebro',
      areaId: null,
      regionId: rule.address.regionNeeded ? 'region' : null,
      proofs: proofs(rule.address),
    },
    places: [place],
    papers: {
      onetimeFiles: wanted.onetimeDocument ? 1 : 0,
      serviceDescription: rule.serviceDescriptionRequired ? 'a hotline' : null,
    },
    now: now,
  };
}

function failures(rule: Rule, kind: IdentityType): [Submission, string][] {
  const good = complete(rule, kind);
  const { identity, address, papers } = good;
  const wanted = rule.identities[kind];
  if (!identity || !address || !papers || !wanted) throw new Error('not complete');
  const of = kind === 'personal' ? 'Personal' : 'Business';
  const cases: [Submission, string][] = [];
  const add = (change: Partial<Submission>, text: string) => cases.push([{ ...good, ...change }, text]);
  const expired = (proofs: readonly { proofTypeId: string }[]) => proofs.map((proof) => ({ ...proof, expiresAt: now }));
  const names = (types: readonly { name: string }[]) => types.map(({ name }) => name).join(', ');

  for (const field of mandatoryFields.filter((each) => wanted.fields.includes(each))) {
    const filled = new Set(wanted.fields.filter((each) => each !== field));
    add({ identity: { ...identity, filled } }, `${labelOf(kind, field)} is required for ${of} Identity`);
  }
  if (wanted.areaLevel === 'country') {
    const text = kind === 'personal' ? 'Identity Place of Birth' : 'Identity Country';
    add({ identity: { ...identity, countryId: 'elsewhere' } }, `${text} must be ${rule.country.name}`);
  }
  if (wanted.proofQty > 0) {
    const text = `${wanted.proofQty} Identity Proof(s) (${names(wanted.proofTypes)}) required`;
    add({ identity: { ...identity, proofs: identity.proofs.slice(1) } }, text);
    add({ identity: { ...identity, proofs: expired(identity.proofs) } }, text);
    add({ identity: { ...identity, proofs: identity.proofs.map((p) => ({ ...p, proofTypeId: 'other' })) } }, text);
  }
  const missing = (name: string) => `Following Supporting Document(s) required (${name})`;
  if (wanted.permanentDocument) {
    add({ identity: { ...identity, documents: new Set(['other']) } }, missing(wanted.permanentDocument.name));
  }
  if (wanted.onetimeDocument) add({ papers: { ...papers, onetimeFiles: 0 } }, missing(wanted.onetimeDocument.name));
  else add({ papers: { ...papers, onetimeFiles: 1 } }, 'one-time document is not needed');
  if (rule.serviceDescriptionRequired) {
    add({ papers: { ...papers, serviceDescription: null } }, 'service description is required');
  } else add({ papers: { ...papers, serviceDescription: 'words' } }, 'service description is not needed');

  const { areaLevel } = rule.address;
  if (areaLevel !== 'world_wide') {
    add({ address: { ...address, countryId: 'elsewhere' } }, `Address in ${rule.country.name} required`);
  }
  const elsewhere = { ...address, cityId: null, cityName: 'Malmö' };
  if (areaLevel === 'city') {
    add({ address: { ...elsewhere, areaId: 'area', regionId: 'region' } }, 'Address in Örebro required');
  }
  if (areaLevel === 'area') add({ address: { ...elsewhere, regionId: 'other' } }, 'Address in Area required');
  if (rule.address.regionNeeded) {
    add({ address: { ...address, regionId: null } }, 'State/Province/Region is required for Address');
  }
  if (rule.address.proofQty > 0) {
    const text = `${rule.address.proofQty} Address Proof(s) (${names(rule.address.proofTypes)}) required`;
    add({ address: { ...address, proofs: [] } }, text);
    add({ address: { ...address, proofs: expired(address.proofs) } }, text);
  }
  const other = kind === 'personal' ? 'business' : 'personal';
  if (!rule.identities[other]) {
    const refused = { ...good, identity: { ...identity, kind: other } as const, papers: null };
    cases.push([refused, `${of} Identity required`]);
  }
  return cases;
}

function empty(kind: IdentityType): Submission {
  return {
    identity: { kind, countryId: null, birthCountryId: null, filled: new Set(), proofs: [], documents: new Set() },
    address: { countryId: 'elsewhere', cityId: null, cityName: 'x', areaId: null, regionId: null, proofs: [] },
    places: [place],
    papers: { onetimeFiles: 0, serviceDescription: null },
    now: now,
  };
}

describe('places', () => {
  const rule: Rule = {
    country: { id: 'se', name: 'Sweden' },
    identities: { personal: null, business: null },
    address: { areaLevel: 'area', regionNeeded: false, proofQty: 0, proofTypes: [] },
    serviceDescriptionRequired: false,
  };
  const judge = (level: 'area' | 'city', address: Partial<NumberPlace>, places: NumberPlace[]) =>
    evaluate(
      { ...rule, address: { ...rule.address, areaLevel: level } },
      {
        identity: null,
        address: {
          countryId: 'se',
          cityName: 'Kumla',
          cityId: null,
          areaId: null,
          regionId: null,
          proofs: [],
          ...address,
        },
        places,
        papers: null,
        now: now,
      },
    );

  test.each([
    ['area', { areaId: 'area' }, []],
    ['area', { regionId: 'region' }, []],
    ['area', { cityName: 'ÖREBRO ' }, []],
    ['area', {}, ['Address in Area required']],
    ['city', { areaId: 'area', regionId: 'region' }, ['Address in Örebro required']],
    ['city', { cityId: 'city' }, []],
  ] as const)('at level %s, %o', (level, address, expected) => {
    expect(judge(level, address, [place])).toEqual(expected);
  });

  test('numbers that belong to no place ask for none, and each missed place is named once', () => {
    const nationwide = { ...place, cityId: null, cityName: 'National' };
    const malmö = { ...place, cityId: 'm', cityName: 'Malmö' };
    expect(judge('city', {}, [nationwide])).toEqual([]);
    expect(judge('city', {}, [place, place, malmö])).toEqual([
      'Address in Örebro required',
      'Address in Malmö required',
    ]);
  });

  test('a dry run without numbers judges the country only', () => {
    expect(judge('city', {}, [])).toEqual([]);
  });
});
