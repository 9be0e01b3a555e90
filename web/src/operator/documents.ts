/** The records of `/operator/v1` that several pages show. */
import type { ReadOf, RecordOf } from '../api/routes.ts';

export type Account = RecordOf<'/operator/v1/accounts'>;
export type OperatorNumber = RecordOf<'/operator/v1/numbers'>;
export type ChargedItem = OperatorOrder['attributes']['items'][number]['attributes'];
export type OperatorOrder = RecordOf<'/operator/v1/orders'>;
export type LedgerEntry = RecordOf<'/operator/v1/ledger_entries'>;
export type Adjustment = RecordOf<'/operator/v1/adjustments'>;
export type AuditEntry = RecordOf<'/operator/v1/audit_entries'>;
export type OperatorRecord = RecordOf<'/operator/v1/operators'>;
export type RoutingDecision = ReadOf<'/operator/v1/routing'>;
export type Submission = RecordOf<'/operator/v1/submissions'>;
export type Stock = RecordOf<'/operator/v1/stock'>;
export type StockAction = RecordOf<'/operator/v1/stock_actions'>;
/** What a reviewer compares. */
export type Papers = ReadOf<'/operator/v1/submission_papers'>;
