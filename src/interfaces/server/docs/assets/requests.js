/** Requests of the reference in other languages, and a form that sends them. */
import { make } from './parts.js';
import { addTabs } from './tabs.js';

const { root, access = '{}' } = document.body.dataset;
const filledIn = JSON.parse(access);
const literal = (value) => JSON.stringify(value, null, 2);
const headersOf = ({ headers, access: takes, media, bodies }) => ({
  ...(takes === 'api-key' ? { 'api-key': filledIn['api-key'] ?? 'YOUR_KEY' } : {}),
  ...(takes === 'application' ? { authorization: `Basic ${btoa(filledIn.application ?? 'KEY:SECRET')}` } : {}),
  ...headers,
  ...(bodies.length > 0 && media !== 'multipart/form-data' ? { 'content-type': media } : {}),
});
const base = new URL(root, location.href).href.replace(/\/$/, '');
const python = (value) =>
  literal(value).replace(
    /\b(true|false|null)\b(?=[,\n\]}]|$)/g,
    (word) => ({ true: 'True', false: 'False', null: 'None' })[word],
  );
const languages = {
  JavaScript: (request) => {
    const body =
      request.bodies[0] === undefined
        ? ''
        : `\n  body: JSON.stringify(${literal(request.bodies[0].value).replaceAll('\n', '\n  ')}),`;
    return `const response = await fetch('${base}${request.path}', {\n  method: '${request.method}',\n  headers: ${literal(headersOf(request)).replaceAll('\n', '\n  ')},${body}\n});\nconsole.log(response.status, await response.json());`;
  },
  Python: (request) => {
    const body =
      request.bodies[0] === undefined
        ? ''
        : `\n    data=json.dumps(${python(request.bodies[0].value).replaceAll('\n', '\n    ')}),`;
    return `import json, requests\n\nresponse = requests.request(\n    '${request.method}', '${base}${request.path}',\n    headers=${literal(headersOf(request)).replaceAll('\n', '\n    ')},${body}\n)\nprint(response.status_code, response.text)`;
  },
  PHP: (request) => {
    const lines = Object.entries(headersOf(request)).map(([name, value]) => `    '${name}: ${value}',`);
    const body =
      request.bodies[0] === undefined
        ? ''
        : `\n  CURLOPT_POSTFIELDS => <<<'JSON'\n${literal(request.bodies[0].value)}\nJSON,`;
    return `$curl = curl_init('${base}${request.path}');\ncurl_setopt_array($curl, [\n  CURLOPT_CUSTOMREQUEST => '${request.method}',\n  CURLOPT_RETURNTRANSFER => true,\n  CURLOPT_HTTPHEADER => [\n${lines.join('\n')}\n  ],${body}\n]);\necho curl_exec($curl);`;
  },
};

const field = (label, input) => make('label', {}, label, input);
const area = (value) =>
  make('textarea', { value, rows: Math.min(24, value.split('\n').length + 1), spellcheck: false });

function openForm(sample, request) {
  const path = make('input', { value: request.path, spellcheck: false });
  const headers = area(
    Object.entries(headersOf(request))
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );
  const form = make('form', { className: 'try' }, field(`${request.method} address`, path), field('Headers', headers));
  const parts = bodyFields(request, form);
  const send = make('button', { type: 'submit', className: 'send', textContent: 'Send' });
  const answer = make('pre', { className: 'answer', hidden: true, tabIndex: 0 });
  answer.setAttribute('aria-live', 'polite');
  form.append(send, answer);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    answer.hidden = false;
    answer.textContent = 'Waiting for the answer …';
    try {
      const began = performance.now();
      const response = await fetch(base + path.value, {
        method: request.method,
        headers: headers.value
          .split('\n')
          .filter((line) => line.includes(':'))
          .map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]),
        ...(parts === null ? {} : { body: parts() }),
      });
      const text = await readText(response);
      answer.textContent = `${response.status} ${response.statusText} · ${Math.round(performance.now() - began)} ms\n\n${pretty(text)}`;
      form.dataset.status = String(response.status);
    } catch (error) {
      answer.textContent = `No answer: ${error.message}`;
    }
    send.disabled = false;
  });
  sample.after(form);
  path.focus();
  return form;
}

/** Adds the fields of a body; returns what makes the body of them, or null if there is none. */
function bodyFields({ bodies, media }, form) {
  if (media === 'application/gzip') {
    const file = make('input', { type: 'file' });
    form.append(field('File', file));
    return () => file.files[0];
  }
  if (bodies.length === 0) return null;
  if (media === 'multipart/form-data') {
    const inputs = Object.entries(bodies[0].value).map(([name, value]) => [
      name,
      make('input', name.endsWith('[file]') ? { type: 'file' } : { value: String(value) }),
    ]);
    for (const [name, input] of inputs) form.append(field(name, input));
    return () => {
      const data = new FormData();
      for (const [name, input] of inputs) data.append(name, input.files?.[0] ?? input.value);
      return data;
    };
  }
  const body = area(literal(bodies[0].value));
  if (bodies.length > 1) {
    const choice = make('select', {}, ...bodies.map(({ name }) => make('option', { textContent: name })));
    choice.addEventListener('change', () => (body.value = literal(bodies[choice.selectedIndex].value)));
    form.append(field('Example', choice));
  }
  form.append(field('Body', body));
  return () => body.value;
}

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
/** Of a stream, what comes first: it goes on until it is closed. */
const readText = async (response) => {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  const reader = response.body.getReader();
  const { value = new Uint8Array() } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
};

export function startRequests() {
  for (const sample of document.querySelectorAll('.sample')) {
    const request = JSON.parse(sample.dataset.request);
    const code = sample.querySelector('code');
    const curl = code.textContent;
    const show = (text) => {
      code.textContent = text;
    };
    const isJson = request.media === null || /json/.test(request.media);
    if (isJson)
      addTabs(sample, [
        ['Shell', (chosen) => chosen && show(curl)],
        ...Object.entries(languages).map(([name, text]) => [name, (chosen) => chosen && show(text(request))]),
      ]);
    const open = make('button', { type: 'button', textContent: 'Try it' });
    open.setAttribute('aria-label', `Try it (${request.method} ${request.path.replace(/\?.*/, '')})`);
    let form = null;
    open.addEventListener('click', () => {
      if (form === null) form = openForm(open, request);
      else form.hidden = !form.hidden;
    });
    sample.after(open);
  }
}
