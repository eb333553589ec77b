import { curlCode } from './curlCode.ts';
import { javaScriptCode } from './javaScriptCode.ts';
import { pythonCode } from './pythonCode.ts';

/* Code that sends an HTTP request, for the clipboard. */

export const CODE_LANGUAGES = ['curl', 'python', 'javaScript'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

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

const generators: Readonly<Record<CodeLanguage, (request: CodeRequest) => string>> = {
  curl: curlCode,
  python: pythonCode,
  javaScript: javaScriptCode,
};

/** Returns code that sends a request: a command for a POSIX shell, Python without packages, or an ES module for Node.js. */
export function requestCode(language: CodeLanguage, request: CodeRequest): string {
  return generators[language](request);
}
