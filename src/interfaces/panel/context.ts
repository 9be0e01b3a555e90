/** What every workflow of `/panel/v1` receives, and how its types are declared. */

import { OperatorError } from '../../base/operator-error.ts';
import type { PanelSession } from '../../business/accounts/sessions.ts';
import type { VoiceEnvironment } from '../../business/voice/voice.ts';
import { type Declaration, declare } from '../../engines/jsonapi/declare.ts';
import { invalid, refuse } from '../../engines/jsonapi/errors.ts';
import type { Resource } from '../../engines/jsonapi/resource.ts';
import type { Attributes, Relationships } from '../../engines/jsonapi/sent.ts';
import type { Params } from '../../engines/jsonapi/sql.ts';
import type { PlatformContext, PlatformEnvironment } from '../platform/context.ts';

/** How the panel is served on a port. */
export interface PanelOptions {
  /** Whether operators can sign in: only where their interface is served too. */
  readonly operators: boolean;
}

/** The panel also wakes the delivery of call events. */
export type PanelEnvironment = PlatformEnvironment & VoiceEnvironment;

export interface PanelContext extends PlatformContext {
  readonly env: PanelEnvironment;
  readonly session: PanelSession;
  /** The client's address. */
  readonly address: string;
  /** A secret that this request has made; its response is the only one that shows it. */
  readonly shownOnce: { secret: string | null };
}

type PanelResource = Resource<PanelContext>;

/** A type of the account that the session shows. */
export const owned = <A extends Attributes, R extends Relationships = Relationships>(
  type: string,
  declaration: Declaration<PanelContext, A, R>,
): PanelResource => declare('account', type, declaration);

/**
 * A type of the person who is signed in; its `visible` says which rows are theirs. Operators have it without an
 * account.
 */
export const personal = <A extends Attributes, R extends Relationships = Relationships>(
  type: string,
  declaration: Declaration<PanelContext, A, R> & Pick<Required<PanelResource>, 'visible'>,
): PanelResource => {
  personalTypes.add(type);
  return declare('catalogue', type, declaration);
};

export const personalTypes = new Set<string>();

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
