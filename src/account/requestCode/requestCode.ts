import { curlCode } from './curlCode.ts';
import type { CodeRequest } from './codeRequest.ts';
import { javaScriptCode } from './javaScriptCode.ts';
import { pythonCode } from './pythonCode.ts';

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
