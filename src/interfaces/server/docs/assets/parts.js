/** What the scripts of the documentation share: making elements, and keeping a choice. */

export const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

/** A browser may forbid storing; then a choice is forgotten with the page. */
export const stored = {
  get: (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set: (name, value) => {
    try {
      localStorage.setItem(name, value);
    } catch {
      // Forgotten.
    }
  },
};
