/** How a call sounds, from the browser's own figures. */

export interface Quality {
  codec: string;
  /** Of the packets that were sent to this browser, in percent. */
  lossPercent: number;
  jitterMs: number;
  /** From 1 to 4.5, as listeners would judge what arrives here. */
  mos: number;
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
  const lossPercent = heard + lost === 0 ? 0 : (100 * lost) / (heard + lost);
  const jitterMs = 1000 * (inbound.jitter ?? 0);
  const roundTripMs = remote?.roundTripTime === undefined ? null : 1000 * remote.roundTripTime;
  return {
    mos: mosOf({ lossPercent, jitterMs, roundTripMs }),
    codec: String(codec).replace('audio/', ''),
    ...{ lossPercent, jitterMs, roundTripMs },
    heard,
    sent: outbound?.packetsSent ?? 0,
  };
}

/** The E-model (ITU-T G.107) for G.711 that hides losses; about two jitters wait in the browser. */
function mosOf({
  lossPercent,
  jitterMs,
  roundTripMs,
}: Pick<Quality, 'lossPercent' | 'jitterMs' | 'roundTripMs'>): number {
  const delayMs = (roundTripMs ?? 0) / 2 + 2 * jitterMs;
  const delay = 0.024 * delayMs + 0.11 * Math.max(0, delayMs - 177.3);
  const losses = (95 * lossPercent) / (lossPercent + 25.1);
  const r = Math.min(100, Math.max(0, 93.2 - delay - losses));
  return 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6;
}

/** Beyond these a listener notices. */
export function soundsLike({ lossPercent, jitterMs, roundTripMs }: Quality): 'good' | 'fair' | 'poor' {
  if (lossPercent > 5 || jitterMs > 60 || (roundTripMs ?? 0) > 600) return 'poor';
  return lossPercent > 1 || jitterMs > 30 || (roundTripMs ?? 0) > 300 ? 'fair' : 'good';
}
