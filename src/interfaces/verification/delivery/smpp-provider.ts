/** A provider behind SMPP 3.4. */
import { checkerOf, type Static, shape } from '../../../engines/typed-schema.ts';
import { type ClientEvents, SmppClient } from '../smpp/client.ts';
import { type Receipt, readIdentifier, readReceipt, sourceAddress, submitBody } from '../smpp/messages.ts';
import { SmppProtocolError } from '../smpp/pdu.ts';
import { SmppStatusError, SmppUnavailableError } from '../smpp/session.ts';
import { messageParts } from './message-parts.ts';
import {
  type DeliveryProvider,
  DeliveryRefused,
  DeliveryUnknown,
  DeliveryWithdrawn,
  type OutgoingMessage,
} from './provider.ts';

const settingsSchema = shape.object(
  {
    host: shape.string({ minLength: 1 }),
    port: shape.integer({ minimum: 1, maximum: 65_535 }),
    tls: shape.optional(shape.boolean()),
    system_id: shape.string({ minLength: 1, maxLength: 15 }),
    system_type: shape.optional(shape.string({ maxLength: 12 })),
    /** Maximum number of messages without a response. */
    window: shape.optional(shape.integer({ minimum: 1, maximum: 1000 })),
    /** Maximum number of messages per second. */
    throughput: shape.optional(shape.number({ minimum: 0.1, maximum: 10_000 })),
    enquire_link_seconds: shape.optional(shape.number({ minimum: 1, maximum: 3600 })),
    timeout_seconds: shape.optional(shape.number({ minimum: 1, maximum: 60 })),
  },
  { additionalProperties: false },
);
type SmppProviderSettings = Static<typeof settingsSchema>;
/** Checks the settings of such a provider. */
export const smppSettings = checkerOf(settingsSchema);

interface SmppProviderEvents {
  receipt(receipt: Receipt): Promise<void>;
  connection: ClientEvents['connection'];
}

export function smppProvider(
  settings: SmppProviderSettings,
  password: string,
  events: SmppProviderEvents,
): DeliveryProvider {
  const client = new SmppClient(
    {
      host: settings.host,
      port: settings.port,
      tls: settings.tls ?? false,
      systemId: settings.system_id,
      password,
      systemType: settings.system_type ?? '',
      connectTimeoutMs: 5_000,
      responseTimeoutMs: (settings.timeout_seconds ?? 15) * 1000,
      enquireLinkMs: (settings.enquire_link_seconds ?? 30) * 1000,
      window: settings.window ?? 10,
      throughput: settings.throughput ?? 50,
      reconnectMs: { first: 500, longest: 30_000 },
      busyMs: [500, 1000, 2000, 4000],
    },
    {
      connection: events.connection,
      delivery: async (delivery) => {
        const receipt = readReceipt(delivery);
        if (receipt !== null) await events.receipt(receipt);
      },
    },
  );
  let reference = 0;
  return {
    // Twice the session's window, so that messages are ready when the window has room.
    concurrency: 2 * (settings.window ?? 10),
    close: () => client.close(),
    async send(message, begin) {
      const ids: string[] = [];
      for (const [index, body] of submissions(message, reference++ & 0xff).entries()) {
        try {
          ids.push(readIdentifier(await client.submit(body, index === 0 ? begin : undefined)));
        } catch (error) {
          throw asDeliveryError(error, ids.length);
        }
      }
      return ids;
    },
  };
}

function submissions(message: OutgoingMessage, reference: number): Buffer[] {
  const { parts, dataCoding, concatenated } = messageParts(message.text, reference);
  return parts.map((part) =>
    submitBody({
      source: sourceAddress(message.sender),
      destination: message.destination,
      dataCoding,
      hasHeader: concatenated,
      message: part,
      validityMinutes: message.validityMinutes,
    }),
  );
}

/** After one part was taken, the message was partly sent. */
function asDeliveryError(error: unknown, partsTaken: number): Error {
  if (!(error instanceof Error)) return new DeliveryUnknown(String(error), 'internal');
  if (error instanceof DeliveryWithdrawn) return error;
  const { message } = error;
  if (partsTaken > 0) return new DeliveryUnknown(message, 'incomplete');
  if (error instanceof SmppStatusError) return new DeliveryRefused(message, 'status');
  if (error instanceof SmppUnavailableError) return new DeliveryRefused(message, 'unavailable', true);
  if (error instanceof SmppProtocolError) return new DeliveryRefused(message, 'protocol', true);
  return new DeliveryUnknown(message, 'no_response');
}
