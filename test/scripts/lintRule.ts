import assert from 'node:assert/strict';
import { ESLint, Linter } from 'eslint';
import * as parser from '@typescript-eslint/parser';

/** Resolves with the messages that the project's lint configuration reports for code in this file. */
export async function problems(file: string, code: string): Promise<string[]> {
  const config = (await new ESLint().calculateConfigForFile(file)) as { readonly rules?: Linter.RulesRecord };
  const rule = config.rules?.['no-restricted-syntax'];
  assert.ok(rule, `the rule applies to ${file}`);
  const messages = new Linter().verify(code, {
    languageOptions: { parser },
    rules: { 'no-restricted-syntax': rule },
  });
  return messages.map(({ message }) => message);
}
