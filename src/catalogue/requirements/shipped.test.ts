import { expect, test } from 'vitest';
import { demoCatalogue } from '../demo.ts';
import { shippedCountries, shippedDocuments, shippedProofTypes } from './shipped.ts';

test('every demo group that needs registration has a requirement, and every one that offers emergency calling a price', () => {
  const { rows } = demoCatalogue();
  const iso = new Map(rows.countries.map((country) => [country.id, country.iso]));
  const types = new Map(rows.did_group_types.map((type) => [type.id, type.name]));
  const covered = (list: 'address' | 'emergency') =>
    new Set(
      shippedCountries().flatMap((c) => c[list].flatMap((rule) => rule.types.map((type) => `${c.country} ${type}`))),
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

test('rules name only documents and proof types that exist, of the right kind', () => {
  const documents = new Map(shippedDocuments().map(({ name, permanent }) => [name, permanent]));
  const proofs = new Set(shippedProofTypes().map(({ entity_type, name }) => `${entity_type} ${name}`));
  for (const { address } of shippedCountries()) {
    for (const rule of address) {
      for (const [kind, identity] of [
        ['Personal', rule.personal],
        ['Business', rule.business],
      ] as const) {
        for (const name of identity?.proof_types ?? []) expect(proofs).toContain(`${kind} ${name}`);
        if (identity?.permanent_document) expect(documents.get(identity.permanent_document)).toBe(true);
        if (identity?.onetime_document) expect(documents.get(identity.onetime_document)).toBe(false);
      }
      for (const name of rule.address.proof_types) expect(proofs).toContain(`Address ${name}`);
    }
  }
});
