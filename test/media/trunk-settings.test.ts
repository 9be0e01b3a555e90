/**
 * What trunks set about media, on the wire: each test changes a trunk through /v3, calls, and looks at the packets that
 * its side and the carrier's get.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import { keyPressContent } from '../../src/business/b2bua/key-presses.ts';
import type { Phone } from '../../src/business/b2bua/world.fixture.ts';
import { Party } from '../../src/engines/media/embedded/party.fixture.ts';
import { openPair } from '../../src/engines/media/embedded/sockets.ts';
import { frameSamples } from '../../src/engines/speech/rtp.ts';
import { formatTelephoneEvent } from '../../src/engines/speech/telephone-event.ts';
import { useOpened } from '../support/use.ts';
import { type MediaHouse, openMediaHouse } from './media-house.ts';

describe.each(['embedded', 'rtpengine'] as const)('%s', (engine) => {
  const house = useOpened(() => openMediaHouse(engine));
  const isEmbedded = engine === 'embedded';
  /** rtpengine sends the header of an RTP packet alone, once a second. */
  const emptyBytes = isEmbedded ? 0 : 12;

  describe.each(['inbound', 'outbound'] as const)('of a trunk, %s', (way) => {
    const connect: MediaHouse['inbound'] = (wish) => house[way](wish);
    const side = way === 'inbound' ? 'called' : 'caller';

    test('rtp_timeout: a side that falls silent ends the call, and nothing less does', async () => {
      const { own, carrier, carrierPhone, accountId, cdr } = await connect({ settings: { rtp_timeout: 40 } });
      const [events, cdrs] =
        way === 'inbound'
          ? (['voice_in_events', 'voice_in_cdr'] as const)
          : (['voice_out_events', 'voice_out_cdr'] as const);
      await own.isHeardBy(carrier);
      house.timers.advance(38_000);
      await own.isHeardBy(carrier);
      await expect
        .poll(() => {
          house.timers.advance(10_000);
          return carrierPhone.events.at(-1);
        })
        .toBe('ended remote');
      await expect.poll(cdr).toMatchObject({ disconnect_code: 408, success: true });
      const { response, disconnect_reason, disconnect_initiator } = (await cdr()) ?? {};
      expect(response ?? disconnect_reason).toBe('No media for 40 s');
      expect(disconnect_initiator).toBe(way === 'inbound' ? 'Switch' : undefined);
      const sent = await house.world.events(accountId);
      const lastOf = (name: string) => sent.filter(({ stream }) => stream === name).at(-1)?.body;
      const end = lastOf(events);
      expect(end?.type).toMatch(/-call-end-event$/);
      // The contract's end event knows no cause: the CDR of the same call carries it.
      const said = Object.keys(end?.attributes ?? {}).filter((member) => /disconnect|initiator|reason/.test(member));
      expect(said).toEqual([]);
      const cause =
        way === 'inbound'
          ? {
              local_tag: end?.id,
              disconnect_initiator: 1,
              internal_disconnect_code: 408,
              internal_disconnect_reason: 'No media for 40 s',
              legb_disconnect_code: null,
            }
          : { call_id: end?.attributes.call_id, disconnect_code: 408, disconnect_reason: 'No media for 40 s' };
      expect(lastOf(cdrs)?.attributes).toMatchObject({ ...cause, success: true, time_end: end?.attributes.time_end });
    });

    test('rtp_ping: empty packets open the path until it sends', async () => {
      const silent = await connect({ settings: { rtp_ping: true } });
      const isEmpty = ({ length }: Buffer) => length === emptyBytes;
      const pings = () => silent.own.datagrams.filter(isEmpty).length;
      await expect
        .poll(() => {
          house.timers.advance(500);
          return pings();
        })
        .toBeGreaterThan(isEmbedded ? 2 : 1);
      await silent.own.isHeardBy(silent.carrier);
      silent.hangUp();
      const without = await connect({ settings: { rtp_ping: false } });
      house.timers.advance(5_000);
      await without.carrier.isHeardBy(without.own);
      expect(without.own.datagrams.filter(isEmpty)).toEqual([]);
      without.hangUp();
    });

    test('force_symmetric_rtp: it is sent to where it sends from, whatever it describes', async () => {
      // Nothing leaves the machine: the relay's sockets are bound to loopback.
      const told = { address: '11.0.0.1' };
      const symmetric = await connect({ settings: { force_symmetric_rtp: true }, told });
      await symmetric.own.isHeardBy(symmetric.carrier);
      await symmetric.carrier.isHeardBy(symmetric.own);
      symmetric.hangUp();
      // rtpengine is symmetric always.
      if (!isEmbedded) return;
      const usual = await connect({ settings: { force_symmetric_rtp: false }, told });
      await usual.own.isHeardBy(usual.carrier);
      usual.carrier.speak(50);
      // What was sent before has passed the relay when this has.
      await usual.own.isHeardBy(usual.carrier);
      expect(usual.own.packets).toEqual([]);
      usual.hangUp();
    });

    test('allowed_rtp_ips: packets from elsewhere are dropped, and the record of the call says so', async () => {
      const listener = await Party.open();
      const told = { address: '127.0.0.1', port: listener.port };
      const elsewhere = { host: '127.0.0.2' };
      const strict = await connect({ settings: { allowed_rtp_ips: ['127.0.0.1'] }, own: elsewhere, told });
      strict.own.speak(60);
      strict.carrier.speak(60);
      await expect
        .poll(() => {
          strict.carrier.speak(5);
          return listener.datagrams.length;
        })
        .toBeGreaterThan(70);
      expect(strict.carrier.packets).toEqual([]);
      strict.hangUp();
      // rtpengine counts what it drops as packets too, and does not tell why it did.
      const dropped = isEmbedded ? { address: expect.any(Number) } : { refused: expect.any(Number) };
      await expect.poll(strict.cdr).toMatchObject({
        sound_problem: `${side}_${isEmbedded ? 'address' : 'refused'}`,
        sound: { [side]: { packets: 0, dropped } },
      });
      // From the list rtpengine takes only the address and port that were described.
      const network = { settings: { allowed_rtp_ips: ['127.0.0.0/8'] }, own: elsewhere };
      const open = await connect(isEmbedded ? { ...network, told } : network);
      await open.own.isHeardBy(open.carrier);
      open.hangUp();
      await expect.poll(open.cdr).toMatchObject({ sound_problem: null });
    });

    if (isEmbedded) {
      test('allowed_rtp_ips: behind NAT what counts is where packets come from', async () => {
        const told = { address: '10.9.8.7' };
        const { own, carrier, hangUp } = await connect({ settings: { allowed_rtp_ips: ['127.0.0.1'] }, told });
        const stranger = await Party.open({ host: '127.0.0.2' });
        stranger.relay = own.relay;
        for (let count = 0; count < 20; count++) stranger.sendRaw(stranger.nextPacket());
        await own.isHeardBy(carrier);
        await carrier.isHeardBy(own);
        expect(new Set(carrier.packets.map(({ ssrc }) => ssrc)).size).toBe(1);
        expect(stranger.datagrams).toEqual([]);
        hangUp();
      });
    }

    test.each(['srtp_sdes', 'srtp_dtls'] as const)(
      'media_encryption_mode: %s towards it, plain to the carrier',
      async (mode) => {
        const { own, carrier, cdr, hangUp } = await connect({
          settings: { media_encryption_mode: mode },
          own: { encryption: mode },
        });
        await own.isHeardBy(carrier);
        await carrier.isHeardBy(own);
        expect(own.dropped).toEqual([]);
        hangUp();
        const encryptions = {
          [side]: { encryption: expect.stringContaining(mode) },
          [side === 'called' ? 'caller' : 'called']: { encryption: 'disabled' },
        };
        await expect.poll(cdr).toMatchObject({ sound: encryptions });
      },
    );

    test('media_encryption_mode: zrtp passes untouched', async () => {
      const lines = ['a=zrtp-hash:1.10 fe30efd02423cb054e50efd0248742ac7a52c8f91bc2df881ae642c371ba46df'];
      const { own, carrier, hangUp } = await connect({
        ...{ settings: { media_encryption_mode: 'zrtp' }, lines, carrierLines: lines },
      });
      const hello = Buffer.from(`100000015a52545000000007505a000348656c6c6f202020`, 'hex');
      await expect
        .poll(() => {
          own.sendRaw(hello);
          return carrier.datagrams.some((bytes) => bytes.equals(hello));
        })
        .toBe(true);
      hangUp();
    });
  });

  describe('of an inbound trunk', () => {
    test('symmetric_rtp_ignore_rtcp: where RTCP comes from says nothing about RTP', async () => {
      // With rtpengine it says nothing in either case.
      for (const ignores of isEmbedded ? [false, true] : [true]) {
        const { own, carrier, hangUp } = await house.inbound({ settings: { symmetric_rtp_ignore_rtcp: ignores } });
        const other = await openPair('127.0.0.1', { pairs: null, owner: 0 });
        onTestFinished(() => other.close());
        let heard = 0;
        other.rtp.on('message', () => (heard += 1));
        const report = Buffer.from('80c9000100000007', 'hex');
        await expect
          .poll(() => {
            other.rtcp.send(report, own.relay.rtcp, '127.0.0.1');
            carrier.speak(1);
            return ignores ? own.packets.length : heard;
          })
          .toBeGreaterThan(10);
        if (ignores) expect(heard).toBe(0);
        hangUp();
      }
    });

    const press = (party: Party, key: string, begin: number) => {
      for (let at = 0; at < 6; at++) {
        const payload = formatTelephoneEvent({ key, isEnd: at >= 3, duration: Math.min(at + 1, 4) * frameSamples });
        party.send(party.sender.packet(begin, payload, { marker: at === 0, payloadType: 101 }));
      }
    };
    const infos = ({ requests }: Phone) =>
      requests
        .filter(({ method }) => method === 'INFO')
        .map(({ headers, body }) => [headers.first('Content-Type'), String(body)]);

    test.each([
      [0, [], []],
      [1, ['5'], []],
      [2, [], [['application/dtmf-relay', expect.stringMatching(/^Signal=5\r\nDuration=\d+\r\n$/)]]],
      [3, [], [['application/dtmf-relay', expect.stringMatching(/^Signal=5\r\nDuration=\d+\r\n$/)]]],
      [4, [], [['application/dtmf', '5']]],
    ])('tx_dtmf_format_id %d: a key that the caller presses in RTP', async (tx_dtmf_format_id, inRtp, inInfo) => {
      const { own, ownPhone, carrier, carrierPhone, hangUp } = await house.inbound({ settings: { tx_dtmf_format_id } });
      await carrier.isHeardBy(own);
      // rtpengine tells of no keys: where the trunk takes none in RTP, the caller learns that it can press none there.
      const takesKeys = String(carrierPhone.responses.at(-1)?.body).includes('telephone-event');
      if (!isEmbedded) expect(takesKeys).toBe(tx_dtmf_format_id === 1);
      if (!isEmbedded && !takesKeys) return hangUp();
      press(carrier, '5', 10_000);
      await expect.poll(() => [own.keys, infos(ownPhone)]).toEqual([inRtp, inInfo]);
      await carrier.isHeardBy(own);
      expect([own.keys, infos(ownPhone)]).toEqual([inRtp, inInfo]);
      hangUp();
    });

    test.each([
      [1, ['3']],
      [2, ['7']],
      [3, ['3', '7']],
    ])('rx_dtmf_format_id %d: keys that the trunk presses in RTP and in INFO', async (rx_dtmf_format_id, heard) => {
      const { own, ownPhone, carrier, hangUp } = await house.inbound({ settings: { rx_dtmf_format_id } });
      await own.isHeardBy(carrier);
      press(own, '3', 10_000);
      await own.isHeardBy(carrier);
      const answer = Promise.withResolvers<number | undefined>();
      ownPhone.sessions[0]?.send(
        'INFO',
        { content: keyPressContent('dtmf-relay', { key: '7', durationMs: 160 }) },
        (response) => answer.resolve(response?.status),
      );
      expect(await answer.promise).toBe(200);
      // rtpengine plays keys between the packets of the one who presses them.
      await expect
        .poll(() => {
          own.speak(5);
          return carrier.keys;
        })
        .toEqual(heard);
      await own.isHeardBy(carrier);
      expect(carrier.keys).toEqual(heard);
      hangUp();
    });
  });
});
