/** Texts in Markdown, of guides and of declarations, as HTML: sections with addresses, code with colours. */
import { Marked, type Token, type Tokens } from 'marked';
import { coloured, languageName } from './colours.ts';
import { type Html, html, made, slug } from './html.ts';

export interface Heading {
  level: number;
  title: string;
  id: string;
}

interface Text {
  html: Html;
  headings: readonly Heading[];
}

const inline = new Marked({ gfm: true, async: false });

/** A line or two within something else: no headings. */
export const line = (text: string): Html => made(inline.parseInline(text, { async: false }));

/** A text of its own. Programs that do the same in several languages, one after another, become tabs. */
export function markdown(text: string): Text {
  const headings: Heading[] = [];
  const marked = new Marked({
    gfm: true,
    async: false,
    renderer: {
      heading({ tokens, depth }) {
        const title = plain(tokens);
        const id = slug(title);
        headings.push({ level: depth, title, id });
        return html`<h${depth} id="${id}"><a class="anchor" href="#${id}" aria-label="Link to this section">#</a>${made(this.parser.parseInline(tokens))}</h${depth}>\n`
          .text;
      },
      code: ({ text: code, lang = '' }) => codeBlock(code, lang).text,
      table(token) {
        return `<div class="wide">${tableOf(token, (cell) => this.parser.parseInline(cell.tokens))}</div>`;
      },
    },
  });
  const shown = tabs(marked.parse(text, { async: false }));
  return { html: made(shown), headings: headings.filter(({ id }) => shown.includes(` id="${id}"`)) };
}

const codeBlock = (code: string, language: string): Html =>
  html`<div class="code" data-language="${languageName(language)}"><button class="copy" type="button">Copy</button><pre tabindex="0"><code>${coloured(code, language)}</code></pre></div>\n`;

function tableOf({ header, rows }: Tokens.Table, cellText: (cell: Tokens.TableCell) => string): string {
  const row = (cells: readonly Tokens.TableCell[], name: string) =>
    `<tr>${cells.map((cell) => `<${name}>${cellText(cell)}</${name}>`).join('')}</tr>`;
  return `<table><thead>${row(header, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

/** Blocks of code that follow each other, each in a language of its own, with or without a title that names it. */
const neighbours =
  /(?:(?:<h3 [^>]*>(?:(?!<\/h3>).)*<\/h3>\s*)?<div class="code" data-language="[^"]+">(?:(?!<div class="code")[\s\S])*?<\/pre><\/div>\s*){2,}/g;

function tabs(text: string): string {
  return text.replace(neighbours, (blocks) => {
    const names = [...blocks.matchAll(/data-language="([^"]+)"/g)].map(([, name]) => name);
    if (new Set(names).size < names.length) return blocks;
    return `<div class="tabs">${blocks.replaceAll(/<h3 .*?<\/h3>\s*/g, '')}</div>`;
  });
}

function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return plain(token.tokens);
      return 'text' in token ? String(token.text) : token.raw;
    })
    .join('');
}
