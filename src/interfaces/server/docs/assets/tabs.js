/** Code in several languages: one choice for all blocks of all pages, which is remembered. */
import { make, stored } from './parts.js';

const groups = [];
const languageKey = 'docs-language';
/** `options` are pairs of a language and what to do when it is chosen. */
export const addTabs = (before, options) => {
  const list = make('div', { role: 'tablist' });
  const tabs = options.map(([language, show]) => {
    const tab = make('button', { type: 'button', role: 'tab', textContent: language });
    tab.addEventListener('click', () => {
      stored.set(languageKey, language);
      for (const group of groups) group(language);
    });
    return { tab, language, show };
  });
  list.append(...tabs.map(({ tab }) => tab));
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ tab }) => tab === document.activeElement);
    const { tab } = tabs[(at + step + tabs.length) % tabs.length];
    tab.focus();
    tab.click();
  });
  before.before(list);
  const choose = (language) => {
    if (!tabs.some((each) => each.language === language)) return;
    for (const each of tabs) {
      const chosen = each.language === language;
      each.tab.setAttribute('aria-selected', String(chosen));
      each.tab.tabIndex = chosen ? 0 : -1;
      each.show(chosen);
    }
  };
  groups.push(choose);
  choose(tabs[0].language);
  choose(stored.get(languageKey));
};

export function startTabs() {
  for (const block of document.querySelectorAll('.tabs')) {
    const codes = [...block.querySelectorAll('.code')];
    addTabs(
      block,
      codes.map((code) => [code.dataset.language, (chosen) => (code.hidden = !chosen)]),
    );
  }
}
