/** Limits, features and terms of a customer. Only what was changed is sent. */

import {
  Alert,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
  Title,
} from '@mantine/core';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { fieldErrors } from '../api/problems.ts';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { showWords } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import type { Account } from './documents.ts';
import { mayDo, type OperatorAct } from './permissions.ts';
import { apiVersions } from './words.ts';

/** The members of `now` that differ from `before`. */
function changed<T>(before: Readonly<Record<string, T>>, now: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => before[name] !== value));
}

const termsOf = (attributes: Account['attributes']) => ({
  name: attributes.name,
  email: attributes.email ?? '',
  credit: attributes.credit,
  vat_rate: attributes.vat_rate,
  low_balance_threshold: attributes.low_balance_threshold ?? '',
  low_balance_callback_url: attributes.low_balance_callback_url ?? '',
  api_version: attributes.api_version,
});

type Limits = Readonly<Record<string, number | null>>;
type Features = Readonly<Record<string, boolean>>;

interface TermField {
  name: Exclude<keyof ReturnType<typeof termsOf>, 'api_version'>;
  label: string;
  about: string;
  needs?: OperatorAct;
  inputMode: 'text' | 'email' | 'url' | 'decimal';
}

const termFields: readonly TermField[] = [
  { name: 'name', label: 'Name', about: 'Used once', needs: 'suspend accounts', inputMode: 'text' },
  {
    name: 'email',
    label: 'E-mail address',
    about: 'Signs in; a former one is told',
    needs: 'suspend accounts',
    inputMode: 'email',
  },
  { name: 'credit', label: 'Credit', about: 'Below zero, at most', needs: 'move money', inputMode: 'decimal' },
  { name: 'vat_rate', label: 'VAT in percent', about: 'Added to prices', needs: 'move money', inputMode: 'decimal' },
  {
    name: 'low_balance_threshold',
    label: 'Low balance',
    about: 'E-mail below it; empty: never',
    inputMode: 'decimal',
  },
  {
    name: 'low_balance_callback_url',
    label: 'Callback of a low balance',
    about: 'Gets a signed callback then',
    inputMode: 'url',
  },
];

export function AccountSettings({ account: { id, attributes } }: { account: Account }) {
  const { data: session } = useSession();
  const stored: { limits: Limits; features: Features } = attributes;
  const [limits, setLimits] = useState<Limits>(stored.limits);
  const [features, setFeatures] = useState<Features>(stored.features);
  const storedTerms = termsOf(attributes);
  const [terms, setTerms] = useState(storedTerms);
  const [readOnly, setReadOnly] = useState(attributes.read_only);
  const write = useWrite<'PATCH /operator/v1/accounts/{id}'>();
  const errors = fieldErrors(write.error);
  const disabled = !mayDo(session, 'change accounts') || attributes.closed;
  const sent = {
    ...(Object.keys(changed(stored.limits, limits)).length > 0 ? { limits: changed(stored.limits, limits) } : {}),
    ...(Object.keys(changed(stored.features, features)).length > 0
      ? { features: changed(stored.features, features) }
      : {}),
    ...Object.fromEntries(Object.entries(changed(storedTerms, terms)).map(([name, value]) => [name, value || null])),
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
            path: pathWith('/operator/v1/accounts/{id}', { id }),
            body: { data: { type: 'accounts', id, attributes: sent } },
          });
        }}
      >
        <Stack>
          <Title order={2} size="h5">
            Name, limits and features
          </Title>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} style={{ alignItems: 'end' }}>
            {Object.entries(limits).map(([name, value]) => (
              <NumberInput
                key={name}
                label={showWords(name)}
                min={0}
                allowDecimal={false}
                disabled={disabled}
                value={value ?? ''}
                {...(stored.limits[name] === null ? { placeholder: 'As the sandbox' } : {})}
                error={errors[name]}
                onChange={(next) =>
                  setLimits((before) => ({
                    ...before,
                    [name]: next === '' ? (stored.limits[name] ?? null) : Number(next),
                  }))
                }
              />
            ))}
            {termFields.map(({ name, label, about, needs, inputMode }) => (
              <TextInput
                key={name}
                label={label}
                description={about}
                inputMode={inputMode}
                disabled={disabled || (needs !== undefined && !mayDo(session, needs))}
                value={terms[name]}
                error={errors[name]}
                onChange={({ currentTarget: { value } }) => setTerms((before) => ({ ...before, [name]: value }))}
              />
            ))}
            <Select
              label="API version"
              description="Without a version header"
              disabled={disabled}
              allowDeselect={false}
              data={apiVersions}
              value={terms.api_version}
              error={errors.api_version}
              onChange={(value) =>
                setTerms((before) => ({
                  ...before,
                  api_version: apiVersions.find((version) => version === value) ?? before.api_version,
                }))
              }
            />
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
          <FormError text={errors['']} />
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
