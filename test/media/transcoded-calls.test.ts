/** A call to a trunk that has none of the caller's codecs, where the operator lets rtpengine transcode. */
import { expect, test } from 'vitest';
import { useOpened } from '../support/use.ts';
import { openMediaHouse } from './media-house.ts';

const house = useOpened(() => openMediaHouse('rtpengine'));

/** Those that are up, and those that ever were. */
async function counted(): Promise<string[]> {
  const text = await (await fetch(`${house.url}/metrics`)).text();
  return text.split('\n').flatMap((line) => /^trunkline_media_transcoded_calls.* (\d+)$/.exec(line)?.[1] ?? []);
}

test('the trunk hears the caller, and the CDR, the trace and the metrics tell how', async () => {
  const call = await house.inbound({
    settings: { codec_ids: [10, 6] },
    own: { formats: '8 101' },
    carrierOwn: { formats: '0 101' },
  });
  const { own, carrier, hangUp, cdr, accountId } = call;
  await carrier.isHeardBy(own);
  expect(new Set(own.packets.map(({ payloadType }) => payloadType))).toEqual(new Set([8]));
  expect(await counted()).toEqual(['1', '1']);
  hangUp();
  await expect.poll(cdr).toMatchObject({ sound: { caller: { codec: 'PCMU' }, called: { codec: 'PCMA' } } });
  expect(await counted()).toEqual(['0', '1']);
  const { voice, world } = house.world;
  await voice.recorder.flush();
  const { rows } = await world.env.pool.query<{ parts: string }>(
    `select jsonb_agg(p)::text as parts from call_trace_parts p join call_traces using (call_id) where account_id = $1`,
    [accountId],
  );
  expect(rows[0]?.parts).toContain('media: the two sides share no codec, so what they send is transcoded');
});
