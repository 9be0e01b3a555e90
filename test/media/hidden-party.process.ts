/** The process behind `hidden-party.ts`: a party at the address of its argument, asked by messages. */
import { createSocket } from 'node:dgram';
import type { Asked } from './hidden-party.ts';
import { openParty } from './parties.ts';

const party = await openParty(process.argv[2]);
const knocking = createSocket('udp4');

function doWhatIsAsked(asked: Asked): string | number | null {
  switch (asked.act) {
    case 'offer':
      return String(party.audio.offer().body);
    case 'answer':
      return String(party.audio.answer(Buffer.from(asked.sdp)).body);
    case 'accept':
      party.audio.accept(Buffer.from(asked.sdp));
      return null;
    case 'play':
      party.play(asked.hertz);
      return null;
    case 'hears':
      return party.hears();
    case 'knock':
      for (const port of asked.ports) knocking.send('knock', port, asked.address);
      return null;
  }
}

process.on('message', (asked: Asked) => process.send?.(doWhatIsAsked(asked)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
