/** How a browser tells its media apart on one path: streams, header extensions for it, feedback that needs those. */
const ofBrowser =
  /^a=(?:mid|msid|msid-semantic|group|ssrc|ssrc-group|rid|simulcast|extmap|extmap-allow-mixed|rtcp-rsize|rtcp-fb:\S+ transport-cc)(?:[: ]|\s*$)/;

export const isOfBrowser = (line: string): boolean => ofBrowser.test(line);
