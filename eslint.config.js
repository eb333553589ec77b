import * as parser from '@typescript-eslint/parser';

/* ESLint checks the rules of this project, which need no types. Oxlint checks all other rules: see .oxlintrc.json. */

/* Features show text only through the adapters in src/kit, because the adapters make text from servers and workspaces safe. */

const names = (list) => `/^(${list.join('|')})$/`;

const sinks = {
  window: [
    ...['showInformationMessage', 'showWarningMessage', 'showErrorMessage', 'showInputBox', 'showQuickPick'],
    ...[
      'createInputBox',
      'createQuickPick',
      'withProgress',
      'withScmProgress',
      'setStatusBarMessage',
      'createTerminal',
    ],
    ...[
      'createStatusBarItem',
      'createTreeView',
      'registerTreeDataProvider',
      'createOutputChannel',
      'createWebviewPanel',
    ],
    ...['registerWebviewViewProvider', 'createTextEditorDecorationType', 'registerFileDecorationProvider'],
  ],
  workspace: ['registerFileSystemProvider', 'registerTextDocumentContentProvider'],
  authentication: ['registerAuthenticationProvider'],
  commands: ['registerCommand', 'registerTextEditorCommand'],
  lm: ['registerTool'],
};
const shownClasses = [
  ...['MarkdownString', 'TreeItem', 'CodeLens', 'DocumentLink', 'Diagnostic', 'DiagnosticRelatedInformation', 'Hover'],
  ...['InlayHint', 'InlayHintLabelPart', 'CompletionItem', 'SignatureInformation', 'CodeAction', 'SymbolInformation'],
  ...['FileDecoration', 'ChatResponseMarkdownPart', 'TestMessage', 'TestItem'],
];
/** Returns a selector for nodes whose type at the path is one of these classes, or an array of one. */
const typed = (path) =>
  `:matches([${path}.typeName.right.name=${names(shownClasses)}], [${path}.elementType.typeName.right.name=${names(shownClasses)}])`;
const returning = typed('returnType.typeAnnotation');
const declared = typed('id.typeAnnotation.typeAnnotation');
/** Selectors for object literals of these types, which do not name the class. */
const madeByLiteral = [
  `${returning} :matches(ReturnStatement, ArrayExpression) > ObjectExpression`,
  `ArrowFunctionExpression${returning} > ObjectExpression`,
  `VariableDeclarator${declared} > ObjectExpression`,
  `VariableDeclarator${declared} > ArrayExpression > ObjectExpression`,
  `:matches(TSAsExpression, TSSatisfiesExpression)${typed('typeAnnotation')} > ObjectExpression`,
  `Property[key.name=/^(getTreeItem|(provide|resolve)[A-Z].*)$/] :matches(ReturnStatement, ArrayExpression) > ObjectExpression`,
];
const throughAdapter = 'This code shows text. Use the adapter in src/kit, which makes foreign text safe.';

const rawSinks = [
  ...Object.entries(sinks).map(([space, members]) => ({
    selector: `MemberExpression[object.object.name='vscode'][object.property.name='${space}'][property.name=${names(members)}]`,
    message: throughAdapter,
  })),
  { selector: `MemberExpression[object.name='vscode'][property.name=${names(shownClasses)}]`, message: throughAdapter },
  ...madeByLiteral.map((selector) => ({ selector, message: throughAdapter })),
  {
    selector: `MemberExpression[computed=true][object.object.name='vscode'], MemberExpression[computed=true][object.name='vscode']`,
    message: 'Name the member directly, because the rule about showing text matches names.',
  },
  {
    selector: `:not(MemberExpression) > MemberExpression[object.name='vscode'][property.name=${names(Object.keys(sinks))}]`,
    message: 'Access the member directly, because the rule about showing text does not follow aliases.',
  },
  {
    selector: `ImportDeclaration[source.value='vscode'] > :matches(ImportSpecifier, ImportDefaultSpecifier, ImportNamespaceSpecifier[local.name!='vscode'])`,
    message: 'Write `import * as vscode`, because the rule about showing text matches names.',
  },
  {
    selector: `AssignmentExpression[left.property.name=${names(['validationMessage', 'isTrusted', 'supportHtml'])}]`,
    message: throughAdapter,
  },
  {
    selector: `Literal[value=${names(['vscode\\.diff', 'vscode\\.changes', 'markdown\\.showPreview'])}]`,
    message: throughAdapter,
  },
];

/** Rules for webviews, which create elements and set their text. They never parse markup. */
const markup = [
  {
    selector: `:matches(MemberExpression[property.name=NAMES], MemberExpression[property.value=NAMES])`.replaceAll(
      'NAMES',
      names([
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'setHTMLUnsafe', 'parseHTMLUnsafe', 'srcdoc'],
        ...['createContextualFragment', 'parseFromString'],
      ]),
    ),
    message: 'Show foreign text as textContent.',
  },
  {
    selector: `MemberExpression[object.name='document'][property.name=/^write(ln)?$/]`,
    message: 'Create elements instead of writing markup.',
  },
  {
    selector: `ImportDeclaration[source.value=/unsafe-/], TemplateElement[value.raw=/\\.(innerHTML|outerHTML|srcdoc)=/]`,
    message: 'Show foreign text as textContent.',
  },
];

/*
 * Effects outside the store run after the commit, because a transaction can roll back: see docs/contributing/conventions.md. They belong in
 * `afterCommit` or `afterRollback`.
 */

/** Returns a selector for functions that receive a transaction in this parameter, directly or in `LostWork`. */
const receivingTransaction = (index) =>
  `:function[params.${index}.typeAnnotation.typeAnnotation.typeName.name=/^(Transaction|LostWork)$/]`;
/** Selectors for functions that run inside a transaction: its callback, and functions that receive it. */
const inTransaction = [
  `CallExpression[callee.property.name='transaction'] > :function`,
  receivingTransaction(0),
  receivingTransaction(1),
  receivingTransaction(2),
];
const isDeferred = `CallExpression[callee.property.name=/^after(Commit|Rollback)$/] > :function`;
const OWN = `[object.type='ThisExpression']`;
const effects = {
  'a call that notifies other code': [
    `CallExpression[callee.property.name=/^(emit|fire|resolve|reject|abort|wake|changed|give|release|revoke|grant|restart|(begin|abort)Storing)$/]`,
    `CallExpression[callee.property.name=/^(tell|answer|watch|notify|on)(?![a-z])/]`,
    `CallExpression[callee.name=/^(resolve|reject|setImmediate|setTimeout|queueMicrotask)$/]`,
    `CallExpression[callee.name=/^on[A-Z]/]`,
  ],
  'a timer': [`CallExpression[callee.property.name='after']`],
  'a line in a log': [`CallExpression[callee.object.name='log']`, `CallExpression[callee.object.property.name='log']`],
  'the start of a process': [`CallExpression[callee.object.name='runtime'][callee.property.name='start']`],
  'a change in memory': [
    `AssignmentExpression > MemberExpression.left${OWN}`,
    `AssignmentExpression > MemberExpression.left > MemberExpression.object${OWN}`,
    `UpdateExpression > MemberExpression${OWN}`,
    `CallExpression[callee.object.object.type='ThisExpression'][callee.property.name=/^(set|add|delete|clear|push|pop|shift)$/]`,
  ],
};
const effectsInTransactions = Object.entries(effects).map(([effect, selectors]) => ({
  selector: inTransaction
    .flatMap((place) => selectors.map((selector) => `${place} ${selector}:not(${isDeferred} *)`))
    .join(', '),
  message: `Move ${effect} into afterCommit, because the transaction can roll back.`,
}));

/* Memory of the platform. */

const lastingObjects = [
  {
    selector: `ObjectExpression > Property[kind='get']`,
    message:
      'Write a class or a function. V8 keeps an object literal with a getter until the next full garbage collection.',
  },
];

/*
 * Tests do not depend on the moment at which another process writes a file, or at which the editor stores its state.
 */
const READS_FILE = `CallExpression[callee.name=/^(readFile|existsSync|access|stat)(Sync)?$/]:not([arguments.0.quasis.0.value.raw=/^.proc/])`;
const races = [
  {
    selector: `CallExpression[callee.name=/^(eventually|waitFor)$/] ${READS_FILE}, CallExpression[callee.property.name='catch'] > MemberExpression > ${READS_FILE}[callee.name='readFile']`,
    message: 'Another process may not have written all of this file. Use completeLines in test/support.',
  },
  {
    selector: `MemberExpression[object.property.name='page'][property.name='reload']`,
    message: 'Use editor.reload(), which waits until the editor is usable.',
  },
];

export default [
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    languageOptions: { parser },
    // No comment turns these rules off.
    linterOptions: { noInlineConfig: true },
  },
  {
    files: ['src/account/**', 'src/agents/**', 'src/features/**', 'src/main.ts', 'src/extension.ts'],
    rules: { 'no-restricted-syntax': ['error', ...rawSinks] },
  },
  {
    files: ['src/platform/**'],
    ignores: ['src/platform/store/**'],
    rules: { 'no-restricted-syntax': ['error', ...effectsInTransactions, ...lastingObjects] },
  },
  { files: ['src/platform/store/**'], rules: { 'no-restricted-syntax': ['error', ...lastingObjects] } },
  { files: ['src/webviews/**'], rules: { 'no-restricted-syntax': ['error', ...markup] } },
  { files: ['test/**'], ignores: ['test/support/**'], rules: { 'no-restricted-syntax': ['error', ...races] } },
];
