// Usage: node activationHost.mjs BUNDLE NAMES, where NAMES are the exports of `vscode`, separated by commas.
// Loads and activates the extension, and prints a JSON object: the duration of both in ms, the processor time of the main thread during
// the activation and during a reference in ms, and the calls that registered something by its name. The module `vscode` is a fake.
import { registerHooks } from 'node:module';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [bundle, names] = process.argv.slice(2);

/** Calls of functions such as `commands.registerCommand`, with their first argument. */
const registered = [];

/** Returns a fake value. It has all members, and it can be called, constructed, and extended. @param path names of the members */
function fakeValue(path = '') {
  const members = new Map();
  return new Proxy(class {}, {
    get(target, name) {
      if (name === 'prototype') return target.prototype;
      if (name === Symbol.toPrimitive) return () => '';
      if (name === Symbol.iterator) return () => [].values();
      // With a `then` member, the fake would be a promise that never settles.
      if (name === 'then') return undefined;
      if (!members.has(name)) members.set(name, fakeValue(`${path}.${String(name)}`));
      return members.get(name);
    },
    set: () => true,
    apply: (_target, _self, [name]) => {
      if (typeof name === 'string' && /\.(register|create)\w+$/.test(path)) registered.push([path.slice(1), name]);
      return fakeValue();
    },
    construct: (target, args, newTarget) =>
      newTarget.prototype === target.prototype ? fakeValue() : Reflect.construct(target, args, newTarget),
  });
}

globalThis.standInForEditor = fakeValue();
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
// Loads the fake before the measurement, because the editor loads `vscode` before the extension.
await import('vscode');

/** Returns the processor time of the main thread during an action, in ms. */
async function processorTime(action) {
  const before = process.threadCpuUsage();
  await action();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

// Loading a library slows down with the processor, its caches, and its neighbors as the activation does.
const reference = await processorTime(() => import('zod'));

const context = fakeValue();
const start = performance.now();
const { activate } = await import(pathToFileURL(bundle).href);
const loaded = performance.now();
const cpu = await processorTime(() => void activate(Object.assign(Object.create(context), { subscriptions: [] })));
const activated = performance.now();
console.log(JSON.stringify({ load: loaded - start, activate: activated - loaded, cpu, reference, registered }));
process.exit();
