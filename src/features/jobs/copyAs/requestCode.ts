/* A minimal generator. The one of job files replaces this file. */

export const CODE_LANGUAGES = ['curl', 'python', 'javaScript'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/** Value of a header: text, or a prefix and the environment variable that has the rest, such as an API key. */
export type HeaderValue = string | { readonly prefix: string; readonly variable: string };

export interface CodeHeader {
  readonly name: string;
  readonly value: HeaderValue;
}

export interface CodeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly CodeHeader[];
  readonly body?: string | undefined;
}

/** Returns code that sends a request. */
export function requestCode(language: CodeLanguage, { method, url, headers, body }: CodeRequest): string {
  const values = headers.map(({ name, value }) =>
    typeof value === 'string' ? `${name}: ${value}` : `${name}: ${value.prefix}$${value.variable}`,
  );
  return [language, method, url, ...values, body ?? ''].join(' ');
}
