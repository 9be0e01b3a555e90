/** Limits, features and terms of a customer. Only what was changed is sent. */
import { Alert, Button, Checkbox, Group, NumberInput, Paper, SimpleGrid, Stack, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { fieldErrors, useSession, useWrite } from '../api/queries.ts';
import { showWords } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import type { Account } from './documents.ts';
import { mayDo } from './permissions.ts';

/** The members of `now` that differ from `before`. */
function changed<T>(before: Readonly<Record<string, T>>, now: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => before[name] !== value));
}

export function AccountSettings({ account: { id, attributes } }: { account: Account }) {
  const { data: session } = useSession();
  const [limits, setLimits] = useState(attributes.limits);
  const [features, setFeatures] = useState(attributes.features);
  const [terms, setTerms] = useState({ credit: attributes.credit, vat_rate: attributes.vat_rate });
  const [readOnly, setReadOnly] = useState(attributes.read_only);
  const write = useWrite();
  const errors = fieldErrors(write.error);
  const disabled = !mayDo(session, 'change accounts') || attributes.closed;
  const isMoney = mayDo(session, 'move money');
  const sent = {
    ...(Object.keys(changed(attributes.limits, limits)).length > 0
      ? { limits: changed(attributes.limits, limits) }
      : {}),
    ...(Object.keys(changed(attributes.features, features)).length > 0
      ? { features: changed(attributes.features, features) }
      : {}),
    ...changed({ credit: attributes.credit, vat_rate: attributes.vat_rate }, terms),
    ...(readOnly === attributes.read_only ? {} : { read_only: readOnly }),
  };
  return (
    <Paper withBorder p="md" component="section" aria-label="Settings">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          write.mutate({
            method: 'PATCH',
            path: `/operator/v1/accounts/${id}`,
            body: { data: { type: 'accounts', id, attributes: sent } },
          });
        }}
      >
        <Stack>
          <Title order={2} size="h5">
            Limits and features
          </Title>
          <FormError text={errors['']} />
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
            {Object.entries(limits).map(([name, value]) => (
              <NumberInput
                key={name}
                label={showWords(name)}
                min={0}
                allowDecimal={false}
                disabled={disabled}
                value={value}
                error={errors[name]}
                onChange={(next) => setLimits((before) => ({ ...before, [name]: Number(next) }))}
              />
            ))}
            {(['credit', 'vat_rate'] as const).map((name) => (
              <TextInput
                key={name}
                label={name === 'credit' ? 'Credit' : 'VAT in percent'}
                inputMode="decimal"
                disabled={disabled || !isMoney}
                value={terms[name]}
                error={errors[name]}
                onChange={({ currentTarget: { value } }) => setTerms((before) => ({ ...before, [name]: value }))}
              />
            ))}
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} verticalSpacing="xs">
            {Object.entries(features).map(([name, value]) => (
              <Checkbox
                key={name}
                label={showWords(name)}
                disabled={disabled}
                checked={value}
                onChange={({ currentTarget: { checked } }) => setFeatures((before) => ({ ...before, [name]: checked }))}
              />
            ))}
            <Checkbox
              label="Read-only: may not order"
              disabled={disabled}
              checked={readOnly}
              onChange={({ currentTarget }) => setReadOnly(currentTarget.checked)}
            />
          </SimpleGrid>
          {write.isSuccess && (
            <Alert color="teal" variant="light" role="status">
              Saved.
            </Alert>
          )}
          <Group>
            <Button type="submit" disabled={disabled || Object.keys(sent).length === 0} loading={write.isPending}>
              Save settings
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
