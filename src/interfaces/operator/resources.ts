/** Every type of /operator/v1. A new type is a declaration, its row in `roles.ts`, and a line here. */
import { Registry } from '../../engines/jsonapi/resource.ts';
import { accounts } from './accounts.ts';
import { adjustments } from './adjustments.ts';
import { auditEntries } from './audit-entries.ts';
import { bulkActions } from './bulk-actions.ts';
import { callRefusals, callTraceLines, callTraces } from './call-traces.ts';
import { callerNames } from './caller-names.ts';
import { guards, refusedStarts } from './conversion/guards.ts';
import { prefixBlocks } from './conversion/prefix-blocks.ts';
import { deliveries, deliveryAttempts } from './deliveries.ts';
import { erasures } from './erasures.ts';
import { catalogueImports } from './inventory/catalogue-imports.ts';
import { backOrders, stock } from './inventory/stock.ts';
import { heldNumbers, stockActions } from './inventory/stock-actions.ts';
import { jobs } from './jobs.ts';
import { apiRequests } from './lookups/api-requests.ts';
import { calls, cdrsIn, cdrsOut } from './lookups/calls.ts';
import { ledgerEntries } from './lookups/ledger-entries.ts';
import { numberHistory, numbers } from './lookups/numbers.ts';
import { orders } from './lookups/orders.ts';
import { uploads } from './lookups/uploads.ts';
import { verifications } from './lookups/verifications.ts';
import { billingProfiles } from './money/billing-profiles.ts';
import { invoices } from './money/invoices.ts';
import { refunds } from './money/refunds.ts';
import { ledgerVerifications } from './money/verify-books.ts';
import { operatorKeys, operators } from './operators.ts';
import { accountNotes } from './overview/account-notes.ts';
import { carrierRoutes } from './peers/carrier-routes.ts';
import { carriers } from './peers/carriers.ts';
import { peerTests } from './peers/peer-tests.ts';
import { providerRoutes, providers } from './peers/providers.ts';
import { signingCertificates } from './peers/signing-certificates.ts';
import { priceAdjustments } from './pricing/price-adjustments.ts';
import { priceListLines, priceLists } from './pricing/price-lists.ts';
import { verificationRates } from './pricing/verification-rates.ts';
import { submissions } from './review/submissions.ts';
import { destinationRisks } from './risks/destination-risks.ts';
import { riskLimits } from './risks/risk-limits.ts';
import { supplierOffers, supplierRequests } from './suppliers/offers.ts';
import { supplierPriceRules, suppliers } from './suppliers/suppliers.ts';

export const registry = new Registry([
  accounts,
  accountNotes,
  numbers,
  numberHistory,
  orders,
  calls,
  cdrsIn,
  cdrsOut,
  verifications,
  prefixBlocks,
  guards,
  refusedStarts,
  submissions,
  uploads,
  stock,
  backOrders,
  heldNumbers,
  stockActions,
  catalogueImports,
  suppliers,
  supplierOffers,
  supplierPriceRules,
  supplierRequests,
  carriers,
  carrierRoutes,
  signingCertificates,
  callerNames,
  destinationRisks,
  riskLimits,
  providers,
  providerRoutes,
  peerTests,
  erasures,
  apiRequests,
  jobs,
  deliveries,
  deliveryAttempts,
  bulkActions,
  callTraces,
  callTraceLines,
  callRefusals,
  priceLists,
  priceListLines,
  priceAdjustments,
  verificationRates,
  adjustments,
  refunds,
  billingProfiles,
  invoices,
  ledgerVerifications,
  ledgerEntries,
  auditEntries,
  operators,
  operatorKeys,
]);
