/*
 * The answers of this sample. They follow fixed rules: this is not a language model, so it needs no GPU, no download, and no license. The same
 * messages always have the same answer, which is useful in tests. Replace `replyTo` with a real model.
 */

const INTRODUCTION = 'I am not a language model. I answer from fixed rules.';
const HELP = 'Try “count to 5”, “say hello”, “fail”, or “call” with the name of a tool that the request offers.';

/**
 * Returns the reply to the last message: a text, a tool call, or an error.
 *
 * @param messages messages of the chat, oldest first
 * @param tools tools that the request offers
 * @param toolChoice `required` if the reply must call a tool
 */
export function replyTo({ messages, tools = [], tool_choice: toolChoice }) {
  const last = messages.at(-1);
  if (last.role === 'tool') return { text: `The tool responded: ${textOf(last)}` };
  const text = requestIn(textOf(last));
  if (/^fail\b/i.test(text)) return { error: 'the message requested a failure' };

  const [, name] = /^call ([\w-]+)/i.exec(text) ?? [];
  const tool = tools.find((one) => one.function.name === name) ?? (toolChoice === 'required' ? tools[0] : undefined);
  if (tool) return { call: { name: tool.function.name, arguments: argumentsFor(tool, text) } };

  const isIntroduced = messages.some((one) => one.role === 'assistant' && textOf(one).includes(INTRODUCTION));
  return { text: `${isIntroduced ? '' : `${INTRODUCTION} `}${plainReply(text)}` };
}

/** Returns what the user wrote. Agents add context to it, in elements such as `<context>…</context>`. */
function requestIn(text) {
  const [, request] = /<userRequest>(.*?)<\/userRequest>/s.exec(text) ?? [];
  return (request ?? text.replace(/<(\w+)[^>]*>.*?<\/\1>/gs, '')).trim();
}

function plainReply(text) {
  const [, to] = /^count to (\d{1,6})/i.exec(text) ?? [];
  if (to) return Array.from({ length: Number(to) }, (_, index) => index + 1).join(' ');
  const [, said] = /^say (.+)/is.exec(text) ?? [];
  if (said) return said;
  const words = text.split(/\s+/).filter(Boolean).length;
  return `Your message has ${words} ${words === 1 ? 'word' : 'words'}. ${HELP}`;
}

/** Returns the JSON object in the message, or an object with a value for each required property. */
function argumentsFor(tool, text) {
  const [json] = /\{.*\}/s.exec(text) ?? [];
  if (json) return json;
  const { required = [], properties = {} } = tool.function.parameters ?? {};
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, exampleOf(properties[name], text)])));
}

function exampleOf(schema = {}, text) {
  if (schema.enum) return schema.enum[0];
  return (
    { number: 1, integer: 1, boolean: true, array: [], object: {} }[schema.type] ?? text.replace(/^call [\w-]+ ?/i, '')
  );
}

/** Returns the text of a message, whose content is a string or a list of parts. */
export function textOf({ content }) {
  if (!Array.isArray(content)) return content ?? '';
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Splits a text into tokens. A real model has its own tokenizer. */
export const tokensOf = (text) => text.match(/\s*\S+/g) ?? [];
