/** What rtpengine leaves to others in descriptions from browsers and to them. */
import { type Description, formatDescription, parseDescription } from '../../sdp/description.ts';
import { isOfBrowser } from '../browser-lines.ts';
import type { RtpengineLeg } from './leg.ts';

/** As `to` gets it: what only browsers say reaches no other party, and a browser hears how its media are bundled. */
export function forBrowsers(sdp: string, from: RtpengineLeg, to: RtpengineLeg): string {
  if (!from.settings.isBrowser && !to.settings.isBrowser) return sdp;
  const { session, media } = parseDescription(Buffer.from(sdp, 'latin1'));
  const isKept = (line: string) => !isOfBrowser(line);
  const bare = {
    session: session.filter(isKept),
    media: media.map((one) => ({ ...one, lines: one.lines.filter(isKept) })),
  };
  return formatDescription(to.settings.isBrowser ? bundledAlone(bare, to) : bare).toString('latin1');
}

/**
 * Each medium has a path of its own here: the first is the only one of its bundle. Browsers that insist on a bundle
 * refuse descriptions without.
 */
function bundledAlone({ session, media }: Description, { described }: RtpengineLeg): Description {
  const mids = media.map((_, at) => described?.midAt(at) ?? String(at));
  const first = mids[media.findIndex(({ port }) => port !== '0')];
  return {
    session: [...session, ...(first === undefined ? [] : [`a=group:BUNDLE ${first}`])],
    media: media.map((one, at) => ({ ...one, lines: [`a=mid:${mids[at]}`, ...one.lines] })),
  };
}
