/**
 * Who uses the numbers and where: one that exists already or a new one, in a form that stays open until nothing is
 * missing in it.
 */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { type One, related } from '../api/documents.ts';
import { Waiting } from '../parts/page.tsx';
import { RecordSelect, type Source } from '../parts/picker.tsx';
import { RecordForm } from '../parts/record-form.tsx';
import {
  type Address,
  addressesOf,
  addressValues,
  type Identity,
  identityLinks,
  identitySource,
  identityValues,
  nameOf,
  type Requirement,
  useAddressFields,
  useIdentityFields,
} from './paperwork.ts';
import { Missing, type RegistrationCheck } from './registration-check.tsx';

interface StepProps<R> {
  requirement: One<Requirement>;
  chosen: One<R> | undefined;
  /** Undefined while that is not known. */
  missing: RegistrationCheck['problems'] | undefined;
  choose: (id: string | undefined) => void;
  onSaved: (id: string) => unknown;
  next: () => void;
}

export function IdentityStep({ requirement, chosen, missing, choose, onSaved, next }: StepProps<Identity>) {
  const { identity_type: accepted } = requirement.data.attributes;
  const needs = {
    kinds: accepted === 'any' ? (['personal', 'business'] as const) : [accepted],
    personal: requirement.data.attributes.personal_mandatory_fields ?? [],
    business: requirement.data.attributes.business_mandatory_fields ?? [],
  };
  const fields = useIdentityFields(chosen === undefined, needs);
  const initial = chosen ? identityValues(chosen.data) : { identity_type: needs.kinds[0] ?? 'personal' };
  return (
    <Choose
      title="Who uses the numbers"
      noun="identity"
      source={identitySource}
      chosen={chosen && { id: chosen.data.id, name: nameOf(chosen.data) }}
      {...{ missing, choose, next }}
    >
      <RecordForm
        key={chosen?.data.id ?? 'new'}
        type="identities"
        route="/v3/identities"
        id={chosen?.data.id ?? null}
        fields={fields}
        initial={initial}
        links={identityLinks}
        submit="Save identity"
        onSaved={({ id }) => onSaved(id)}
      />
    </Choose>
  );
}

interface AddressStepProps extends StepProps<Address> {
  identityId: string;
}

export function AddressStep(props: AddressStepProps) {
  const { requirement, identityId, chosen, missing, choose, onSaved, next } = props;
  const isAnywhere = requirement.data.attributes.address_area_level === 'world_wide';
  const country = related(requirement, requirement.data, 'country')?.id ?? null;
  return (
    <Choose
      title="Where they are used"
      noun="address"
      source={addressesOf(identityId)}
      chosen={chosen && { id: chosen.data.id, name: chosen.data.attributes.address }}
      {...{ missing, choose, next }}
    >
      <AddressForm
        key={chosen?.data.id ?? 'new'}
        identityId={identityId}
        {...(chosen ? { address: chosen.data } : {})}
        {...(isAnywhere ? {} : { country })}
        onSaved={onSaved}
      />
    </Choose>
  );
}

interface AddressFormProps {
  identityId: string;
  /** The one that is changed; its country and its identity stay. */
  address?: Address;
  /** The one in which a new address has to be. */
  country?: string | null;
  onSaved: (id: string) => unknown;
}

export function AddressForm({ identityId, address, country = null, onSaved }: AddressFormProps) {
  const fields = useAddressFields(address === undefined, country);
  return (
    <RecordForm
      type="addresses"
      route="/v3/addresses"
      id={address?.id ?? null}
      fields={fields}
      initial={address ? addressValues(address) : { country }}
      links={{ country: 'countries' }}
      relationships={address ? {} : { identity: { data: { type: 'identities', id: identityId } } }}
      submit="Save address"
      onSaved={({ id }) => onSaved(id)}
    />
  );
}

interface ChooseProps extends Pick<StepProps<unknown>, 'missing' | 'choose' | 'next'> {
  title: string;
  noun: 'identity' | 'address';
  source: Source;
  chosen: { id: string; name: string } | undefined;
  children: ReactNode;
}

function Choose({ title, noun, source, chosen, missing, choose, next, children }: ChooseProps) {
  return (
    <Stack maw={720}>
      <Paper withBorder p="md">
        <Stack>
          <Group align="flex-end">
            <RecordSelect
              label={title}
              placeholder={`An ${noun} that exists`}
              flex="1 1 220px"
              clearable
              source={source}
              value={chosen?.id ?? null}
              onChange={(id) => choose(id ?? undefined)}
            />
            <Button disabled={chosen === undefined || missing?.length !== 0} onClick={next}>
              Go on
            </Button>
          </Group>
          {chosen && missing && <Missing problems={missing} />}
          {chosen && missing?.length === 0 && (
            <Text size="sm" role="status">
              Nothing is missing here.
            </Text>
          )}
          {chosen && missing === undefined && <Waiting />}
        </Stack>
      </Paper>
      <Paper withBorder p="md">
        <Title order={2} size="h5" mb="sm">
          {chosen ? chosen.name : `A new ${noun}`}
        </Title>
        {children}
      </Paper>
    </Stack>
  );
}
