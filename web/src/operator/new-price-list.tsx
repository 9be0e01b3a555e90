/** Imports a price list or rate deck from CSV as a dry run; the page of the list then shows every difference. */

import { Alert, Button, FileInput, Group, List, Select, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAct } from '../api/acts.ts';
import { addressOf } from '../api/base.ts';
import type { One } from '../api/documents.ts';
import { problemTexts } from '../api/problems.ts';
import { useRead } from '../api/queries.ts';
import { type BodyOf, pathWith, withQuery } from '../api/routes.ts';
import type { Send } from '../api/writer.ts';
import { peerSource } from '../parts/choices.ts';
import { FormDialog, ReasonInput } from '../parts/form-dialog.tsx';
import { useListSearch } from '../parts/list-search.ts';
import { RecordSelect } from '../parts/picker.tsx';
import { choices } from './filters.ts';
import type { PriceList } from './price-list-state.tsx';
import { priceKindWords } from './words.ts';

/** Rates of calls can be for one customer. */
const forOneCustomer = ['termination', 'pstn_forwarding', 'toll_free', 'cnam_lookup'] as const;

type PriceKind = (typeof priceKindWords)[number];

interface Scope {
  kind: PriceKind;
  carrierId: string | null;
  accountId: string | undefined;
}

async function handIn(send: Send, scope: Scope, file: File, reason: string): Promise<One<PriceList>> {
  const { kind, carrierId, accountId } = scope;
  const attributes = { kind, csv: await file.text(), dry_run: true, ...(reason === '' ? {} : { reason }) };
  const relationships: BodyOf<'POST /operator/v1/price_lists'>['data']['relationships'] = {
    ...(carrierId === null ? {} : { carrier: { data: { type: 'carriers', id: carrierId } } }),
    ...(accountId === undefined ? {} : { account: { data: { type: 'accounts', id: accountId } } }),
  };
  const body: BodyOf<'POST /operator/v1/price_lists'> = { data: { type: 'price_lists', attributes, relationships } };
  return send('POST', pathWith('/operator/v1/price_lists'), body);
}

/** On the list of one customer's price lists it imports rates for that customer. */
export function NewPriceList() {
  const navigate = useNavigate();
  const [search] = useListSearch();
  const accountId = search['account.id'] === undefined ? undefined : String(search['account.id']);
  const account = useRead(
    accountId === undefined ? null : pathWith('/operator/v1/accounts', { 'filter[id]': accountId }),
  );
  const dialog = useDisclosure(false);
  const [chosen, setKind] = useState<PriceKind>('numbers');
  const [carrier, setCarrier] = useState<string | null>(null);
  const [file, setFile] = useState<File | null>(null);
  const [reason, setReason] = useState('');
  const kinds: readonly PriceKind[] = accountId === undefined ? priceKindWords : forOneCustomer;
  const kind = kinds.includes(chosen) ? chosen : (kinds[0] ?? 'numbers');
  const carrierId = kind === 'carrier' ? carrier : null;
  const hand = useAct(
    (send, given: File) => handIn(send, { kind, carrierId, accountId }, given, reason.trim()),
    ({ data }) => navigate({ to: '/operator/prices/$id', params: { id: data.id } }),
  );
  const problems = problemTexts(hand.error);
  const today = { kind, account: accountId, carrier: carrierId };
  return (
    <FormDialog
      dialog={dialog}
      label="Import a list"
      title="Import a price list"
      size="lg"
      submit={{
        label: 'Show the differences',
        isBusy: hand.isPending,
        isDisabled: file === null || (kind === 'carrier' && carrier === null),
      }}
      onSubmit={() => {
        if (file !== null) hand.mutate(file);
      }}
    >
      {accountId !== undefined && (
        <Text size="sm">{`Rates for ${account.data?.data[0]?.attributes.name ?? 'this customer'} alone.`}</Text>
      )}
      {problems.length > 0 && (
        <Alert color="red" variant="light" role="alert" title="The file cannot be taken">
          <List size="sm" aria-label="Invalid lines">
            {problems.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Group align="flex-end">
        <Select
          label="Prices of"
          flex={1}
          data={choices(kinds)}
          value={kind}
          allowDeselect={false}
          onChange={(value) => setKind(kinds.find((each) => each === value) ?? 'numbers')}
        />
        {kind === 'carrier' && <CarrierSelect value={carrier} onChange={setCarrier} />}
        <Button
          component="a"
          variant="default"
          href={addressOf(withQuery('/operator/v1/prices.csv', today))}
          download
          {...(kind === 'carrier' && carrier === null ? { 'data-disabled': true } : {})}
        >
          Prices of today
        </Button>
      </Group>
      <FileInput
        label="CSV file"
        description="With a header row, in the format of the current price list"
        placeholder="Choose a file"
        accept=".csv"
        value={file}
        onChange={setFile}
      />
      <ReasonInput value={reason} onChange={setReason} />
    </FormDialog>
  );
}

const carrierSource = peerSource('carriers');

function CarrierSelect({ value, onChange }: { value: string | null; onChange: (id: string | null) => void }) {
  return (
    <RecordSelect
      label="Carrier"
      flex={1}
      placeholder="Whose rates"
      source={carrierSource}
      value={value}
      onChange={onChange}
    />
  );
}
