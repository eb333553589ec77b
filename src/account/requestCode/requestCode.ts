/** Value of a header: text, or a prefix and the environment variable that has the rest, such as an API key. */
export type HeaderValue = string | { readonly prefix: string; readonly variable: string };

export interface CodeHeader {
  readonly name: string;
  readonly value: HeaderValue;
}

/** An HTTP request. The caller removes control characters from foreign text, because the code is pasted into terminals. */
export interface CodeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly CodeHeader[];
  readonly body?: string | undefined;
}

/* Code that sends an HTTP request, for the clipboard. */

export const CODE_LANGUAGES = ['curl', 'python', 'javaScript'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/** Names of the languages, for people. */
export const CODE_NAMES: Readonly<Record<CodeLanguage, string>> = {
  curl: 'cURL',
  python: 'Python',
  javaScript: 'JavaScript',
};

const generators: Readonly<Record<CodeLanguage, (request: CodeRequest) => string>> = {
  curl: curlCode,
  python: pythonCode,
  javaScript: javaScriptCode,
};

/** Returns code that sends a request: a command for a POSIX shell, Python without packages, or an ES module for Node.js. */
export function requestCode(language: CodeLanguage, request: CodeRequest): string {
  return generators[language](request);
}

/** Maximum size of a body in an argument, in bytes. Linux limits one argument to 128 KiB. */
const LONGEST_ARGUMENT = 96 * 1_024;

/** Returns a command for a POSIX shell. A large body is in a here-document, which adds a line end to it. */
export function curlCode({ method, url, headers, body }: CodeRequest): string {
  const isDefault = method === (body === undefined ? 'GET' : 'POST');
  const isLarge = body !== undefined && Buffer.byteLength(body) > LONGEST_ARGUMENT;
  const words = [
    // Without the option, cURL expands brackets and braces.
    `curl ${/[[\]{}]/.test(url) ? '--globoff ' : ''}${quoted(url)}`,
    ...(isDefault ? [] : [method === 'HEAD' ? '--head' : `--request ${quoted(method)}`]),
    ...headers.map((header) => `--header ${headerWord(header)}`),
    // Unlike --data, the option does not read the file that a leading @ names.
    ...(body === undefined ? [] : [isLarge ? '--data-binary @-' : `--data-raw ${quoted(body)}`]),
  ];
  const command = words.join(words.length > 2 ? ' \\\n  ' : ' ');
  return isLarge ? `${command} ${hereDocument(body)}` : command;
}

function headerWord({ name, value }: CodeHeader): string {
  // cURL removes a header that ends with a colon, and sends an empty one that ends with a semicolon.
  if (typeof value === 'string') return quoted(value === '' ? `${name};` : `${name}: ${value}`);
  return `"${`${name}: ${value.prefix}`.replaceAll(/[\\"$`]/g, '\\$&')}$${value.variable}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function hereDocument(text: string): string {
  const lines = new Set(text.split('\n'));
  let end = 'BODY';
  while (lines.has(end)) end += '_';
  return `<<'${end}'\n${text}\n${end}`;
}

/** Returns a Python script that uses only the standard library, and prints the response. */
function pythonCode({ method, url, headers, body }: CodeRequest): string {
  const readsVariables = headers.some(({ value }) => typeof value !== 'string');
  const lines = [
    ...(readsVariables ? ['import os'] : []),
    'import urllib.error',
    'import urllib.request',
    '',
    ...(body === undefined ? [] : ['body = (', ...lineLiterals(body).map((line) => `    ${line}`), ')', '']),
    'request = urllib.request.Request(',
    `    ${literal(url)},`,
    `    method=${literal(method)},`,
    '    headers={',
    ...headers.map(
      ({ name, value }) =>
        `        ${literal(name)}: ${headerExpression(value, (variable) => `os.environ[${variable}]`)},`,
    ),
    '    },',
    ...(body === undefined ? [] : ["    data=body.encode('utf-8'),"]),
    ')',
    'try:',
    '    with urllib.request.urlopen(request) as response:',
    '        print(response.status)',
    "        print(response.read().decode('utf-8', 'replace'))",
    'except urllib.error.HTTPError as error:',
    '    print(error.code)',
    "    print(error.read().decode('utf-8', 'replace'))",
    '    raise SystemExit(1)',
  ];
  return `${lines.join('\n')}\n`;
}

/** Returns an ES module for Node.js that prints the response. */
function javaScriptCode({ method, url, headers, body }: CodeRequest): string {
  const lines = [
    ...(body === undefined
      ? []
      : [`const body = [`, ...lineLiterals(body).map((line) => `  ${line},`), `].join('');`, '']),
    `const response = await fetch(${literal(url)}, {`,
    `  method: ${literal(method)},`,
    '  headers: {',
    ...headers.map(
      ({ name, value }) =>
        `    ${literal(name)}: ${headerExpression(value, (variable) => `process.env[${variable}]`)},`,
    ),
    '  },',
    ...(body === undefined ? [] : ['  body,']),
    '});',
    'console.log(response.status);',
    'console.log(await response.text());',
  ];
  return `${lines.join('\n')}\n`;
}

/** Characters that need an escape: control characters, and separators that end a line in some editors. */
const ESCAPED = /[\\'\p{Cc}\u2028\u2029\ufeff\ud800-\udfff]/gu;
const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Returns a string literal that Python and JavaScript read as the same text. */
function literal(text: string): string {
  const escaped = text.replaceAll(
    ESCAPED,
    (sign) => SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `'${escaped}'`;
}

/** Returns the literals of the lines of a text. Each one except the last ends with a line end. */
function lineLiterals(text: string): readonly string[] {
  return text.split(/(?<=\n)/).map(literal);
}

/** Returns an expression for the value of a header. @param variableOf returns the expression of an environment variable */
function headerExpression(value: HeaderValue, variableOf: (name: string) => string): string {
  if (typeof value === 'string') return literal(value);
  return `${literal(value.prefix)} + ${variableOf(literal(value.variable))}`;
}
