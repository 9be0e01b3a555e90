/** How a call sounds, from the browser's own figures. */

export interface Quality {
  codec: string;
  /** Of the packets that were sent to this browser, in percent. */
  lossPercent: number;
  jitterMs: number;
  /** Null until the other side has told. */
  roundTripMs: number | null;
  /** Packets that were heard and sent so far. */
  heard: number;
  sent: number;
}

export async function qualityOf(peer: RTCPeerConnection): Promise<Quality | null> {
  const entries = [...(await peer.getStats()).values()];
  const found = (type: string) => entries.find((entry) => entry.type === type && (entry.kind ?? 'audio') === 'audio');
  const [inbound, outbound, remote] = [found('inbound-rtp'), found('outbound-rtp'), found('remote-inbound-rtp')];
  if (inbound === undefined) return null;
  const lost = Math.max(0, inbound.packetsLost ?? 0);
  const heard = inbound.packetsReceived ?? 0;
  const codec = entries.find(({ id }) => id === inbound.codecId)?.mimeType ?? '';
  return {
    codec: String(codec).replace('audio/', ''),
    lossPercent: heard + lost === 0 ? 0 : (100 * lost) / (heard + lost),
    jitterMs: 1000 * (inbound.jitter ?? 0),
    roundTripMs: remote?.roundTripTime === undefined ? null : 1000 * remote.roundTripTime,
    heard,
    sent: outbound?.packetsSent ?? 0,
  };
}

/** Beyond these a listener notices. */
export function soundsLike({ lossPercent, jitterMs, roundTripMs }: Quality): 'good' | 'fair' | 'poor' {
  if (lossPercent > 5 || jitterMs > 60 || (roundTripMs ?? 0) > 600) return 'poor';
  return lossPercent > 1 || jitterMs > 30 || (roundTripMs ?? 0) > 300 ? 'fair' : 'good';
}
