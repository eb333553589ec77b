import { headerExpression, lineLiterals, literal } from './literals.ts';
import type { CodeRequest } from './codeRequest.ts';

/** Returns a Python script that uses only the standard library, and prints the response. */
export function pythonCode({ method, url, headers, body }: CodeRequest): string {
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
