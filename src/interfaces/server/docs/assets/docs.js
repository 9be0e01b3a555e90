/** Starts what moves on the pages of the documentation. */
import { startRequests } from './requests.js';
import { startSearch } from './search.js';
import { startTabs } from './tabs.js';

document.addEventListener('click', async ({ target }) => {
  if (!(target instanceof HTMLElement) || !target.matches('.copy')) return;
  await navigator.clipboard.writeText(target.parentElement.querySelector('pre:not([hidden])').textContent);
  target.textContent = 'Copied';
  target.addEventListener('blur', () => (target.textContent = 'Copy'), { once: true });
});

const menu = document.querySelector('.menu');
menu.addEventListener('click', () => {
  const isOpen = document.getElementById('pages').classList.toggle('open');
  menu.setAttribute('aria-expanded', String(isOpen));
});
document.querySelector('.version select')?.addEventListener('change', ({ target }) => {
  const address = new URL(location.href);
  address.searchParams.set('version', target.value);
  location.assign(address);
});
/** What an address names may lie in a closed part. */
const reveal = () => {
  const target = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
};
addEventListener('hashchange', reveal);

startTabs();
startRequests();
startSearch();
reveal();
