import { endpointNamed, type ResolveContext } from './endpointLookup.ts';
import { spanOf, type FileVariable, type HttpFile, type Piece } from './httpFile.ts';
import { problem, MAX_PROBLEMS, type HttpProblem, type HttpProblemCode, type HttpProblemData } from './problem.ts';
import type { Span } from '../../../text/span.ts';
import { SYSTEM_NAMES, systemValue } from './systemVariables.ts';
import { templateParts, type Reference } from './template.ts';

/** Maximum length of the value of a variable, in UTF-16 code units. */
const MAX_VALUE = 1_048_576;
/** Maximum number of variables that refer to each other. */
const MAX_DEPTH = 200;
/** Maximum number of names that a misspelled name is compared with. */
const MAX_COMPARED = 200;

export const ENDPOINT_PREFIX = 'endpoint:';

/** Returns the name in a reference such as `{{endpoint:hello}}` with its place, or undefined. */
export function endpointIn({ content, contentSpan }: Reference): (Span & { readonly name: string }) | undefined {
  if (!content.startsWith(ENDPOINT_PREFIX)) return undefined;
  const name = content.slice(ENDPOINT_PREFIX.length).trim();
  return { name, start: Math.max(contentSpan.start, contentSpan.end - name.length), end: contentSpan.end };
}

/**
 * Replaces the variables of a file and collects the problems. A variable of the file keeps its value, so that `@id = {{$guid}}` is the
 * same ID in the whole request.
 */
export class Variables {
  readonly #definitions: ReadonlyMap<string, FileVariable>;
  readonly #names: readonly string[];
  readonly #context: ResolveContext;
  readonly #values = new Map<string, string | undefined>();
  readonly #open = new Set<string>();
  readonly #problems = new Map<string, HttpProblem>();

  constructor({ variables }: Pick<HttpFile, 'variables'>, context: ResolveContext) {
    this.#definitions = new Map(variables.map((one) => [one.name, one]));
    this.#names = [...this.#definitions.keys()].slice(0, MAX_COMPARED);
    this.#context = context;
  }

  /** The problems so far. Each place has a problem once. */
  get problems(): readonly HttpProblem[] {
    return [...this.#problems.values()];
  }

  definition(name: string): FileVariable | undefined {
    return this.#definitions.get(name);
  }

  report(found: HttpProblem): void {
    if (this.#problems.size < MAX_PROBLEMS) this.#problems.set(`${found.code} ${found.start} ${found.end}`, found);
  }

  add<Code extends HttpProblemCode>(code: Code, span: Span, data: HttpProblemData[Code]): void {
    // Finding similar names takes time.
    if (this.#problems.size < MAX_PROBLEMS) this.report(problem(code, span, data));
  }

  /** Replaces the variables in a text. Returns undefined after a problem. @param max limit of the result, in UTF-16 code units */
  expand(piece: Piece, max: number): string | undefined {
    let text: string | undefined = '';
    let length = 0;
    for (const part of templateParts(piece)) {
      const value = 'literal' in part ? part.literal : this.#valueOf(part.reference);
      length += value?.length ?? 0;
      if (length > max) {
        this.add('tooLong', spanOf(piece), { max });
        return undefined;
      }
      text = value === undefined || text === undefined ? undefined : text + value;
    }
    return text;
  }

  /** Reports the problems of the variables in a text without building the result. */
  check(piece: Piece): void {
    for (const part of templateParts(piece)) if ('reference' in part) this.#valueOf(part.reference);
  }

  /** Returns the value of a variable of the file. Undefined after a problem. */
  value(name: string): string | undefined {
    const definition = this.#definitions.get(name);
    if (!definition) return undefined;
    if (this.#values.has(name)) return this.#values.get(name);
    this.#open.add(name);
    const value = this.expand(definition.value, MAX_VALUE);
    this.#open.delete(name);
    this.#values.set(name, value);
    return value;
  }

  #valueOf(reference: Reference): string | undefined {
    const { content, contentSpan } = reference;
    const endpoint = endpointIn(reference);
    if (endpoint) {
      const found = endpointNamed(endpoint.name, this.#context, endpoint.name === '' ? reference : endpoint);
      if ('endpoint' in found) return found.endpoint.base;
      this.report(found.problem);
      return undefined;
    }
    if (content.startsWith('$')) return this.#systemValue(content, contentSpan);
    const span = content === '' ? reference : contentSpan;
    if (!this.#definitions.has(content)) this.#addUnknown(content, span);
    else if (this.#open.has(content)) this.add('cyclicVariable', span, { name: content });
    else if (this.#open.size >= MAX_DEPTH && !this.#values.has(content))
      this.add('nestedTooDeep', span, { max: MAX_DEPTH });
    else return this.value(content);
    return undefined;
  }

  #addUnknown(name: string, span: Span): void {
    if (/^[\w-]+\.(?:response|request)\./.test(name)) this.add('responseVariable', span, { name });
    else this.add('unknownVariable', span, { name, known: this.#names });
  }

  #systemValue(content: string, span: Span): string | undefined {
    const found = systemValue(content, this.#context);
    if ('value' in found) return found.value;
    const [name = ''] = content.split(/\s/, 1);
    if (found.code === 'unknownSystemVariable') this.add(found.code, span, { name, known: SYSTEM_NAMES });
    else this.add(found.code, span, { name });
    return undefined;
  }
}
