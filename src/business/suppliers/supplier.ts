/**
 * What Trunkline asks of a supplier of numbers: the whole seam. An implementation is a folder beside this file that
 * turns these into requests of its API; `open-supplier.ts` says which one a supplier gets. Ids are the supplier's own
 * and mean nothing to us; prices are decimal texts without VAT, as this account pays them there.
 */
import type { Outcome } from './outcome.ts';

export interface Supplier {
  /** What can be spent there. The first request to a supplier: it finds wrong keys and addresses. */
  account(): Promise<Outcome<SupplierAccount>>;
  countries(): Promise<Outcome<readonly SupplierCountry[]>>;
  /** All groups of these countries with their offers, in an order that is stable while nothing changes. */
  groups(countryIds: readonly string[], page: PageOf): Promise<Outcome<Page<SupplierGroup>>>;
  availableNumbers(wanted: WantedNumbers, page: PageOf): Promise<Outcome<Page<SupplierNumber>>>;
  /** The same `key` makes one reservation, however often it is asked for; it can be found by it. */
  reserve(numberId: string, key: string): Promise<Outcome<SupplierReservation>>;
  reservationsWith(key: string): Promise<Outcome<readonly SupplierReservation[]>>;
  release(reservationId: string): Promise<Outcome<null>>;
  /** The same `key` makes one order, however often it is asked for. */
  placeOrder(order: NewSupplierOrder, key: string): Promise<Outcome<SupplierOrder>>;
  order(id: string): Promise<Outcome<SupplierOrder>>;
  /** Finds orders by our reference: after an answer that never came. */
  ordersWith(reference: string): Promise<Outcome<readonly SupplierOrder[]>>;
  cancelOrder(id: string): Promise<Outcome<null>>;
  /** Numbers that this account holds there. */
  heldNumbers(wanted: { readonly orderId?: string }, page: PageOf): Promise<Outcome<Page<HeldNumber>>>;
  changeNumber(id: string, changes: NumberChanges): Promise<Outcome<HeldNumber>>;
}

export interface PageOf {
  /** From 1. */
  readonly number: number;
  readonly size: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Of all pages. */
  readonly total: number;
}

interface SupplierAccount {
  /** What the account there may still spend, credit included. */
  readonly spendable: string;
}

export interface SupplierCountry {
  readonly id: string;
  readonly iso: string;
  readonly name: string;
  readonly prefix: string | null;
}

export interface SupplierGroup {
  readonly id: string;
  readonly country: SupplierCountry;
  readonly region: { readonly iso: string | null; readonly name: string } | null;
  readonly city: string | null;
  /** The name of its kind, such as `Local`. */
  readonly type: string;
  readonly prefix: string;
  readonly areaName: string;
  readonly features: readonly string[];
  readonly isMetered: boolean;
  readonly allowAdditionalChannels: boolean;
  readonly serviceRestrictions: string | null;
  /** Whether single numbers can be picked. */
  readonly picksNumbers: boolean;
  readonly needsRegistration: boolean;
  readonly isAvailable: boolean;
  /** Numbers in stock there. */
  readonly stock: number;
  readonly offers: readonly SupplierOffer[];
}

interface SupplierOffer {
  readonly id: string;
  readonly channels: number;
  readonly setupPrice: string;
  readonly monthlyPrice: string;
}

interface WantedNumbers {
  readonly groupId: string;
  /** Digits anywhere in the number. */
  readonly contains?: string;
}

export interface SupplierNumber {
  readonly id: string;
  /** E.164 digits without `+`. */
  readonly number: string;
}

export interface SupplierReservation {
  readonly id: string;
  readonly expiresAt: Date;
}

export interface NewSupplierOrder {
  readonly items: readonly SupplierOrderItem[];
  /** Ours: the order is found by it. */
  readonly reference: string;
  readonly callbackUrl: string | null;
  readonly allowsBackOrder: boolean;
}

/** Numbers of an offer: so many, or the one that is reserved. */
type SupplierOrderItem = { readonly offerId: string } & (
  | { readonly quantity: number }
  | { readonly reservationId: string }
);

export interface SupplierOrder {
  readonly id: string;
  /** Theirs, as their invoices show it. */
  readonly reference: string;
  readonly status: 'pending' | 'completed' | 'canceled';
  readonly amount: string;
}

export interface HeldNumber {
  readonly id: string;
  readonly number: string;
  readonly blocked: boolean;
  readonly awaitingRegistration: boolean;
  readonly terminated: boolean;
  /** How many periods it is still renewed; null renews it until it is ended. */
  readonly billingCycles: number | null;
  readonly expiresAt: Date | null;
}

export interface NumberChanges {
  readonly billingCycles?: number | null;
  /** False takes an end back that has not come yet. */
  readonly terminated?: boolean;
  /** The trunk there that its calls go to. */
  readonly inboundTrunkId?: string | null;
}
