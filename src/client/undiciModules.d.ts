// Types for the agent's module, for which the package has none.
declare module 'undici/lib/dispatcher/agent.js' {
  export { Agent as default } from 'undici';
}
