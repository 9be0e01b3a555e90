/**
 * The rule that finds prefixes whose conversion collapses. It judges every account by its own traffic: an attack on one
 * customer's application blocks the prefix for that account only. It is blocked for everybody when several accounts
 * collapse there and those that remain do not prove that the prefix works.
 */

interface CollapseLimits {
  /** Fewer sent codes prove nothing. */
  readonly starts: number;
  /** Below this share of codes that come back, in percent, the conversion may have collapsed … */
  readonly percent: number;
}

/** What was sent to a prefix by an account, and how much of it came back; open and superseded ones are left out. */
export interface Traffic {
  readonly prefix: string;
  readonly accountId: string;
  readonly sent: number;
  readonly verified: number;
  /** The same of the days before; of this account if it had enough there, otherwise of all. */
  readonly sentBefore: number;
  readonly verifiedBefore: number;
}

export interface Collapse {
  readonly prefix: string;
  /** Null for every account. */
  readonly accountId: string | null;
  readonly reason: string;
  readonly measured: Readonly<Record<string, number>>;
}

/** So many accounts must collapse before a prefix is blocked for all. */
const accountsForAll = 3;

export function findCollapses(traffic: readonly Traffic[], limits: CollapseLimits, minutes: number): Collapse[] {
  const collapsed = traffic.filter((each) => hasCollapsed(each, limits));
  return [...Map.groupBy(collapsed, ({ prefix }) => prefix)].flatMap(([prefix, accounts]) => {
    const others = sumOf(traffic.filter((each) => each.prefix === prefix && !accounts.includes(each)));
    const othersWork = others.sent > 0 && percentOf(others) >= limits.percent;
    if (accounts.length < accountsForAll || othersWork) {
      return accounts.map((account) => collapseOf(prefix, account.accountId, account, minutes, ''));
    }
    return [collapseOf(prefix, null, sumOf(accounts), minutes, `${accounts.length} accounts: `)];
  });
}

/** … if it was twice as high before, or nothing is known of before, or it was pumped then already. */
function hasCollapsed(each: Traffic, limits: CollapseLimits): boolean {
  if (each.sent < limits.starts || percentOf(each) >= limits.percent) return false;
  const before = percentOf({ sent: each.sentBefore, verified: each.verifiedBefore });
  if (each.sentBefore < limits.starts || before < limits.percent / 2) return true;
  return percentOf(each) < before / 2;
}

type Sums = Pick<Traffic, 'sent' | 'verified' | 'sentBefore' | 'verifiedBefore'>;

function collapseOf(prefix: string, accountId: string | null, sums: Sums, minutes: number, who: string): Collapse {
  const { sent, verified, sentBefore, verifiedBefore } = sums;
  const before =
    sentBefore === 0
      ? 'nothing is known of the days before'
      : `in the days before ${shown(percentOf({ sent: sentBefore, verified: verifiedBefore }))} % did`;
  const now = `${verified} of ${sent} codes (${shown(percentOf(sums))} %) came back in ${minutes} minutes`;
  const measured = { sent, verified, sent_before: sentBefore, verified_before: verifiedBefore, minutes };
  return { prefix, accountId, reason: `${who}${now}; ${before}.`, measured };
}

const percentOf = ({ sent, verified }: Pick<Traffic, 'sent' | 'verified'>): number =>
  sent === 0 ? 0 : (100 * verified) / sent;
const shown = (percent: number): string => percent.toFixed(1);

function sumOf(all: readonly Traffic[]): Sums {
  const sum = (member: keyof Sums) => all.reduce((total, each) => total + each[member], 0);
  return {
    sent: sum('sent'),
    verified: sum('verified'),
    sentBefore: sum('sentBefore'),
    verifiedBefore: sum('verifiedBefore'),
  };
}
