/* The JSON language service. Only `import()` loads this file, because the service is large. */

export { getLanguageService } from 'vscode-json-languageservice';
export { getLocation } from 'jsonc-parser';
export { TextDocument } from 'vscode-languageserver-textdocument';

/** Codes of the service's `ErrorCode`, which is no named export of its CommonJS build. Codes from the first one on concern references. */
const SCHEMA_RESOLVE_ERROR = 0x10000;
const SCHEMA_UNSUPPORTED_FEATURE = 0x301;

/** Returns whether a problem means that the schema cannot be read or resolved, and not that the document is invalid. */
export function isUnusableSchema(code: number | string | undefined): boolean {
  if (typeof code !== 'number') return false;
  return code >= SCHEMA_RESOLVE_ERROR || code === SCHEMA_UNSUPPORTED_FEATURE;
}
