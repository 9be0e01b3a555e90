/**
 * Who carries the voices of calls: the interface that the call engine speaks, whoever is behind it. It follows offer
 * and answer (RFC 3264): a description goes in as one party sent it, and comes out as the other party is to get it.
 */

/** How a party's media are protected: as its trunk demands, or, for `as offered`, as the party itself describes. */
export type LegEncryption = 'disabled' | 'srtp_sdes' | 'srtp_dtls' | 'zrtp' | 'as offered';

/** What is known of a party before it is described to; can be sent to another thread as it is. */
export interface LegSettings {
  encryption: LegEncryption;
  /** Addresses and networks that packets may come from; null for any. */
  allowedAddresses: readonly string[] | null;
  /** Send to where packets come from: always, or where the described address is private and cannot be reached. */
  latches: 'when private' | 'always';
  /** Whether the source of RTCP moves RTCP's own target only, never that of RTP, and is not waited for. */
  ignoresRtcpSource: boolean;
  /** Empty packets open the path until the party sends. */
  pings: boolean;
  /** Seconds without a packet, while the party should send, after which it counts as silent; null for never. */
  silenceSeconds: number | null;
  /** What becomes of key presses in the RTP of this party: they go on in RTP, are taken out and told, or dropped. */
  keyPresses: 'passed' | 'told' | 'dropped';
  /** A browser: ICE (lite), rtcp-mux, DTLS. */
  isBrowser: boolean;
  /** The family of the address that is described to it; null for that of its own description, else any. */
  family: 4 | 6 | null;
  /**
   * Names of codecs in lower case, the preferred first: where the other side has none of them, the media are
   * transcoded to these. Null if it gets what the other side describes, whatever that is.
   */
  codecs: readonly string[] | null;
}

/** One direction: what a party sent. */
export interface HeardMedia {
  packets: number;
  bytes: number;
  /** Of the sequence numbers that were to come; never negative. */
  lost: number;
  jitterMs: number;
  /** From RTCP, null as long as none told. */
  roundTripMs: number | null;
  /** Estimate of the E-model, 1 to 4.5; null without enough packets. */
  mos: number | null;
  /** Where packets came from, `address:port`; null if none came. */
  source: string | null;
  /**
   * Packets that were dropped, by why: `address`, `ssrc`, `payload`, `authentication`, `replay`, `malformed`, `rate`;
   * `refused` where the engine does not tell.
   */
  dropped: Readonly<Record<string, number>>;
  codec: string | null;
  encryption: string;
  /** How it went over time, a point for every five seconds at most 720 of them, oldest first. */
  course: readonly { second: number; packets: number; lost: number; jitterMs: number; mos: number | null }[];
}

/** One for each leg, in the order in which they were made. */
export interface CallQuality {
  legs: readonly { name: string; heard: HeardMedia }[];
}

export interface MediaUser {
  /** A party should send and has sent nothing for the seconds of its settings. Told once. */
  silent(leg: MediaLeg): void;
  /** A key that was pressed in the RTP of a leg whose key presses are told. */
  keyPress(leg: MediaLeg, key: string, durationMs: number): void;
  /** The engine is gone and with it the voices: the call has to end. Told once; `close` must still be called. */
  died(reason: string): void;
  /** Asked before media are transcoded; without it they are not. */
  mayTranscode?(): boolean;
}

export interface MediaLeg {
  readonly name: string;
  /** Sends a key press into the RTP towards this party (RFC 4733), if it takes telephone events; else false. */
  press(key: string, durationMs: number): boolean;
}

export interface MediaCall {
  /** A party. It gets ports when it is first described to, and keeps them. */
  leg(name: string, settings: LegSettings): MediaLeg;
  /** What `from` offers, as `to` gets it. Rejects with `MediaRefused` or `MediaUnavailable`. */
  offer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer>;
  /** What `from` answers to the last offer of `to`, as `to` gets it. */
  answer(from: MediaLeg, to: MediaLeg, sdp: Buffer): Promise<Buffer>;
  /** The last offer between these two was refused: what stood before stands. */
  refused(from: MediaLeg, to: MediaLeg): void;
  /** A party that has left; the call goes on. */
  drop(leg: MediaLeg): void;
  quality(): Promise<CallQuality>;
  /** Frees all ports. Never rejects; what an engine that died could not tell is missing. May be called twice. */
  close(): Promise<CallQuality>;
}

export interface MediaEngine {
  readonly name: 'embedded' | 'rtpengine';
  /** Null if it joins only those who share a codec. */
  readonly transcoding: Transcoding | null;
  /** Takes no ports yet. Throws `MediaUnavailable` at once if no engine is there. */
  open(callId: string, user: MediaUser): MediaCall;
  /** Closes ports of calls whose process was killed. Absent where ports end with their process. */
  forget?(callIds: readonly string[]): void;
  /** For `/metrics`, `/readyz` and the operator's pages. */
  state(): MediaEngineState;
  stop(): Promise<void>;
}

export interface Transcoding {
  /** Names of codecs that it decodes and encodes, in lower case. */
  readonly codecs: readonly string[];
  /** Calls at a time. */
  readonly most: number;
}

export interface MediaEngineState {
  calls: number;
  /** Ports of the range, and how many are free; null where the engine does not tell. */
  ports: { all: number; free: number } | null;
  /** Parts of the engine: worker threads, or rtpengine hosts. */
  parts: readonly { name: string; isUp: boolean; calls: number; problem: string | null }[];
}

/** No engine or no port: new calls get 503. The message is one sentence that an operator understands. */
export class MediaUnavailable extends Error {}

/** What a party described cannot be joined with the other: 488. The message names why. */
export class MediaRefused extends Error {}
