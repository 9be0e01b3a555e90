/**
 * The script that starts the API reference. Scalar writes styles in ways that a strict Content-Security-Policy refuses,
 * though the same through the DOM's own interface is allowed: style elements get the nonce of the page, and style
 * attributes become properties.
 */
export const startScript = `
(() => {
  const nonce = document.querySelector('meta[property=csp-nonce]').content;
  const { createElement } = Document.prototype;
  Document.prototype.createElement = function (...given) {
    const element = createElement.apply(this, given);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
  const { setAttribute } = Element.prototype;
  Element.prototype.setAttribute = function (name, value) {
    if (name === 'style' && this.style) this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
  const { get, set, ...html } = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...html,
    get,
    set(text) {
      const given = String(text);
      const later = given.replace(/(<[^>]*\\s)style=(?=["'])/gi, '$1data-later-style=');
      set.call(this, later);
      if (later === given) return;
      for (const element of (this.content ?? this).querySelectorAll('[data-later-style]')) {
        element.style.cssText = element.dataset.laterStyle;
        element.removeAttribute('data-later-style');
      }
    },
  });
  addEventListener('DOMContentLoaded', () => {
    Scalar.createApiReference('#app', JSON.parse(document.getElementById('configuration').textContent));
  });
})();
`;
