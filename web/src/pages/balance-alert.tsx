/** Below which balance the team is told: a part of the notifications page. */

import { Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import type { Field } from '../parts/fields.tsx';
import { showAmount, showMoney } from '../parts/format.ts';
import { RecordForm } from '../parts/record-form.tsx';

const fields: readonly Field[] = [
  {
    name: 'low_balance_threshold',
    label: 'Tell us below',
    about: 'An amount such as 50.00. Leave empty for no alert.',
  },
  {
    name: 'low_balance_callback_url',
    label: 'Callback URL',
    about: 'Optional. Gets a callback as well, signed with the callback secret.',
  },
];

export function BalanceAlert() {
  const { data: session } = useSession();
  const id = session?.account?.id ?? '';
  const read = useRead(id === '' ? null : pathWith('/panel/v1/account_settings/{id}', { id }));
  const [saved, setSaved] = useState<string | null>(null);
  const attributes = read.data?.data.attributes;
  return (
    <Paper withBorder p="md" component="section" aria-label="Low balance">
      <Stack>
        <Title order={2} size="h5">
          Low balance
        </Title>
        <Text size="sm" c="dimmed">
          When the balance falls below an amount of your choice it is said here, and by e-mail to the owners and to
          those who look after billing: once, each time it falls below.
        </Text>
        {attributes !== undefined && (
          <RecordForm
            type="account_settings"
            route="/panel/v1/account_settings"
            id={id}
            fields={fields}
            initial={{
              low_balance_threshold: attributes.low_balance_threshold && showAmount(attributes.low_balance_threshold),
              low_balance_callback_url: attributes.low_balance_callback_url,
            }}
            write={({ low_balance_threshold: threshold, ...rest }) => ({
              ...rest,
              // As it is shown: with commas between thousands.
              low_balance_threshold: typeof threshold === 'string' ? threshold.replaceAll(',', '') : threshold,
            })}
            submit="Save threshold"
            onSaved={({ attributes: { low_balance_threshold: now } }) => setSaved(now ?? '')}
          >
            {saved !== null && (
              <Text size="sm" c="teal" role="status">
                {saved === '' ? 'Saved: nobody is told.' : `Saved: you are told below ${showMoney(saved)}.`}
              </Text>
            )}
          </RecordForm>
        )}
      </Stack>
    </Paper>
  );
}
