/** API keys: a new one is shown once; a revoked one stays in the list. */

import { Badge, Button, Group, MultiSelect, Paper, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import type { ApiKey } from '../api/documents.ts';
import { fieldErrors } from '../api/problems.ts';
import { pathWith } from '../api/routes.ts';
import { useServerNow } from '../parts/clock.ts';
import { column } from '../parts/columns.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showTime } from '../parts/format.ts';
import type { ListColumn } from '../parts/list-rows.tsx';
import { MarkedName } from '../parts/made-by-operator.tsx';
import { Empty, FormError, Page } from '../parts/page.tsx';
import { ResourceList } from '../parts/resource-list.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';

const columns: readonly ListColumn<ApiKey>[] = [
  column('name', 'Name', ({ attributes }) => attributes.name, {
    sort: 'name',
    cell: ({ attributes }) => <MarkedName name={attributes.name} isOperators={attributes.made_by_operator} />,
  }),
  column('prefix', 'Begins with', ({ attributes }) => attributes.prefix, {
    secondary: true,
    cell: ({ attributes }) => <code>{attributes.prefix}…</code>,
  }),
  column('addresses', 'Allowed from', ({ attributes }) => attributes.allowed_ips.join(' '), {
    secondary: true,
    cell: ({ attributes }) => attributes.allowed_ips.join(', ') || 'everywhere',
  }),
  column('scopes', 'May use', ({ attributes }) => attributes.scopes?.join(' ') ?? 'everything', {
    secondary: true,
    cell: ({ attributes }) => attributes.scopes?.map(scopeWords).join(', ') ?? 'everything',
  }),
  column('used', 'Last used', ({ attributes }) => attributes.last_used_at ?? '', {
    sort: 'last_used_at',
    cell: ({ attributes }) => (attributes.last_used_at === null ? 'never' : showTime(attributes.last_used_at)),
  }),
  column('created', 'Created', ({ attributes }) => attributes.created_at, {
    sort: 'created_at',
    optional: true,
    cell: ({ attributes }) => showTime(attributes.created_at),
  }),
  column('state', 'State', ({ attributes }) => (attributes.revoked_at === null ? 'active' : 'revoked'), {
    cell: (key) => <KeyState apiKey={key} />,
  }),
];

export function Keys() {
  return (
    <Page title="API keys" about="Programs use the interfaces of your account with a key. Give each program its own.">
      <NewKey />
      <ResourceList
        name="api keys"
        path={pathWith('/panel/v1/api_keys')}
        columns={columns}
        defaultSort="-created_at"
        search={{ label: 'Part of the name', parameters: (text) => ({ 'filter[name]': text }) }}
        filters={[
          {
            name: 'state',
            label: 'State',
            options: [
              { value: 'active', label: 'Active' },
              { value: 'revoked', label: 'Revoked' },
            ],
          },
        ]}
        empty={<Empty title="No keys yet">Create one above; the first request takes a minute from there.</Empty>}
      />
    </Page>
  );
}

function NewKey() {
  const [name, setName] = useState('');
  const [addresses, setAddresses] = useState<string[]>([]);
  const [scopes, setScopes] = useState<Scope[]>([]);
  const create = useWrite<'POST /panel/v1/api_keys'>(() => {
    setName('');
    setAddresses([]);
    setScopes([]);
  });
  const errors = fieldErrors(create.error);
  const made = create.data?.data.attributes;
  return (
    <Paper withBorder p="md" component="section" aria-label="New key">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const attributes = { name, allowed_ips: addresses, scopes: scopes.length === 0 ? null : scopes };
          create.mutate({
            method: 'POST',
            path: pathWith('/panel/v1/api_keys'),
            body: { data: { type: 'api_keys', attributes } },
          });
        }}
      >
        <Group align="flex-start">
          <TextInput
            label="Name of the new key"
            description="What it is for"
            w={{ base: '100%', xs: 240 }}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={errors.name}
          />
          <TagsInput
            label="Allowed addresses"
            description="IP addresses or networks; none allows every address"
            w={{ base: '100%', xs: 360 }}
            value={addresses}
            onChange={setAddresses}
            acceptValueOnBlur
            error={errors.allowed_ips}
          />
          <MultiSelect
            label="May use"
            description="None chosen allows everything"
            w={{ base: '100%', xs: 360 }}
            data={scopeChoices}
            value={scopes}
            onChange={setScopes}
            error={errors.scopes}
          />
          <Button type="submit" mt={{ base: 0, xs: 44 }} loading={create.isPending}>
            Create key
          </Button>
        </Group>
        <FormError text={errors['']} />
      </form>
      {made?.key && <ShownOnce title={`The key “${made.name}”`} lines={[{ label: 'Key', value: made.key }]} />}
    </Paper>
  );
}

type Scope = NonNullable<ApiKey['attributes']['scopes']>[number];
type Area = Exclude<Scope, `${string}:read`> | 'secrets';

const areas: Readonly<Record<Area, string>> = {
  coverage: 'Coverage',
  numbers: 'Numbers',
  orders: 'Orders',
  voice: 'Voice',
  regulation: 'Regulation',
  account: 'Account',
  sandbox: 'Sandbox',
  secrets: 'Passwords of trunks',
};

const scopeWords = (scope: Scope): string => scopeChoices.find(({ value }) => value === scope)?.label ?? scope;

const areaNames = ['coverage', 'numbers', 'orders', 'voice', 'regulation', 'account', 'sandbox'] as const;
const scopeChoices: { value: Scope; label: string }[] = [
  ...areaNames.flatMap((area) => [
    { value: area, label: areas[area] },
    { value: `${area}:read` as const, label: `${areas[area]}, reading` },
  ]),
  // Passwords are only read.
  { value: 'secrets:read', label: areas.secrets },
];

/** How long a replaced key works beside the new one. */
const overlapHours = 24;

function KeyState({ apiKey: { id, attributes } }: { apiKey: ApiKey }) {
  const now = useServerNow();
  const [made, setMade] = useState<ApiKey['attributes'] | null>(null);
  const hasEnded = attributes.expires_at !== null && Date.parse(attributes.expires_at) <= now;
  if (attributes.revoked_at !== null || hasEnded) {
    return (
      <Badge variant="light" color="gray">
        {hasEnded ? 'ended' : 'revoked'}
      </Badge>
    );
  }
  const { name, allowed_ips, rate_limit, scopes } = attributes;
  return (
    <>
      <Group gap={4} wrap="nowrap">
        {attributes.expires_at === null ? (
          <ConfirmButton
            label="Replace"
            color="teal"
            about={`Replace ${name}`}
            question={`A new key with the same settings is made. The old one works for another ${overlapHours} hours, so that programs can change over.`}
            act={(send) =>
              send('POST', pathWith('/panel/v1/api_keys'), {
                data: {
                  type: 'api_keys',
                  attributes: { name, allowed_ips, rate_limit, scopes, replaces: id, overlap_hours: overlapHours },
                },
              })
            }
            onDone={({ data }) => setMade(data.attributes)}
          />
        ) : (
          <Text size="sm">until {showTime(attributes.expires_at)}</Text>
        )}
        <ConfirmButton
          label="Revoke"
          about={`Revoke ${name}`}
          question="Programs that use this key are refused from that moment on. It cannot be taken back."
          act={(send) => send('DELETE', pathWith('/panel/v1/api_keys/{id}', { id }))}
        />
      </Group>
      {made?.key && <ShownOnce title={`The key “${made.name}”`} lines={[{ label: 'Key', value: made.key }]} />}
    </>
  );
}
