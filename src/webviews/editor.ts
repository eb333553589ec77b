import type * as z from 'zod/mini';

/** API that the editor provides to each webview. */
declare function acquireVsCodeApi(): Editor<unknown, unknown>;

/** The editor, as a page sees it. */
export interface Editor<Message, State> {
  postMessage(message: Message): void;
  getState(): unknown;
  setState(state: State): void;
}

/** Connects a page to the editor. Messages from the editor that do not match the schema are ignored. */
export function connectEditor<Incoming, Outgoing, State>(
  schema: z.ZodMiniType<Incoming>,
  onMessage: (message: Incoming) => void,
): Editor<Outgoing, State> {
  window.addEventListener('message', ({ data }) => {
    const { data: message } = schema.safeParse(data);
    if (message !== undefined) onMessage(message);
  });
  return acquireVsCodeApi();
}
