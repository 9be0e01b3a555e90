/** Worlds are opened for their first request and closed when unused. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { OpenWorlds } from './open-worlds.ts';

const house = useOpened(() => createTestEnvironment());

/** Worlds whose service stops when the test says so. */
function openStage() {
  const stopped = Promise.withResolvers<void>();
  const events: string[] = [];
  const worlds = new OpenWorlds({
    opener: {
      openEnvironment: async () => ({
        env: house.env,
        serve: async () => ({ sipPort: null, handle: () => undefined, stop: () => stopped.promise }),
        prepareTemplate: async () => undefined,
        close: async () => void events.push('closed'),
      }),
      sealed: [],
      threadProgram: '',
    },
    urlOf: (id) => id,
    prepare: async (id) => void events.push(`prepared ${id}`),
  });
  return { worlds, events, stop: stopped.resolve };
}

test('a world is prepared each time it is opened, before it is used', async () => {
  const { worlds, events, stop } = openStage();
  stop();
  for (let times = 0; times < 2; times++) {
    await worlds.use('1', async () => void events.push('used'));
    await worlds.close('1');
  }
  expect(events).toEqual(['prepared 1', 'used', 'closed', 'prepared 1', 'used', 'closed']);
  await worlds.stop();
});

test('whoever closes a world that is being closed waits until it is', async () => {
  const { worlds, events, stop } = openStage();
  await worlds.begin('1');
  const closes = [worlds.close('1'), worlds.close('1')].map((close) => close.then(() => events.includes('closed')));
  stop();
  expect(await Promise.all(closes)).toEqual([true, true]);
  await worlds.stop();
});
