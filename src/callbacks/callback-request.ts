/** Builds the HTTP request of a delivery: body, headers, both signatures. */
import type { DeliveryMethod } from '../db/tables/deliveries.ts';
import { wireUrl } from '../outbound/wire-url.ts';
import { formBody, type Payload, signCallback, signWebhook, withPayload } from './signature.ts';

export interface Outgoing {
  id: string;
  url: string;
  method: DeliveryMethod;
  payload: Payload | Payload[];
}

export interface CallbackRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

export function callbackRequest(delivery: Outgoing, secret: string, headerWord: string, at: Date): CallbackRequest {
  const entries = Array.isArray(delivery.payload) ? delivery.payload : [delivery.payload];
  const form = unsignedRequest(delivery, entries);
  const timestamp = Math.floor(at.getTime() / 1000);
  return {
    ...form,
    headers: {
      'user-agent': 'Trunkline',
      accept: '*/*',
      ...form.headers,
      [`x-${headerWord.toLowerCase()}-signature`]: signCallback(secret, form.url, entries),
      'webhook-id': delivery.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(secret, delivery.id, timestamp, form.body ?? ''),
    },
  };
}

function unsignedRequest(delivery: Outgoing, entries: readonly Payload[]): CallbackRequest {
  const { method } = delivery;
  // The signature covers the URL as the receiver sees it, so non-ASCII characters are encoded first.
  const url = wireUrl(delivery.url) ?? delivery.url;
  const [payload = {}] = entries;
  switch (method) {
    case 'get':
      return { url: withPayload(url, payload), method: 'GET', headers: {} };
    case 'post':
      return { url, method: 'POST', headers: content('application/x-www-form-urlencoded'), body: formBody(payload) };
    case 'json':
      return { url, method: 'POST', headers: content('application/json'), body: JSON.stringify(entries) };
  }
}

const content = (type: string) => ({ 'content-type': type });
