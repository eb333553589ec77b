// Loads and activates the extension: node activationHost.mjs BUNDLE NAMES, where NAMES are the exports of `vscode`, with commas.
// Prints the time that each takes in ms, as JSON. The module `vscode` is a stand-in whose members can be read, called and constructed.
import { registerHooks } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [bundle, names] = process.argv.slice(2);

/** A member that has every member, and that is its own answer. A function, so that it can be called, constructed and extended. */
function standIn() {
  const members = new Map();
  return new Proxy(class {}, {
    get(target, name) {
      if (name === 'prototype') return target.prototype;
      if (name === Symbol.toPrimitive) return () => '';
      if (name === Symbol.iterator) return () => [].values();
      // Not a promise: waiting for it would not end.
      if (name === 'then') return undefined;
      if (!members.has(name)) members.set(name, standIn());
      return members.get(name);
    },
    set: () => true,
    apply: () => standIn(),
    construct: (target, args, newTarget) =>
      newTarget.prototype === target.prototype ? standIn() : Reflect.construct(target, args, newTarget),
  });
}

globalThis.standInForEditor = standIn();
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode' ? { url: 'standin:vscode', shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === 'standin:vscode'
      ? {
          format: 'module',
          source: names
            .split(',')
            .map((name) => `export const ${name} = globalThis.standInForEditor.${name};`)
            .join('\n'),
          shortCircuit: true,
        }
      : next(url, context),
});
// What the editor has loaded long since is not to be measured.
await import('vscode');

const context = standIn();
context.subscriptions = [];
const start = performance.now();
const { activate } = await import(pathToFileURL(bundle).href);
const loaded = performance.now();
activate(Object.assign(Object.create(context), { subscriptions: [] }));
const activated = performance.now();
console.log(JSON.stringify({ load: loaded - start, activate: activated - loaded }));
process.exit();
