/** How the calls of a trunk sounded in the last 24 hours, on its page. */
import { useRead } from '../api/queries.ts';
import { pathWith } from '../api/routes.ts';
import { Details } from './details.tsx';

export function TrunkSound({ id, direction }: { id: string; direction: 'in' | 'out' }) {
  const path = direction === 'in' ? '/panel/v1/trunk_sound/{id}' : '/panel/v1/outbound_trunk_sound/{id}';
  const read = useRead(pathWith(path, { id }));
  if (read.data === undefined) return null;
  const { calls, one_way, ...sound } = read.data.data.attributes.sound_last_day;
  if (calls === 0) return null;
  const own = direction === 'in' ? 'called' : 'caller';
  const other = direction === 'in' ? 'caller' : 'called';
  const heard = (side: 'caller' | 'called') =>
    `MOS ${sound[`${side}_mos`] ?? '–'}, ${sound[`${side}_lost_percent`] ?? '–'} % lost`;
  return (
    <Details
      title="How its calls sounded in the last 24 hours"
      rows={[
        ['Calls', calls],
        ['A side not heard', one_way],
        ['Your side sent', heard(own)],
        ['The other sent', heard(other)],
      ]}
    />
  );
}
