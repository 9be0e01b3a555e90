/** Money and state of a customer: adjust the balance, suspend, resume, close. */

import { Button, Checkbox, Group, Modal, Paper, SegmentedControl, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useWrite } from '../api/acts.ts';
import { addressOf } from '../api/base.ts';
import { fieldErrors } from '../api/problems.ts';
import { useSession } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { showMoney } from '../parts/format.ts';
import { FormError } from '../parts/page.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import type { Account } from './documents.ts';
import { mayDo } from './permissions.ts';

export function AccountActions({ account }: { account: Account }) {
  const { data: session } = useSession();
  const { attributes } = account;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-end">
        <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="xl">
          <Figure label="Balance" value={showMoney(attributes.balance)} />
          <Figure label="Credit" value={showMoney(attributes.credit)} />
          <Figure label="VAT" value={`${attributes.vat_rate} %`} />
        </SimpleGrid>
        {!attributes.closed && (
          <Group gap="xs">
            {mayDo(session, 'move money') && <Adjust account={account} />}
            {mayDo(session, 'suspend accounts') && attributes.email !== null && <PasswordLink account={account} />}
            {mayDo(session, 'suspend accounts') &&
              (attributes.suspended ? <Resume account={account} /> : <Suspend account={account} />)}
            {mayDo(session, 'suspend accounts') && <Close account={account} />}
          </Group>
        )}
      </Group>
    </Paper>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="lg" fw={700}>
        {value}
      </Text>
    </div>
  );
}

function useAccountChange(account: Account, onDone: () => void) {
  const write = useWrite<'PATCH /operator/v1/accounts/{id}'>(onDone);
  return {
    write,
    send: (attributes: object) =>
      write.mutate({
        method: 'PATCH',
        path: pathWith('/operator/v1/accounts/{id}', { id: account.id }),
        body: { data: { type: 'accounts', id: account.id, attributes } },
      }),
  };
}

function Suspend({ account }: { account: Account }) {
  const dialog = useDisclosure(false);
  const [reason, setReason] = useState('');
  const [endCalls, setEndCalls] = useState(true);
  const [holdRenewals, setHoldRenewals] = useState(false);
  const { write, send } = useAccountChange(account, dialog[1].close);
  return (
    <FormDialog
      dialog={dialog}
      label="Suspend"
      look={{ color: 'red', variant: 'light' }}
      title={`Suspend ${account.attributes.name}`}
      error={fieldErrors(write.error)['']}
      submit={{ label: 'Suspend account', color: 'red', isBusy: write.isPending, isDisabled: reason.trim() === '' }}
      onSubmit={() => {
        send({ suspended: true, reason, end_calls: endCalls, hold_renewals: holdRenewals });
      }}
    >
      <Text size="sm">
        Requests, codes and calls in both directions are refused. Calls to emergency numbers are still placed.
      </Text>
      <ReasonInput
        isAlone
        value={reason}
        onChange={setReason}
        description="The customer sees it with every refused request"
      />
      <Checkbox
        label="End the calls that are up"
        checked={endCalls}
        onChange={({ currentTarget }) => setEndCalls(currentTarget.checked)}
      />
      <Checkbox
        label="Hold renewals until the account is resumed"
        checked={holdRenewals}
        onChange={({ currentTarget }) => setHoldRenewals(currentTarget.checked)}
      />
    </FormDialog>
  );
}

function Resume({ account }: { account: Account }) {
  const { write, send } = useAccountChange(account, () => undefined);
  return (
    <>
      <Button loading={write.isPending} onClick={() => send({ suspended: false })}>
        Resume
      </Button>
      <FormError text={fieldErrors(write.error)['']} />
    </>
  );
}

function Close({ account }: { account: Account }) {
  const dialog = useDisclosure(false);
  const [reason, setReason] = useState('');
  const { write, send } = useAccountChange(account, dialog[1].close);
  return (
    <FormDialog
      dialog={dialog}
      label="Close"
      look={{ color: 'red', variant: 'subtle' }}
      title={`Close ${account.attributes.name} for good`}
      error={fieldErrors(write.error)['']}
      submit={{ label: 'Close account', color: 'red', isBusy: write.isPending, isDisabled: reason.trim() === '' }}
      onSubmit={() => {
        send({ closed: true, reason });
      }}
    >
      <Text size="sm">
        Keys are revoked, calls end, and numbers end with the period they are paid for. It cannot be taken back. A
        balance that is left ({showMoney(account.attributes.balance)}) is paid back by an adjustment.
      </Text>
      <ReasonInput isAlone value={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** For a customer who has forgotten the password. */
function PasswordLink({ account }: { account: Account }) {
  const make = useWrite<'POST /panel/v1/login/links'>();
  return (
    <>
      <Button
        variant="default"
        loading={make.isPending}
        onClick={() =>
          make.mutate({ method: 'POST', path: pathWith('/panel/v1/login/links'), body: { account_id: account.id } })
        }
      >
        Password link
      </Button>
      <Modal opened={make.data !== undefined} onClose={() => make.reset()} title="Password reset link" size="lg">
        {make.data && (
          <ShownOnce
            title={`Give it to ${account.attributes.email} in a safe way; it works once, for a day`}
            lines={[{ label: 'Link', value: window.location.origin + addressOf(make.data.path) }]}
          />
        )}
      </Modal>
      <FormError text={make.error?.message} />
    </>
  );
}

function Adjust({ account }: { account: Account }) {
  const dialog = useDisclosure(false);
  const [kind, setKind] = useState<'credit' | 'debit'>('credit');
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const write = useWrite<'POST /operator/v1/adjustments'>(() => {
    setAmount('');
    setReason('');
    dialog[1].close();
  });
  const errors = fieldErrors(write.error);
  return (
    <FormDialog
      dialog={dialog}
      label="Adjust balance"
      look={{ variant: 'default' }}
      title={`Adjust the balance of ${account.attributes.name}`}
      error={errors['']}
      submit={{ label: 'Book it', isBusy: write.isPending }}
      onSubmit={() => {
        write.mutate({
          method: 'POST',
          path: pathWith('/operator/v1/adjustments'),
          body: {
            data: {
              type: 'adjustments',
              attributes: { kind, amount, reason },
              relationships: { account: { data: { type: 'accounts', id: account.id } } },
            },
          },
        });
      }}
    >
      <SegmentedControl
        aria-label="Direction"
        value={kind}
        onChange={setKind}
        data={[
          { value: 'credit', label: 'Credit (adds)' },
          { value: 'debit', label: 'Debit (takes)' },
        ]}
      />
      <TextInput
        label="Amount"
        inputMode="decimal"
        data-autofocus
        value={amount}
        error={errors.amount}
        onChange={({ currentTarget }) => setAmount(currentTarget.value)}
      />
      <ReasonInput value={reason} onChange={setReason} error={errors.reason} description="Only operators see it" />
    </FormDialog>
  );
}
