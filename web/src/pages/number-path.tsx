/** The way of a call to a number, drawn as a path: the number, a group, its trunks in turn, and whether each is up. */
import { IconArrowsSplit2, IconHash, IconServer2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type Did, type One, related, relatedMany } from '../api/documents.ts';
import { showNumber } from '../parts/format.ts';
import { RouteLink } from '../parts/links.tsx';
import { HealthBadge, useTrunkHealth } from '../parts/trunk-health.tsx';

export function NumberPath({ document }: { document: One<Did> }) {
  const did = document.data;
  const health = useTrunkHealth();
  const group = related(document, did, 'voice_in_trunk_group');
  const trunk = related(document, did, 'voice_in_trunk');
  const trunks = group ? relatedMany(document, group, 'voice_in_trunks') : trunk ? [trunk] : [];
  const inTurn = trunks.toSorted((one, other) => one.attributes.priority - other.attributes.priority);
  return (
    <ol className="route-path" aria-label="The way of a call">
      <Stop icon={<IconHash size={16} aria-hidden />} title={showNumber(did.attributes.number)} note="a call arrives" />
      {group && (
        <Stop
          icon={<IconArrowsSplit2 size={16} aria-hidden />}
          title={
            <RouteLink to="/trunk-groups/$id" params={{ id: group.id }}>
              {group.attributes.name}
            </RouteLink>
          }
          note={`${inTurn.length === 1 ? '1 trunk' : `${inTurn.length} trunks`}, in turn`}
        />
      )}
      {inTurn.length === 0 ? (
        <Stop isOpen title="Nowhere yet" note={group ? 'the group has no trunks' : 'choose a trunk below'} />
      ) : (
        <li className="route-ends">
          {inTurn.map(({ id, attributes }) => (
            <div key={id} className="route-stop" data-state={health.get(id)?.health}>
              <IconServer2 size={16} aria-hidden />
              <span>
                <RouteLink to="/trunks/$id" params={{ id }}>
                  {attributes.name}
                </RouteLink>
                <small>{group ? `priority ${attributes.priority}` : 'rings here'}</small>
              </span>
              {health.has(id) && <HealthBadge health={health.get(id)} />}
            </div>
          ))}
        </li>
      )}
    </ol>
  );
}

interface StopProps {
  icon?: ReactNode;
  title: ReactNode;
  note: string;
  isOpen?: boolean;
}

const Stop = ({ icon, title, note, isOpen }: StopProps) => (
  <li className="route-stop" data-open={isOpen}>
    {icon}
    <span>
      {title}
      <small>{note}</small>
    </span>
  </li>
);
