/**
 * What strangers and broken senders put into the ports of a call that is up, through each media engine: the two sides
 * hear each other and nobody else. What the embedded engine counts of it is tested beside it.
 */
import { describe, expect, test } from 'vitest';
import { Party } from '../../src/engines/media/embedded/party.fixture.ts';
import { useOpened } from '../support/use.ts';
import { openMediaHouse } from './media-house.ts';

const noise = 0x55;
const isNoise = ({ payload }: { payload: Uint8Array }) => payload.length > 0 && payload.every((byte) => byte === noise);

function noisePacket(payloadType: number, sequence: number, ssrc: number): Buffer {
  const packet = Buffer.alloc(172, noise);
  packet.writeUInt16BE(0x8000 | payloadType, 0);
  packet.writeUInt16BE(sequence & 0xffff, 2);
  packet.writeUInt32BE(0, 4);
  packet.writeUInt32BE(ssrc, 8);
  return packet;
}

const broken = [
  ...[Buffer.alloc(0), Buffer.of(0x80), Buffer.alloc(11, 0x80), Buffer.alloc(1_501, 0x80), Buffer.alloc(200, 0x20)],
  ...[Buffer.alloc(200, 0xff), Buffer.from('OPTIONS sip:a SIP/2.0\r\n\r\n')],
];

describe.each(['embedded', 'rtpengine'] as const)('%s', (engine) => {
  const house = useOpened(() => openMediaHouse(engine));

  test.each(['disabled', 'srtp_sdes', 'srtp_dtls'] as const)(
    '%s: strangers are neither heard nor sent to, and what is broken changes nothing',
    async (encryption) => {
      const settings = { media_encryption_mode: encryption };
      const { own, carrier, hangUp } = await house.inbound({ settings, own: { encryption } });
      await own.isHeardBy(carrier);
      await carrier.isHeardBy(own);
      const stranger = await Party.open();
      const ssrc = carrier.packets.at(-1)?.ssrc ?? expect.unreachable();
      const sequence = carrier.packets.at(-1)?.sequence ?? expect.unreachable();
      for (const { relay } of [own, carrier]) {
        stranger.relay = relay;
        // While the side that is imitated goes on.
        for (let round = 0; round < 20; round++) {
          own.speak(1);
          stranger.sendRaw(noisePacket(0, round, 0x5eed));
          stranger.sendRaw(noisePacket(0, sequence + 100 + round, ssrc));
          for (const bytes of broken) stranger.sendRaw(bytes);
        }
      }
      for (const bytes of broken) own.sendRaw(bytes);
      own.speak(3, 77);
      await own.isHeardBy(carrier);
      await carrier.isHeardBy(own);
      expect([...own.packets, ...carrier.packets].filter(isNoise)).toEqual([]);
      expect(stranger.datagrams).toEqual([]);
      hangUp();
    },
  );

  test.each(['srtp_sdes', 'srtp_dtls'] as const)(
    '%s: a packet that comes again, or was encrypted with other keys, is not heard',
    async (encryption) => {
      const settings = { media_encryption_mode: encryption };
      const { own, carrier, hangUp } = await house.inbound({ settings, own: { encryption } });
      await own.isHeardBy(carrier);
      const marked = own.nextPacket().fill(noise, 12);
      const sealed = Buffer.from(own.medium.protect(marked, 'rtp') ?? expect.unreachable());
      for (let count = 0; count < 3; count++) own.sendRaw(sealed);
      const forged = Buffer.from(sealed);
      forged.writeUInt16BE((forged.readUInt16BE(2) + 1) & 0xffff, 2);
      own.sendRaw(forged);
      // In the clear.
      own.sendRaw(own.nextPacket().fill(noise, 12));
      await own.isHeardBy(carrier);
      const heard = carrier.packets.filter(isNoise).map(({ sequence }) => sequence);
      expect(new Set(heard).size).toBe(1);
      // rtpengine passes it on again under its number, by which receivers know that they have it.
      if (engine === 'embedded') expect(heard).toHaveLength(1);
      hangUp();
    },
  );
});
