/** How a call sounded, as it is kept with its CDR: what each side sent, and what was wrong with it, by a name. */
import type { CallQuality, HeardMedia } from '../../engines/media/media-engine.ts';

/** A piece of the call: losses of it, and the worst of the rest. */
interface SoundPoint {
  /** Until when, from the beginning of its media. */
  readonly second: number;
  readonly lost: number;
  readonly jitter_ms: number;
  readonly mos: number | null;
}

/** What one side sent, without addresses: of a carrier's the customer must not know them. */
interface HeardSide {
  readonly packets: number;
  readonly lost: number;
  readonly jitter_ms: number;
  readonly round_trip_ms: number | null;
  readonly mos: number | null;
  /** While the other side was heard. */
  readonly silent_seconds: number;
  readonly codec: string | null;
  readonly encryption: string;
  readonly dropped: Readonly<Record<string, number>>;
  readonly course: readonly SoundPoint[];
}

type Party = 'caller' | 'called';
/** Why nothing was heard of a side: it sent nothing, or what it sent was dropped for this reason. */
type Cause = 'silent' | 'address' | 'encryption' | 'payload' | 'refused';
type SoundProblem = `${Party}_${Cause}` | 'both_silent';

export interface CallSound {
  readonly caller: HeardSide;
  readonly called: HeardSide;
  /** Null if both were heard, or the call was too short to tell. */
  readonly problem: SoundProblem | null;
}

/** A call of an hour has a point for each minute. */
const mostPoints = 60;
/** Of the side that was heard, before it is strange that the other was not: a second. */
const tellingPackets = 50;
/** Length of a call in which nobody was heard, before that is strange. */
const tellingSeconds = 5;

interface WithMedia {
  readonly timeConnect: Date | null;
  readonly sound?: CallSound | null;
}

/** The call with what was heard of it until its end. */
export function withSound<C extends WithMedia>(call: C, quality: CallQuality | null, endedAt: Date): C {
  if (quality === null || call.timeConnect === null) return call;
  return { ...call, sound: soundOf(quality, (endedAt.getTime() - call.timeConnect.getTime()) / 1000) };
}

/** The last party of each side counts; null if the media of a side were never agreed. */
function soundOf({ legs }: CallQuality, seconds: number): CallSound | null {
  const last = (name: string) => {
    const all = legs.filter((leg) => leg.name === name).map(({ heard }) => heard);
    return all.findLast(({ packets }) => packets > 0) ?? all.at(-1);
  };
  const [caller, called] = [last('caller'), last('called side')];
  if (caller === undefined || called === undefined) return null;
  return {
    caller: heardSide(caller, called),
    called: heardSide(called, caller),
    problem: problemOf(caller, called, seconds),
  };
}

function problemOf(caller: HeardMedia, called: HeardMedia, seconds: number): SoundProblem | null {
  const isHeard = ({ packets }: HeardMedia) => packets >= tellingPackets;
  const isUnheard = ({ packets }: HeardMedia) => packets === 0;
  if (isHeard(called) && isUnheard(caller)) return `caller_${causeOf(caller)}`;
  if (isHeard(caller) && isUnheard(called)) return `called_${causeOf(called)}`;
  if (seconds < tellingSeconds || !isUnheard(caller) || !isUnheard(called)) return null;
  const [ofCaller, ofCalled] = [causeOf(caller), causeOf(called)];
  if (ofCaller !== 'silent') return `caller_${ofCaller}`;
  return ofCalled === 'silent' ? 'both_silent' : `called_${ofCalled}`;
}

const causes: Readonly<Record<string, Cause>> = {
  address: 'address',
  authentication: 'encryption',
  replay: 'encryption',
  payload: 'payload',
};

/** By what most of its packets were dropped for. */
function causeOf({ dropped }: HeardMedia): Cause {
  const [most] = Object.entries(dropped).toSorted(([, one], [, other]) => other - one);
  return most === undefined || most[1] === 0 ? 'silent' : (causes[most[0]] ?? 'refused');
}

function heardSide(heard: HeardMedia, other: HeardMedia): HeardSide {
  const { packets, lost, jitterMs, roundTripMs, mos, codec, encryption, dropped } = heard;
  return {
    ...{ packets, lost, jitter_ms: Math.round(jitterMs) },
    round_trip_ms: roundTripMs === null ? null : Math.round(roundTripMs),
    mos: rounded(mos),
    silent_seconds: silentSeconds(heard, other),
    ...{ codec, encryption, dropped },
    course: thinned(heard.course),
  };
}

const rounded = (mos: number | null): number | null => (mos === null ? null : Math.round(mos * 100) / 100);

/** Both courses end together: with the call. */
function silentSeconds({ course }: HeardMedia, { course: other }: HeardMedia): number {
  let seconds = 0;
  for (let back = 1; back <= Math.min(course.length, other.length); back++) {
    const [own, others] = [course.at(-back), other.at(-back)];
    if (own?.packets === 0 && (others?.packets ?? 0) > 0) seconds += own.second - (course.at(-back - 1)?.second ?? 0);
  }
  return seconds;
}

function thinned(course: HeardMedia['course']): SoundPoint[] {
  const size = Math.ceil(course.length / mostPoints);
  return Array.from({ length: size === 0 ? 0 : Math.ceil(course.length / size) }, (_, at) => {
    const part = course.slice(at * size, (at + 1) * size);
    const rated = part.flatMap(({ mos }) => mos ?? []);
    return {
      second: part.at(-1)?.second ?? 0,
      lost: part.reduce((sum, { lost }) => sum + lost, 0),
      jitter_ms: Math.round(Math.max(...part.map(({ jitterMs }) => jitterMs))),
      mos: rated.length === 0 ? null : rounded(Math.min(...rated)),
    };
  });
}

/** The columns of both CDR tables; of an attempt that was not answered they are null. */
export function soundColumns(sound: CallSound | null | undefined) {
  const lostPercent = (side: HeardSide | undefined) =>
    side === undefined || side.packets === 0 ? null : ((100 * side.lost) / (side.packets + side.lost)).toFixed(2);
  return {
    sound: sound ? { caller: sound.caller, called: sound.called } : null,
    sound_problem: sound?.problem ?? null,
    caller_mos: sound?.caller.mos?.toFixed(2) ?? null,
    called_mos: sound?.called.mos?.toFixed(2) ?? null,
    caller_lost_percent: lostPercent(sound?.caller),
    called_lost_percent: lostPercent(sound?.called),
  };
}

/** The row of a CDR as its statement takes it: JSON within JSON. */
export type WithSound<Row> = Omit<Row, 'sound'> & Pick<ReturnType<typeof soundColumns>, 'sound'>;
