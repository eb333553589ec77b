// The bundler writes an imported style sheet next to the script.
declare module '*.css';
