import { headerExpression, lineLiterals, literal } from './literals.ts';
import type { CodeRequest } from './codeRequest.ts';

/** Returns an ES module for Node.js that prints the response. */
export function javaScriptCode({ method, url, headers, body }: CodeRequest): string {
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
