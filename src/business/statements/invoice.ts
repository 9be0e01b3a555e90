/** An invoice or a credit note as it was issued: found, and made of a month that has ended. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment, Seller } from '../../engines/environment.ts';
import { findBillingProfile } from '../billing/billing-profile.ts';
import { dayBefore, dayOf, monthBounds } from '../billing/calendar.ts';
import { parseAmount, toSql } from '../money/decimal.ts';
import { type MonthCharges, monthCharges } from './bill-charges.ts';
import { type BillDocument, type BillHead, type BillKind, makeBill, type Party, wholeLine } from './bill-document.ts';
import { type CauseSum, causesOf, lateCauses } from './ledger-causes.ts';
import { shownCause } from './statement-pdf.ts';

export interface Invoice {
  id: string;
  account_id: string;
  kind: BillKind;
  /** As it is printed. */
  reference: string;
  document: BillDocument;
}

interface StoredInvoice extends Omit<Invoice, 'document'> {
  month: string;
  customer: string;
  lines: CauseSum[];
  created_at: Date;
  document: BillDocument | null;
}

/** SQL for the lines as texts: cause, VAT rate, net and VAT. */
export const shownLines = `array(select concat_ws(' | ', l->>'cause', l->>'vat_rate', l->>'net', l->>'vat') from jsonb_array_elements(t.lines) l)`;
/** SQL for what is printed; invoices of before have their number alone. */
export const shownReference = 'coalesce(t.reference, t.number::text)';

/** By its id; null if there is none, or if it belongs to another account than the given one. */
export async function findInvoice(
  { db, seller, currency }: Pick<Environment, 'db' | 'seller' | 'currency'>,
  id: string,
  accountId: string | null,
): Promise<Invoice | null> {
  const { rows } = await sql<StoredInvoice>`
    select t.id, t.account_id, t.kind, ${sql.raw(shownReference)} as reference, to_char(t.month, 'YYYY-MM') as month,
           t.customer, t.lines, t.created_at, t.document
    from invoices t where t.id = ${id} and (${accountId}::uuid is null or t.account_id = ${accountId}::uuid)`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { account_id, kind, reference, document } = row;
  return { id, account_id, kind, reference, document: document ?? formerDocument(row, seller, currency) };
}

/** An invoice of before bills had parties and lines of their own: one line for each cause. */
function formerDocument(row: StoredInvoice, seller: Seller, currency: string): BillDocument {
  const { kind, reference, month, customer, lines, created_at } = row;
  const head: BillHead = {
    ...{ kind, reference, issued: dayOf(created_at), ...daysOf(month), currency },
    ...{ seller: sellerParty(seller), buyer: { ...nobody, name: customer }, purchase_order: null, corrects: [] },
  };
  return makeBill(
    head,
    lines.map(({ cause, net, vat, vat_rate }) => wholeLine(shownCause(cause), net, vat, vat_rate)),
  );
}

const nobody: Party = { name: '', address: [], postal_code: null, city: null, country: null, vat_id: null };

const sellerParty = ({ lines: [name = '', ...address], country, vatId }: Seller): Party => ({
  ...{ name, address, postal_code: null, city: null, country, vat_id: vatId },
});

function daysOf(month: string): { from: string; to: string } {
  const { from, to } = monthBounds(month);
  return { from: dayOf(from), to: dayBefore(dayOf(to)) };
}

/** A bill that could be issued: without its number, which it gets last. */
export interface Draft {
  document: BillDocument;
  /** By cause and rate, exact, as the ledger has them. */
  lines: CauseSum[];
  ledger: { net: string; vat: string };
}

/** What a month's bills would be: an invoice, a credit note, both or none. */
export async function draftBills(
  env: Environment,
  account: { id: string; name: string },
  month: string,
): Promise<Draft[]> {
  const { db } = env;
  const late = await lateCauses(db, account.id, month);
  const charges = withLate(await monthCharges(db, account.id, month), late);
  const profile = await findBillingProfile(db, account.id);
  const head = {
    ...{ reference: '', issued: dayOf(env.clock.now()), ...daysOf(month), currency: env.currency },
    ...{ seller: sellerParty(env.seller), purchase_order: profile?.purchase_order ?? null },
    buyer:
      profile === undefined ? { ...nobody, name: account.name } : { ...profile, address: profile.street.split('\n') },
  };
  const { name, address, postal_code, city, country, vat_id } = { ...nobody, ...head.buyer };
  const buyer = { name, address, postal_code, city, country, vat_id };
  const lines = [...(await causesOf(db, account.id, month)), ...late];
  const draft = async (kind: BillKind, parts: MonthCharges['earned'], corrects: BillHead['corrects']) => {
    const sign = kind === 'invoice' ? 1n : -1n;
    const sum = (member: 'net' | 'vat') => toSql(sign * parts.reduce((total, part) => total + part[member], 0n));
    const own = lines.filter(({ net, vat }) => parseAmount(net) + parseAmount(vat) < 0n === (kind === 'credit_note'));
    return {
      document: makeBill({ ...head, buyer, kind, corrects }, parts),
      ...{ lines: own, ledger: { net: sum('net'), vat: sum('vat') } },
    };
  };
  const { earned, returned } = charges;
  return [
    ...(earned.length === 0 ? [] : [await draft('invoice', earned, [])]),
    ...(returned.length === 0 ? [] : [await draft('credit_note', returned, await corrected(db, account.id, returned))]),
  ];
}

function withLate({ earned, returned }: MonthCharges, late: readonly CauseSum[]): MonthCharges {
  const lines = late.map(({ cause, net, vat, vat_rate }) =>
    wholeLine(`Booked late, of an earlier month: ${shownCause(cause)}`, net, vat, vat_rate),
  );
  const isBack = ({ net, vat }: (typeof lines)[number]) => net + vat < 0n;
  const back = lines.filter(isBack).map((line) => ({ ...line, net: -line.net, vat: -line.vat, chargedIn: null }));
  return { earned: [...earned, ...lines.filter((line) => !isBack(line))], returned: [...returned, ...back] };
}

/** The invoices of the months in which it had been charged. */
async function corrected(
  db: Kysely<Schema>,
  accountId: string,
  returned: MonthCharges['returned'],
): Promise<BillHead['corrects']> {
  const months = [...new Set(returned.flatMap(({ chargedIn }) => (chargedIn === null ? [] : [`${chargedIn}-01`])))];
  const { rows } = await sql<{ reference: string; issued: string }>`
    select ${sql.raw(shownReference)} as reference, to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD') as issued
    from invoices t
    where t.account_id = ${accountId} and t.kind = 'invoice' and t.month = any(${months}::date[])
    order by t.month`.execute(db);
  return rows;
}
