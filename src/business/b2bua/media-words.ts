/** What was heard in a call, in words: for the people who look at its trace because somebody heard nothing. */
import type { CallQuality, HeardMedia } from '../../engines/media/media-engine.ts';

/** One sentence for each party whose media were to be heard. */
export function mediaWords({ legs }: CallQuality): string[] {
  return legs.map(({ name, heard }) => `the ${name} ${heard.packets > 0 ? sentWords(heard) : nothingWords(heard)}`);
}

function sentWords(heard: HeardMedia): string {
  const { packets, codec, lost, jitterMs, roundTripMs, mos } = heard;
  const share = `${((100 * lost) / (packets + lost)).toFixed(1)} % lost`;
  return [
    `sent ${packets} packets${codec === null ? '' : ` of ${codec}`}`,
    share,
    `jitter ${Math.round(jitterMs)} ms`,
    ...(roundTripMs === null ? [] : [`round trip ${Math.round(roundTripMs)} ms`]),
    ...(mos === null ? [] : [`MOS ${mos.toFixed(1)}`]),
    ...droppedWords(heard),
  ].join(', ');
}

/** Where it came from, for the operator: customers do not see addresses of carriers. Null if nothing came. */
export function sourceWords({ legs }: CallQuality): string | null {
  const from = legs.flatMap(({ name, heard: { source } }) => (source === null ? [] : [`the ${name} from ${source}`]));
  return from.length === 0 ? null : `media came: ${from.join(', ')}`;
}

const nothingWords = (heard: HeardMedia): string => ['sent nothing that was taken', ...droppedWords(heard)].join(', ');

const dropReasons: Readonly<Record<string, string>> = {
  address: 'came from an address that is not allowed, or not the one that was described',
  ssrc: 'belonged to another stream',
  payload: 'had a payload type that was not agreed on',
  authentication: 'were not encrypted with the keys that were agreed on',
  replay: 'were sent again by somebody',
  malformed: 'were no RTP',
  rate: 'were too many',
  refused: 'were refused by rtpengine',
};

const droppedWords = ({ dropped }: HeardMedia): string[] =>
  Object.entries(dropped)
    .filter(([, count]) => count > 0)
    .map(([why, count]) => `${count} packets ${dropReasons[why] ?? `were dropped (${why})`}`);
