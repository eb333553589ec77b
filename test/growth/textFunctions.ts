import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** A parameter that receives a text. */
type TextKind = 'text' | 'texts' | 'bytes';

/** An exported function, or a method of an exported class, with a parameter that receives a text. */
export interface TextFunction {
  /** Its file and name, such as `src/contract/shellWords.ts#splitShellWords`. */
  readonly id: string;
  readonly file: string;
  readonly name: string;
  readonly kind: TextKind;
  /** Whether a call with only the text is complete. */
  readonly isUnary: boolean;
}

/** Folder without functions that read foreign text: pages have no access to workspaces and platforms. */
const LEFT_OUT = 'src/webviews/';
/** Names of parameters that receive a text of any length, by convention. */
const NAMES = /^(?:text|texts|line|lines|source|content|chunk|raw|body|message|output|bytes|data|buffer|given)$/;
const KINDS: Readonly<Record<string, TextKind>> = {
  string: 'text',
  'string | undefined': 'text',
  'readonly string[]': 'texts',
  'string[]': 'texts',
  Uint8Array: 'bytes',
  Buffer: 'bytes',
};

/** Returns all functions of the product that receive a text, by the names and types of their parameters. */
export function textFunctions(): readonly TextFunction[] {
  return globSync('src/**/*.ts')
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !file.startsWith(LEFT_OUT))
    .sort()
    .flatMap((file) => functionsIn(file, readFileSync(file, 'utf8')));
}

export function functionsIn(file: string, text: string): TextFunction[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: TextFunction[] = [];
  const add = (name: string, parameters: readonly ts.ParameterDeclaration[], isFunction: boolean) => {
    const kindOf = (parameter: ts.ParameterDeclaration | undefined) =>
      parameter && NAMES.test(parameter.name.getText()) ? KINDS[parameter.type?.getText() ?? ''] : undefined;
    const kind = parameters.map(kindOf).find((one) => one !== undefined);
    if (kind === undefined) return;
    const others = parameters.slice(1).filter(({ questionToken, initializer }) => !questionToken && !initializer);
    const isUnary = isFunction && kindOf(parameters[0]) !== undefined && others.length === 0;
    found.push({ id: `${file}#${name}`, file, name, kind, isUnary });
  };
  for (const statement of statements) {
    if (!isExported(statement)) continue;
    if (ts.isFunctionDeclaration(statement) && statement.name) add(statement.name.text, statement.parameters, true);
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)))
          add(name.getText(), initializer.parameters, true);
    if (ts.isClassDeclaration(statement) && statement.name)
      for (const member of statement.members) {
        const own = statement.name.text;
        if (ts.isConstructorDeclaration(member)) add(`${own}.constructor`, member.parameters, false);
        if (ts.isMethodDeclaration(member) && !ts.isPrivateIdentifier(member.name))
          add(`${own}.${member.name.getText()}`, member.parameters, false);
      }
  }
  return found;
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  );
}
