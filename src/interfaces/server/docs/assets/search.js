/** Search over guides and reference: nothing is asked of the server but the index, once. */
import { make } from './parts.js';

const { up, query } = document.body.dataset;
const dialog = document.querySelector('.search');
const input = dialog.querySelector('input');
const list = dialog.querySelector('ol');
const hint = dialog.querySelector('.hint');
const usual = [
  ['Authentication', 'guides/authentication'],
  ['Paging and filters', 'guides/paging-and-filters'],
  ['Rate limits', 'guides/authentication#rate-limits'],
  ['Webhooks and callbacks', 'guides/callbacks'],
  ['Errors', 'guides/errors'],
  ['Test numbers', 'guides/sandbox#test-numbers'],
  ['Uploads', 'guides/paperwork'],
  ['Versions', 'guides/versions'],
];
let index = null;
const load = async () => {
  hint.textContent = 'Loading …';
  index ??= fetch(`${up}search.json${query}`).then((response) => response.json());
  await index;
  show();
};
const wordsOf = (text) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '');
const scoreOf = ({ title, text }, words) => {
  const [inTitle, inText] = [title.toLowerCase(), text.toLowerCase()];
  let score = 0;
  for (const word of words) {
    const found = inTitle.startsWith(word) ? 8 : inTitle.includes(word) ? 5 : inText.includes(word) ? 1 : 0;
    if (found === 0) return 0;
    score += found;
  }
  return score;
};
const entry = ({ title, of, to }, isFirst) => {
  const [path, section = ''] = to.split('#');
  const link = make(
    'a',
    { href: `${up}${path}${query}${section === '' ? '' : `#${section}`}`, role: 'option' },
    title,
    make('span', { textContent: of }),
  );
  link.setAttribute('aria-selected', String(isFirst));
  return make('li', {}, link);
};
async function show() {
  const words = wordsOf(input.value);
  if (words.length === 0) {
    const all = await index;
    const there = usual.filter(([, to]) => all.some((each) => each.to.split('#')[0] === to.split('#')[0]));
    list.replaceChildren(
      ...there.map(([title, to], place) => entry({ title, of: String(place + 1), to }, place === 0)),
    );
    hint.textContent = there.length === 0 ? 'Type to search.' : 'Type to search, or press the number.';
    return;
  }
  const found = (await index)
    .map((each) => ({ each, score: scoreOf(each, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, 20);
  list.replaceChildren(...found.map(({ each }, place) => entry(each, place === 0)));
  hint.textContent = found.length === 0 ? 'Nothing found.' : '';
}
const openSearch = () => {
  dialog.showModal();
  input.select();
  load();
};

export function startSearch() {
  document.querySelector('.find').addEventListener('click', openSearch);
  addEventListener('keydown', (event) => {
    const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName);
    if ((event.key === '/' && !isTyping) || (event.key === 'k' && (event.metaKey || event.ctrlKey))) {
      event.preventDefault();
      openSearch();
    }
  });
  input.addEventListener('input', show);
  dialog.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.findIndex((link) => link.getAttribute('aria-selected') === 'true');
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && links.length > 0) {
      event.preventDefault();
      links[at]?.setAttribute('aria-selected', 'false');
      const next = links[(at + step + links.length) % links.length];
      next.setAttribute('aria-selected', 'true');
      next.scrollIntoView({ block: 'nearest' });
    }
    const chosen =
      input.value === '' && /^[1-8]$/.test(event.key)
        ? links[Number(event.key) - 1]
        : event.key === 'Enter'
          ? links[at]
          : null;
    if (chosen) {
      event.preventDefault();
      dialog.close();
      location.assign(chosen.href);
    }
  });
  list.addEventListener('click', () => dialog.close());
}
