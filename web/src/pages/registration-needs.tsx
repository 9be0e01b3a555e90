/** What a requirement asks for, in words. */
import { Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { type One, related, relatedMany } from '../api/documents.ts';
import { showWords } from '../parts/format.ts';
import type { Requirement } from './paperwork.ts';

const levels: Readonly<Record<string, string>> = {
  world_wide: 'any country',
  country: 'the same country',
  area: 'the area of the number',
  city: 'the city of the number',
};

type ProofTypes = 'personal_proof_types' | 'business_proof_types' | 'address_proof_types';
type Signed = `${'personal' | 'business'}_${'permanent' | 'onetime'}_document`;

export function Needs({ document, next }: { document: One<Requirement>; next: () => void }) {
  const { data: requirement } = document;
  const { attributes } = requirement;
  const country = related(document, requirement, 'country')?.attributes.name ?? '';
  const kind = related(document, requirement, 'did_group_type')?.attributes.name ?? '';
  const names = (relationship: ProofTypes) =>
    relatedMany(document, requirement, relationship)
      .map(({ attributes: proof }) => proof.name)
      .join(', ');
  const one = (relationship: Signed) => related(document, requirement, relationship)?.attributes.name;
  const needs = [
    `Identity: ${attributes.identity_type === 'any' ? 'a person or a company' : attributes.identity_type === 'personal' ? 'a person' : 'a company'}, from ${levels[attributes.personal_area_level ?? attributes.business_area_level ?? 'world_wide']}`,
    `Address: in ${levels[attributes.address_area_level] ?? attributes.address_area_level}`,
    ...fields('Of a person', attributes.personal_mandatory_fields),
    ...fields('Of a company', attributes.business_mandatory_fields),
    ...proofs('of a person', attributes.personal_proof_qty, names('personal_proof_types')),
    ...proofs('of a company', attributes.business_proof_qty, names('business_proof_types')),
    ...proofs('of the address', attributes.address_proof_qty, names('address_proof_types')),
    ...signed('Of a person', one('personal_permanent_document'), one('personal_onetime_document')),
    ...signed('Of a company', one('business_permanent_document'), one('business_onetime_document')),
    ...(attributes.service_description_required ? ['A sentence about what the numbers are used for'] : []),
  ];
  return (
    <Paper withBorder p="md" maw={720}>
      <Stack>
        <Title order={2} size="h5">
          {country}, {kind}
        </Title>
        {attributes.restriction_message && <Text size="sm">{attributes.restriction_message}</Text>}
        <List size="sm" spacing={4}>
          {needs.map((need) => (
            <List.Item key={need}>{need}</List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button onClick={next}>Begin</Button>
        </Group>
      </Stack>
    </Paper>
  );
}

const fields = (whose: string, names: string[] | null): string[] =>
  names && names.length > 0 ? [`${whose}: ${names.map(showWords).join(', ').toLowerCase()}`] : [];
const proofs = (whose: string, count: number, names: string): string[] =>
  count > 0 ? [`${count === 1 ? 'One document' : `${count} documents`} ${whose}: ${names}`] : [];
/** Forms that have to be signed: one that stays with the identity, one for each submission. */
const signed = (whose: string, permanent: string | undefined, onetime: string | undefined): string[] => [
  ...(permanent ? [`${whose}, signed once: ${permanent}`] : []),
  ...(onetime ? [`${whose}, signed for each submission: ${onetime}`] : []),
];
