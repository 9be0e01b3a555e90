/** sipp plays a tone as caller and as called side, and the other side hears it through each media engine. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { Party } from '../../src/engines/media/embedded/party.fixture.ts';
import { toneFrames, toneOf } from '../../src/engines/speech/tone.ts';
import { startSipp } from '../support/sipp.ts';
import { useOpened } from '../support/use.ts';
import { openMediaHouse } from './media-house.ts';

const hertz = 900;
const frames = toneFrames(hertz);
const second = Buffer.concat(Array.from({ length: 50 }, () => frames.next().value));
const file = { name: 'tone.ulaw', content: second };

const content = (body: Buffer) => ({ type: 'application/sdp', body });
const hearing = (party: Party) => expect.poll(() => toneOf(party.heard.samples.subarray(-800)));

describe.each(['embedded', 'rtpengine'] as const)('%s', (engine) => {
  const house = useOpened(() => openMediaHouse(engine));

  async function play(...[scenario, options]: Parameters<typeof startSipp>) {
    const run = await startSipp(scenario, { ...options, file });
    onTestFinished(() => run.stop());
    return run;
  }

  test('sipp calls', async () => {
    const { world } = house;
    const [trunk, own] = [await world.phone(), await Party.open({ formats: '0' })];
    const { number } = await world.number([trunk.port]);
    trunk.onCall = (call) => {
      own.told(call.transaction.request.body);
      trunk.answer(call, content(own.describe()));
    };
    const run = await play('caller-plays', {
      server: world.endpoint.ports.udp,
      number,
      set: { from: '+442071234567' },
    });
    await hearing(own).toBe(hertz);
    trunk.sessions[0]?.hangUp();
    await run.finished();
  });

  test('sipp is called', async () => {
    const { world } = house;
    const [caller, own] = [await world.phone(), await Party.open({ formats: '0' })];
    const run = await play('called-plays');
    const { number } = await world.number([run.port]);
    caller.dial(number, { extra: { content: content(own.describe()) } });
    await expect.poll(() => caller.events).toContain('answered');
    own.told(caller.responses.at(-1)?.body ?? Buffer.alloc(0));
    await hearing(own).toBe(hertz);
    caller.sessions[0]?.hangUp();
    await run.finished();
  });
});
