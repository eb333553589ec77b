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
