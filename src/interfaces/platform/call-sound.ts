/** How calls sounded, as customers and operators see it: of one call, and of a day's calls of a trunk or carrier. */
import { plainObject, text } from '../../engines/jsonapi/attributes.ts';
import { type Facts, facts } from '../../engines/jsonapi/facts.ts';

type Schema = NonNullable<Facts['anyMember']>;

const number: Schema = { type: 'number' };
const numberOrNull: Schema = { type: ['number', 'null'] };

const all = (properties: Record<string, Schema>): Schema => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
});

const side = all({
  packets: number,
  lost: number,
  jitter_ms: number,
  round_trip_ms: numberOrNull,
  mos: numberOrNull,
  silent_seconds: number,
  codec: { type: ['string', 'null'] },
  encryption: { type: 'string' },
  dropped: { type: 'object', additionalProperties: number },
  course: {
    type: 'array',
    items: all({ second: number, lost: number, jitter_ms: number, mos: numberOrNull }),
  },
});

const soundProblems = {
  both_silent: 'Neither side sent anything.',
  caller_silent: 'The caller sent nothing.',
  caller_address: 'Packets of the caller came from an address that is not allowed, or not the one that was described.',
  caller_encryption: 'Packets of the caller were not encrypted with the keys that were agreed on.',
  caller_payload: 'Packets of the caller had a payload type that was not agreed on.',
  caller_refused: 'Packets of the caller were dropped.',
  called_silent: 'The called side sent nothing.',
  called_address: 'Packets of the called side came from an address that is not allowed, or not the one described.',
  called_encryption: 'Packets of the called side were not encrypted with the keys that were agreed on.',
  called_payload: 'Packets of the called side had a payload type that was not agreed on.',
  called_refused: 'Packets of the called side were dropped.',
};

/** Columns of both CDR tables. */
export const callSound = {
  sound_problem: text({
    nullable: true,
    values: soundProblems,
    doc: 'Why a side was not heard at all; null if both were, or nothing is known.',
  }),
  sound: plainObject(
    'call_sound',
    {},
    {
      nullable: true,
      anyMember: side,
      doc: 'What the server heard of the `caller` and the `called` side; null if media did not pass through it.',
    },
  ),
};

const dayOf = (time: string) => `${time} >= environment_time.now() - interval '1 day'`;

const figures = (from: string) => `(select jsonb_build_object('calls', count(*), 'one_way', count(c.sound_problem),
  'caller_mos', round(avg(c.caller_mos), 2)::text, 'called_mos', round(avg(c.called_mos), 2)::text,
  'caller_lost_percent', round(avg(c.caller_lost_percent), 2)::text,
  'called_lost_percent', round(avg(c.called_lost_percent), 2)::text)
  from ${from} c where c.sound is not null and ${dayOf('c.time_start')}`;

const figure = (doc: string) => facts('decimal', { nullable: true, doc });
const sides = {
  calls: facts('integer', { doc: 'Answered calls of which something was heard.' }),
  one_way: facts('integer', { doc: 'Those of them in which a side was not heard at all.' }),
  caller_mos: figure('Average estimate of what callers sent, from 1 to 4.5.'),
  called_mos: figure('The same of the called sides.'),
  caller_lost_percent: figure('Average share of packets of callers that did not come.'),
  called_lost_percent: figure('The same of the called sides.'),
};

/** Of the calls of a trunk in the last 24 hours. */
export const trunkSound = (cdrs: 'cdrs_in' | 'cdrs_out', owner: string) => ({
  sound_last_day: plainObject('trunk_sound', sides, {
    column: `${figures(cdrs)} and c.account_id = t.account_id and c.${owner} = t.id)`,
    doc: 'How its calls of the last 24 hours sounded.',
  }),
});

/** Of what a carrier sent in the last 24 hours: as the caller of calls in, as the called side of calls out. */
const ofCarrier = (cdrs: string, side: string) =>
  `select c.sound_problem, c.${side}_mos as mos, c.${side}_lost_percent as lost from ${cdrs} c
   where c.carrier_id = t.id and c.sound is not null and ${dayOf('c.time_start')}`;

export const carrierSound = {
  sound_last_day: plainObject(
    'carrier_sound',
    {
      calls: sides.calls,
      one_way: sides.one_way,
      mos: figure('Average estimate of what it sent, from 1 to 4.5.'),
      lost_percent: figure('Average share of its packets that did not come.'),
    },
    {
      column: `(select jsonb_build_object('calls', count(*), 'one_way', count(c.sound_problem),
        'mos', round(avg(c.mos), 2)::text, 'lost_percent', round(avg(c.lost), 2)::text)
        from (${ofCarrier('cdrs_in', 'caller')} union all ${ofCarrier('cdrs_out', 'called')}) c)`,
      doc: 'How its calls of the last 24 hours sounded.',
    },
  ),
};
