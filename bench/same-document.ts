/** A comparison counts only when both give the same document. */
export async function requireSameDocument(ours: string, peer: string, key: string): Promise<void> {
  const read = async (url: string) => {
    const text = await (await fetch(url, { headers: { 'api-key': key } })).text();
    return normal(JSON.parse(text.replaceAll(new URL(url).origin, '')));
  };
  const [left, right] = await Promise.all([read(ours), read(peer)]);
  if (left === right) return;
  const at = [...left].findIndex((character, index) => character !== right[index]);
  const around = (text: string) => text.slice(Math.max(0, at - 300), at + 300);
  throw new Error(`the documents differ:\n${around(left)}\n${around(right)}`);
}

/** Included resources come in no promised order. */
function normal(document: { included?: { type: string; id: string }[] }): string {
  document.included?.sort((a, b) => (a.type + a.id < b.type + b.id ? -1 : 1));
  return JSON.stringify(document);
}
