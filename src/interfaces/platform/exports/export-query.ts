/** The statement that makes the file of an export: its columns, as the contract names them, and its rows. */
import pg from 'pg';
import type { ExportFilters, ExportType } from './export-window.ts';

/** The SELECT whose rows are the file; its column names are the header line, exactly as the contract has it. */
export function exportQuery(type: ExportType, accountId: string, filters: ExportFilters): string {
  const { columns, table, own } = sources[type];
  const literal = pg.escapeLiteral;
  const ownValue = type === 'cdr_in' ? filters.did_number : filters['voice_out_trunk.id'];
  const conditions = [
    `c.account_id = ${literal(accountId)}::uuid`,
    `c.time_start >= ${literal(`${filters.from}+00`)}::timestamptz`,
    `c.time_start < ${literal(`${filters.to}+00`)}::timestamptz`,
    ...(ownValue === undefined ? [] : [`${own} = ${literal(ownValue)}`]),
  ];
  const list = Object.entries(columns).map(([name, sql]) => `${sql} as ${pg.escapeIdentifier(name)}`);
  return `select ${list.join(', ')} from ${table} c where ${conditions.join(' and ')} order by c.time_start`;
}

const time = (column: string) => `date_trunc('second', c.${column} at time zone 'UTC')`;
/** A call that nobody answered has neither a connect nor an end in the file. */
const ifAnswered = (sql: string) => `case when c.time_connect is not null then ${sql} end`;
const money = (sql: string) => `round(${sql}, 3)`;

/**
 * Free text that a spreadsheet would run as a formula gets an apostrophe in front, which it shows as plain text.
 * Anybody who calls a number chooses the name in the file. Numbers stay as they are, with their plus.
 */
const plainText = (column: string) =>
  `case when c.${column} ~ '^[=+@\\t\\r-]' and c.${column} !~ '^[+]?[0-9]+$' then '''' || c.${column} else c.${column} end`;

const commonColumns = {
  'Date/Time Start (UTC)': time('time_start'),
  'Date/Time Connect (UTC)': time('time_connect'),
  'Date/Time End (UTC)': ifAnswered(time('time_end')),
  Status: `case when c.success then 'Completed' else 'Failed' end`,
};

const inboundColumns = {
  ...commonColumns,
  Source: plainText('src_number'),
  'Source Name': plainText('src_name'),
  'Destination DID': 'c.did_number',
  'Duration (sec)': 'c.duration',
  Attempt: 'c.attempt',
  'Disconnect Code': 'c.disconnect_code',
  Response: plainText('response'),
  'Disconnect Initiator': 'c.disconnect_initiator',
  'Voice IN Trunk': plainText('voice_in_trunk_name'),
  Destination: plainText('destination'),
  'Trunk Group': plainText('trunk_group_name'),
  'Capacity Group': plainText('capacity_group_name'),
  'Toll-free (USD)': money('c.toll_free_amount'),
  'PSTN (USD)': money('c.pstn_amount'),
  'Metered (USD)': money('c.metered_amount'),
  'CNAM IN (USD)': money('c.cnam_amount'),
  'Total (USD)': money('c.toll_free_amount + c.pstn_amount + c.metered_amount + c.cnam_amount'),
  'Call ID': 'c.leg_call_id',
};

const outboundColumns = {
  ...commonColumns,
  Source: plainText('original_src_number'),
  CLI: plainText('src_number'),
  'Destination Number': plainText('dst_number'),
  'Call Duration (sec)': 'c.duration',
  'Billing Duration (sec)': 'c.billing_duration',
  'Disconnect Code': 'c.disconnect_code',
  'Disconnect Reason': plainText('disconnect_reason'),
  'Voice OUT Trunk': plainText('voice_out_trunk_name'),
  'Destination Country': 'c.country',
  Network: 'c.network',
  'Call Type': 'c.call_type',
  'Rate (USD)': money('c.rate'),
  'Charged (USD)': money('c.price'),
  'P-Charge-Info': plainText('p_charge_info'),
  'Call ID': 'c.leg_call_id',
};

const sources = {
  cdr_in: { columns: inboundColumns, table: 'cdrs_in', own: 'c.did_number' },
  cdr_out: { columns: outboundColumns, table: 'cdrs_out', own: 'c.voice_out_trunk_id' },
};

export const exportColumns = { cdr_in: Object.keys(inboundColumns), cdr_out: Object.keys(outboundColumns) };
