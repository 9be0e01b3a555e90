/** The cart: kept in this browser until it is ordered. Single numbers in it are held for the account by the server. */
import { useLocalStorage } from '@mantine/hooks';
import { useSession } from '../api/queries.ts';

export interface CartLine {
  id: string;
  skuId: string;
  /** Where the numbers are: "London, United Kingdom". */
  place: string;
  setupPrice: string;
  monthlyPrice: string;
  qty: number;
  /** A single number that is held. */
  held?: { reservationId: string; number: string };
}

interface Cart {
  lines: readonly CartLine[];
  add(line: Omit<CartLine, 'id'>): void;
  remove(id: string): void;
  clear(): void;
}

/** One cart for each account and environment. */
export function useCart(): Cart {
  const { data: session } = useSession();
  const [lines, setLines] = useLocalStorage<readonly CartLine[]>({
    key: `trunkline.cart.${session?.environment}.${session?.account?.id}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return {
    lines,
    add: (line) =>
      setLines((before) => [...before, { ...line, id: `${line.skuId}.${before.length}.${performance.now()}` }]),
    remove: (id) => setLines((before) => before.filter((line) => line.id !== id)),
    clear: () => setLines([]),
  };
}
