import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

interface Rule {
  readonly name?: string;
  readonly include?: string;
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly while?: string;
  readonly patterns?: readonly Rule[];
  readonly captures?: Readonly<Record<string, Rule>>;
  readonly beginCaptures?: Readonly<Record<string, Rule>>;
}
interface GrammarFile extends Rule {
  readonly scopeName: string;
  readonly repository: Readonly<Record<string, Rule>>;
  readonly injections?: Readonly<Record<string, Rule>>;
}

/** Reads a file of `media/languages`. */
export async function readLanguageFile(name: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(import.meta.dirname, '../../media/languages', name), 'utf8'));
}

/** A grammar of the extension, as far as tests can read it without the editor. */
export class Grammar {
  readonly #file: GrammarFile;

  private constructor(file: GrammarFile) {
    this.#file = file;
  }

  static async read(name: string): Promise<Grammar> {
    return new Grammar((await readLanguageFile(name)) as GrammarFile);
  }

  /** Everything that the rules include. */
  get included(): string[] {
    return this.#rules.flatMap(({ include }) => include ?? []);
  }

  /** Returns the first pattern of a rule, or the one of its patterns with this index. */
  pattern(name: string, index?: number): RegExp {
    const rule = this.#file.repository[name];
    const { match, begin } = (index === undefined ? rule : rule?.patterns?.[index]) ?? {};
    return new RegExp(match ?? begin ?? '(?!)');
  }

  /** Returns the names of the rule's patterns that match a text. */
  namesIn(name: string, text: string): string[] {
    const patterns = this.#file.repository[name]?.patterns ?? [];
    return patterns.flatMap((rule) =>
      rule.match !== undefined && new RegExp(rule.match).test(text) ? [rule.name ?? ''] : [],
    );
  }

  /** Fails if a rule includes a rule that does not exist, or has an invalid pattern. */
  assertValid(): void {
    for (const name of this.included.filter((one) => one.startsWith('#')))
      assert.ok(this.#file.repository[name.slice(1)], name);
    for (const { match, begin, end, while: condition } of this.#rules)
      for (const one of [match, begin, end, condition]) if (one !== undefined) new RegExp(one);
  }

  get #rules(): Rule[] {
    const { repository, injections = {} } = this.#file;
    return [this.#file, ...Object.values(repository), ...Object.values(injections)].flatMap(rulesIn);
  }
}

function rulesIn(rule: Rule): Rule[] {
  const captures = [...Object.values(rule.captures ?? {}), ...Object.values(rule.beginCaptures ?? {})];
  return [rule, ...[...(rule.patterns ?? []), ...captures].flatMap(rulesIn)];
}
