/** Headers of an INVITE to a trunk that its settings ask for: asserted identity, caller verification, diversions. */
import { parseNameAddress } from '../../engines/sip/message/name-address.ts';
import { SipError } from '../../engines/sip/message/sip-error.ts';
import { encodeUser } from '../../engines/sip/message/uri.ts';
import type { HeaderLine } from './headers.ts';
import { numberOf } from './identity.ts';
import { ownHost } from './own-uris.ts';
import type { TrunkAttempt } from './trunk-attempt.ts';

/** `Identity` is passed on as it came, so that the customer can verify it; the verdict on it as `verstat`. */
export function identityHeaders(attempt: TrunkAttempt): HeaderLine[] {
  const { request, caller, configuration, endpoint } = attempt;
  const mode = configuration.stir_shaken_mode ?? 'disabled';
  const lines: HeaderLine[] = [];
  if (mode === 'original' || mode === 'original_pai') {
    for (const value of request.headers.all('Identity')) lines.push(['Identity', value]);
    const date = request.headers.first('Date');
    if (date !== undefined && lines.length > 0) lines.push(['Date', date]);
  }
  if (caller.isPrivate) return [...lines, ['Privacy', 'id']];
  if (mode === 'pai' || mode === 'original_pai' || mode === 'verstat') {
    const verdict = verstatOf(attempt);
    const verstat = verdict === undefined ? '' : `;verstat=${verdict}`;
    lines.push(['P-Asserted-Identity', `<sip:${encodeUser(caller.number)}${verstat}@${ownHost(endpoint)}>`]);
  }
  return lines;
}

const verdictWords = {
  passed: 'TN-Validation-Passed',
  failed: 'TN-Validation-Failed',
  none: 'No-TN-Validation',
} as const;

/** Our own verdict; of a call without Identity what its carrier found out before, if that says anything. */
function verstatOf({ request: { headers }, call: { callerVerdict } }: TrunkAttempt): string | undefined {
  const own = callerVerdict && verdictWords[callerVerdict.result];
  if (own !== undefined && headers.has('Identity')) return own;
  const written = `${headers.first('P-Asserted-Identity') ?? ''} ${headers.first('From') ?? ''}`;
  return /;verstat=([\w-]+)/i.exec(written)?.[1] ?? own;
}

/** Those that came, as the policy says, and the called number itself if the trunk wants it. */
export function diversionHeaders({ request, configuration, endpoint }: TrunkAttempt, didNumber: string): HeaderLine[] {
  const policy = configuration.diversion_relay_policy ?? 'none';
  const host = ownHost(endpoint);
  const own: HeaderLine[] =
    configuration.diversion_inject_mode === 'did_number'
      ? [['Diversion', `<sip:${encodeUser(didNumber)}@${host}>;reason=unconditional`]]
      : [];
  if (policy === 'none') return own;
  const relayed = request.headers.all('Diversion').flatMap((value): HeaderLine[] => {
    if (policy === 'as_is') return [['Diversion', value]];
    const number = diverted(value);
    if (number === null) return [];
    return [['Diversion', policy === 'tel' ? `<tel:+${encodeUser(number)}>` : `<sip:${encodeUser(number)}@${host}>`]];
  });
  return [...own, ...relayed];
}

function diverted(value: string): string | null {
  try {
    return numberOf(parseNameAddress(value).uri);
  } catch (error) {
    if (error instanceof SipError) return null;
    throw error;
  }
}
