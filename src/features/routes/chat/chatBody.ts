/** First message of a new chat. */
export const MESSAGE = 'Hello!';

/** Returns the body of a request whose answer arrives as events, with the number of its tokens. */
export function chatBody(model: string): string {
  const body = {
    model,
    messages: [{ role: 'user', content: MESSAGE }],
    stream: true,
    stream_options: { include_usage: true },
  };
  // An HTTP file would replace {{…}} by the value of a variable.
  return JSON.stringify(body, null, 2).replaceAll('{{', '{\\u007b');
}
