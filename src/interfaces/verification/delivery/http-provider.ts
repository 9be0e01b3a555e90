/** A provider with any HTTP interface: URL, headers and body are templates, and a rule defines success. */

import type { OutboundHttp } from '../../../engines/outbound/outbound-http.ts';
import { OutboundError } from '../../../engines/outbound/outbound-request.ts';
import { checkerOf, type Static, shape } from '../../../engines/typed-schema.ts';
import { type DeliveryProvider, DeliveryRefused, DeliveryUnknown, type OutgoingMessage } from './provider.ts';

/**
 * Placeholders: {{DESTINATION}} {{TEXT}} {{CODE}} {{SENDER}} {{LANGUAGE}} {{METHOD}} {{ID}} (the verification's, for
 * providers that know idempotency keys) and {{SECRET}}. They are escaped for where they stand.
 */
const settingsSchema = shape.object(
  {
    url: shape.string({ pattern: '^https?://' }),
    method: shape.optional(shape.word(['GET', 'POST'])),
    headers: shape.optional(shape.record(shape.string())),
    body: shape.optional(shape.string()),
    /** A regular expression that the response body must match, besides a 2xx status. */
    success_body: shape.optional(shape.string()),
    /** A regular expression whose first group is the provider's id of the message. */
    message_id: shape.optional(shape.string()),
    /** The provider takes {{ID}} as an idempotency key: asked twice with the same one, it sends once. */
    idempotent: shape.optional(shape.boolean()),
    timeout_seconds: shape.optional(shape.number({ minimum: 1, maximum: 60 })),
    /** How its delivery receipts are read: regular expressions, the first group of `message_id` names the message. */
    receipt: shape.optional(
      shape.object(
        { message_id: shape.string(), delivered: shape.string(), failed: shape.string() },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type HttpProviderSettings = Static<typeof settingsSchema>;
/** Checks the settings of such a provider. */
export const httpSettings = checkerOf(settingsSchema);

/** Enough for hundreds of messages a second, and few enough that a silent provider is noticed in time. */
const concurrency = 64;

export function httpProvider(outbound: OutboundHttp, settings: HttpProviderSettings, secret: string): DeliveryProvider {
  return {
    concurrency,
    close: async () => undefined,
    async send(message, begin, signal) {
      await begin();
      const response = await request(outbound, settings, valuesOf(message, secret), signal);
      const body = response.body.toString('utf8');
      // A gateway that lost its upstream does not know whether the message was sent.
      const reason = `status_${Math.floor(response.status / 100)}xx`;
      if (response.status === 502 || response.status === 504) {
        throw new DeliveryUnknown(`answered ${response.status}`, reason);
      }
      if (response.status < 200 || response.status > 299) {
        throw new DeliveryRefused(`answered ${response.status}`, reason, response.status >= 500);
      }
      if (settings.success_body !== undefined && !new RegExp(settings.success_body, 's').test(body)) {
        throw new DeliveryRefused('the answer does not match the success rule', 'success_rule');
      }
      const id = settings.message_id === undefined ? undefined : new RegExp(settings.message_id, 's').exec(body)?.[1];
      return id === undefined ? [] : [id];
    },
  };
}

async function request(
  outbound: OutboundHttp,
  settings: HttpProviderSettings,
  values: Record<string, string>,
  signal: AbortSignal,
) {
  const headers = Object.entries(settings.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    fill(value, values, plain),
  ]);
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const method = settings.method ?? 'POST';
  try {
    return await outbound.request({
      url: fill(settings.url, values, encodeURIComponent),
      method,
      headers: Object.fromEntries(headers),
      ...(method === 'POST' && settings.body !== undefined && { body: fill(settings.body, values, escapeFor(type)) }),
      timeoutMs: (settings.timeout_seconds ?? 15) * 1000,
      maxResponseBytes: 65_536,
      oversize: 'cut',
      // On a kept connection that was just closed it would be unknown whether the message was taken.
      freshConnection: settings.idempotent !== true,
      signal,
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.sent) throw new DeliveryUnknown(error.message, error.kind);
    throw new DeliveryRefused(error.message, error.kind, true);
  }
}

function valuesOf(message: OutgoingMessage, secret: string): Record<string, string> {
  return {
    DESTINATION: message.destination,
    TEXT: message.text,
    CODE: message.code,
    SENDER: message.sender,
    LANGUAGE: message.language,
    METHOD: message.deliveryMethod,
    ID: message.verificationId,
    SECRET: secret,
  };
}

function fill(template: string, values: Record<string, string>, escaped: (text: string) => string): string {
  return template.replace(/\{\{([A-Z]+)\}\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : escaped(value);
  });
}

function escapeFor(contentType: string): (text: string) => string {
  if (/json/i.test(contentType)) return (text) => JSON.stringify(text).slice(1, -1);
  if (/x-www-form-urlencoded/i.test(contentType)) return encodeURIComponent;
  if (/xml/i.test(contentType))
    return (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
  return plain;
}

/** For headers and plain text: a value must not start a new line. */
function plain(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}
