/** What every workflow of `/panel/v1` receives, and how its types are declared. */
import { type Declaration, declare } from '../jsonapi/declare.ts';
import { invalid, refuse } from '../jsonapi/errors.ts';
import type { Resource } from '../jsonapi/resource.ts';
import type { Params } from '../jsonapi/sql.ts';
import { OperatorError } from '../operator-error.ts';
import type { PlatformContext } from '../platform/context.ts';

export interface PanelContext extends PlatformContext {
  /** A secret that this request has made; its response is the only one that shows it. */
  readonly shownOnce: { secret: string | null };
}

export type PanelResource = Resource<PanelContext>;

export const owned = (type: string, declaration: Declaration<PanelContext>): PanelResource =>
  declare('account', type, declaration);

/** The FROM clause of a table with the column `shown_once`: the secret that this request has made, or null. */
export const withShownOnce =
  (table: string): PanelResource['from'] =>
  ({ shownOnce }: PanelContext, params: Params) =>
    `(select r.*, ${params.add(shownOnce.secret)}::text as shown_once from ${table} r) t`;

/** Reports a rule of the command line's workflows as an error at the attribute that broke it. */
export async function refusedAt<T>(attributeOf: (message: string) => string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    refuse(invalid.attribute(attributeOf(error.message), error.message));
  }
}
