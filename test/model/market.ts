/** The rules of the market in a hundred lines of plain objects: what the real thing is compared with. */
import { dayOf, daysBetween, endOfPeriods } from '../../src/business/billing/calendar.ts';

export const numberPrice = 250;
const monthPrice = 200;
export const holdMs = 600_000;
const agingMs = 34 * 86_400_000;

export interface OwnedNumber {
  owner: number;
  order: string;
  since: number;
  periods: number;
  expires: number;
  terminated: boolean;
  expired: boolean;
  cycles: number | null;
  due: number;
}

interface WaitingOrder {
  owner: number;
  id: string;
  qty: number;
  cycles: number | null;
  missing: number;
  /** Numbers that were given back: refunded, and not taken again. */
  declined: string[];
}

export class Market {
  now: number;
  /** In cents, by customer. */
  balances: number[];
  stock = new Set<string>();
  holds = new Map<string, { owner: number; until: number }>();
  owned = new Map<string, OwnedNumber>();
  waiting: WaitingOrder[] = [];

  constructor(now: number, balances: number[]) {
    this.now = now;
    this.balances = balances;
  }

  isHeld = (number: string): boolean => (this.holds.get(number)?.until ?? 0) > this.now;
  holdsOf = (owner: number): string[] =>
    [...this.holds.keys()].filter((n) => this.isHeld(n) && this.holds.get(n)?.owner === owner);
  free = (): string[] => [...this.stock].filter((number) => !this.isHeld(number)).sort();

  /** The cheapest way to say what an order must be answered with. */
  expectedStatus(owner: number, qty: number, backOrdering: boolean): number {
    if ((this.balances[owner] ?? 0) < qty * numberPrice) return 400;
    return !backOrdering && this.free().length < qty ? 422 : 201;
  }

  order(order: Omit<WaitingOrder, 'missing' | 'declined'>): void {
    this.pay(order.owner, order.qty * numberPrice);
    const waiting = { ...order, missing: order.qty, declined: [] };
    this.waiting.push(waiting);
    this.serve(waiting, this.free());
  }

  /** One particular number, out of a hold. */
  orderHeld(owner: number, id: string, number: string): void {
    this.pay(owner, numberPrice);
    const waiting: WaitingOrder = { owner, id, qty: 1, cycles: null, missing: 1, declined: [] };
    this.serve(waiting, [number]);
  }

  cancel(order: WaitingOrder): void {
    const handedOver = [...this.owned].filter(([, did]) => did.order === order.id);
    this.pay(order.owner, -(order.qty - order.declined.length - handedOver.length) * numberPrice);
    this.waiting = this.waiting.filter((one) => one !== order);
    for (const [number, did] of handedOver) {
      this.pay(order.owner, -this.unused(did));
      this.release(number);
    }
    this.serveAll();
  }

  /** A number whose order still waits is given back, and its unused days are refunded. */
  terminate(number: string, did: OwnedNumber): void {
    if (did.terminated) return;
    const order = this.waiting.find(({ id }) => id === did.order);
    if (!order) {
      Object.assign(did, { terminated: true, cycles: 0 });
      return;
    }
    this.pay(did.owner, -this.unused(did));
    order.declined.push(number);
    this.release(number);
    this.serveAll();
  }

  /** False when it cannot be paid. */
  restore(did: OwnedNumber): boolean {
    if (!did.terminated) return true;
    if (did.expires <= this.now) {
      if ((this.balances[did.owner] ?? 0) < monthPrice) return false;
      this.pay(did.owner, monthPrice);
      Object.assign(did, { since: this.now, periods: 1, expires: monthsOf(this.now, 1), expired: false });
      did.due = did.expires;
    }
    Object.assign(did, { terminated: false, cycles: null });
    return true;
  }

  arrive(numbers: string[]): void {
    for (const number of numbers) this.stock.add(number);
    this.serveAll();
  }

  serveAll(): void {
    for (const order of [...this.waiting]) this.serve(order, this.free());
  }

  /** Moves the clock, stopping wherever something falls due. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const dues = [...this.owned.values()].map(({ due }) => due);
      const lapses = this.waiting.length > 0 ? [...this.holds.values()].map(({ until }) => until) : [];
      const next = Math.min(
        ...[...dues, ...lapses].filter((at) => at > this.now && at <= end),
        Number.POSITIVE_INFINITY,
      );
      if (next > end) break;
      this.now = next;
      this.settleDue();
      this.serveAll();
    }
    this.now = end;
  }

  private pay(owner: number, cents: number): void {
    this.balances[owner] = (this.balances[owner] ?? 0) - cents;
  }

  /** What the days that are left of the running month are worth, in whole cents. */
  private unused({ since, periods, expires }: OwnedNumber): number {
    const [begins, today, ends] = [monthsOf(since, periods - 1), this.now, expires].map((at) => dayOf(new Date(at)));
    const days = Math.max(0, daysBetween(today ?? '', ends ?? ''));
    return Math.round((monthPrice * days) / daysBetween(begins ?? '', ends ?? ''));
  }

  private release(number: string): void {
    this.owned.delete(number);
    this.stock.add(number);
  }

  private settleDue(): void {
    const due = [...this.owned].filter(([, did]) => did.due <= this.now).sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [number, did] of due) {
      if (did.expired) {
        this.release(number);
      } else if (did.terminated || did.cycles === 0 || (this.balances[did.owner] ?? 0) < monthPrice) {
        Object.assign(did, { terminated: true, cycles: 0, expired: true, due: did.expires + agingMs });
      } else {
        this.pay(did.owner, monthPrice);
        did.periods += 1;
        did.expires = did.due = monthsOf(did.since, did.periods);
        if (did.cycles !== null) did.cycles -= 1;
      }
    }
  }

  private serve(order: WaitingOrder, offered: string[]): void {
    const wanted = offered.filter((number) => !order.declined.includes(number));
    for (const number of wanted.slice(0, order.missing)) {
      this.stock.delete(number);
      this.holds.delete(number);
      order.missing -= 1;
      const expires = monthsOf(this.now, 1);
      const paid = { since: this.now, periods: 1, expires, due: expires };
      const bought = { owner: order.owner, order: order.id, cycles: order.cycles };
      this.owned.set(number, { ...bought, ...paid, terminated: false, expired: false });
    }
    if (order.missing === 0) this.waiting = this.waiting.filter((one) => one !== order);
  }
}

const monthsOf = (since: number, periods: number): number => endOfPeriods(new Date(since), periods).getTime();
